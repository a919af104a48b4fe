"""What is estimated from the scores of items.

mean.py         a mean of numbers: Student's t with the CR2 variance; of numbers between 0 and 1 (a share): Wilson's
                interval, Bonett and Price's for two systems
macro.py        a mean over groups that weigh the same, of any of the others
../ranking.py   a metric over all items at once (F1, AUC): the cluster jackknife, or the bootstrap where it jumps
"""
