"""What is estimated from the scores of items, one file each.

mean.py         a mean of numbers of any size: Student's t with the CR2 variance
share.py        a mean of numbers between 0 and 1: Wilson's interval, Bonett and Price's for two systems
macro.py        a mean over groups that weigh the same, of any of the others
set_metric.py   a metric over all items at once (F1, AUC): the cluster jackknife, or the bootstrap where it jumps
"""
