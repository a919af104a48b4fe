"""The HTML page and the data of its item browser."""
