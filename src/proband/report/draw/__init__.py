"""Pictures of grids, as SVG written by hand (and PNG, PDF through matplotlib)."""
