"""What follows from facts: provers, verdicts on labels of anyone's rows, and on the statements of replies.

problem.py, differences.py, linear_program.py   what a prover is given; the provers of coordinates
answers.py, verdicts.py                         the answers that a question can have; the verdict on a row
causes.py, tally.py, outputs.py                 findings: why rows are wrong, counts, what is written
rows.py, known_sets.py, row_source.py, run.py   rows of anyone's files, and an audit of them
discourse.py, statements.py, replies.py         replies in words: clauses, the verdict on a statement, the whole
"""
