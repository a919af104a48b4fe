"""The package that every other package uses; it imports none of them.

types.py, suite.py, protocols.py    records; what a suite declares; what a model can do
metrics.py, tables.py, files.py     from answers to scores; tables and files, read and written
plugins.py, version.py, errors.py   what packages add, and its options; versions; errors in one line
worker_processes.py, progress.py    several processes; what is shown meanwhile
"""
