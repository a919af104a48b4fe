"""Nets over the fact graph: the GAT of the thesis, and two that compose."""
