"""Model checkpoints on disk: where the files are, what they hold, how transformers opens them."""
