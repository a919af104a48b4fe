"""Estimates -> a page, tables and figures. `write_report` is the way in; ItemSet is what it reads."""
