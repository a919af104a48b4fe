"""Processes that share out work."""
