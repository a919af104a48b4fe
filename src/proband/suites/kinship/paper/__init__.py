"""The tables and findings of chapter 3 of the thesis, ours beside the published figures."""
