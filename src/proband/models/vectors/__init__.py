"""Static word vectors: published files, converted once to a memory-mapped form."""
