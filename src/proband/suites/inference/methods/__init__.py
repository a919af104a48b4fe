"""The methods of section 4, one file each, and those that came later."""
