"""The cloze task: which words are left out of a text, and how models fill them in."""
