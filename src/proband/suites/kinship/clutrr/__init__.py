"""CLUTRR's own files: its rows, and our items as its rows."""
