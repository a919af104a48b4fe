"""Masked and causal language models: scores, embeddings, generation, fine-tuning."""
