"""Items x answers -> arrays -> cells, comparisons."""
