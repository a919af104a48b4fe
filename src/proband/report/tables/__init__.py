"""Markdown, LaTeX and CSV."""
