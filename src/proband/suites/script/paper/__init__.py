"""The paper's tables, findings and published figures, as data and as readings of the answers.

tables.py              tables 1 and 5; table 4 on one page and column by column, and tables beyond it, for the report
claims.py              the findings of section 4.2
published.py           the printed figures
aligned_phrases.py     table 3 and figure 2, from the answers of the solver `align`
The study that makes the runs is studies/script.toml.
"""
