"""The package that every other package uses; it imports none of them.

types.py      items, answers and other records
suite.py      what a suite declares
protocols.py  what a model can do
metrics.py    from answers to scores
"""
