"""From the judgments of several people to one label per item, and how far the people agree.

coefficients.py  judgments as arrays; Krippendorff's alpha and Gwet's AC1 with intervals, Cohen's kappa of each two
                 people; majority, and the rule of Levy & Dagan (all but one agree)
aggregation.py   Dawid & Skene (a confusion matrix per worker), MACE (a worker knows the label, or guesses)
"""
