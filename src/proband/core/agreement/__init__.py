"""From the judgments of several people to one label per item, and how far the people agree.

votes.py         judgments as arrays
rules.py         majority, and the rule of Levy & Dagan (all but one agree)
dawid_skene.py   a confusion matrix per worker, by expectation maximisation
mace.py          a worker knows, or guesses in a way of his own
alpha.py         Krippendorff's alpha with an interval
gwet.py          Gwet's AC1 with an interval
workers.py       the quality of each worker
audit.py         precision and recall against an expert
"""
