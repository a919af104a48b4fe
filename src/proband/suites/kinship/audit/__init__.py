"""A verdict for every row of a data set, ours or anyone's."""
