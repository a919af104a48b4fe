"""Reading facts with a trained pair classifier, then reasoning with rules."""
