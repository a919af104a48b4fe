"""Distributional methods: skip-gram over given pairs, relation embeddings from assertions, word embeddings.

skip_gram.py         the training
relations.py         assertions as pairs of relation and argument; the net `relations` and similarity in context
dependency_words.py  the mean of word vectors; vectors trained on parsed text
"""
