"""A model and a solver made ready: loaded by name, remembered, in this process or on a cluster."""
