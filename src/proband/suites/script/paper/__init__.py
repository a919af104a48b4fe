"""The paper's tables, findings and published figures, as data and as readings of the answers.

tables.py              table 4 on one page and column by column, and tables beyond it, for the report
claims.py              the findings of section 4.2
published.py           the printed figures
corpus_statistics.py   table 1, from the manifest
aligned_phrases.py     table 3 and figure 2, from the answers of the solver `align`
greedy_texts.py        table 5
The study that makes the runs is studies/script.toml.
"""
