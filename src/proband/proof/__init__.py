"""Provers, and their verdicts on the labels of any data set and on the statements of replies.

problem.py, differences.py, linear_program.py   the input of a prover; the provers of coordinates
answers.py, decisions.py, verdicts.py           the possible answers of a question; the verdict on a row
causes.py, tally.py, outputs.py                 findings: causes of wrong rows, counts, output files
rows.py, known_sets.py, row_source.py, run.py   rows of data files, and their audit
sentences.py, discourse.py, statements.py, replies.py   replies: their clauses, verdicts on statements, the whole
"""
