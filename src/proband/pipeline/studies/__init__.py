"""A study file, the grid it describes, and the stages of that grid."""
