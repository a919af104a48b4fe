"""Provers for puzzles, as domains of `proband audit` (found by entry points).

puzzle.py      what a puzzle declares, and the judge of its rows
syllogism.py   formulas.py   circles.py   zebra.py   orders.py   graphs.py   numbers.py
"""
