"""Candidate answers to a question: the three criteria of section 3.1, and filters against what makes no sense."""
