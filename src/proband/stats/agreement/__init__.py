"""From the judgments of several people to one label per item, and how far the people agree.

coefficients.py  Krippendorff's alpha and Gwet's AC1 with intervals, Cohen's kappa, majorities (Levy & Dagan's rule)
aggregation.py   Dawid & Skene (a confusion matrix per worker), MACE (a worker knows the label, or guesses)
"""
