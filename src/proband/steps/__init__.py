"""Replies in words, sentence by sentence: what each states, whether the story tells it, entails it, leaves it open or
contradicts it, and what that makes of the whole reply.

    discourse.py   a reply cut into sentences and clauses; what statements are wrapped in
    sentences.py   sentence by sentence: reading (by the reader of the domain), choosing, withdrawing
    statements.py  the verdict on one statement, with its proof (by the prover of the domain)
    replies.py     the whole: first wrong step, what is missing, whether the answer follows, which kind of reply it is
    counts.py      the same for puzzles about how many sisters, friends or colleagues somebody has
"""
