"""Templates and style that pages share."""
