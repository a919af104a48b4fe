"""Before items: assertions and candidates of the suite `inference`."""
