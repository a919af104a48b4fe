"""The text nets of the thesis, one file each."""
