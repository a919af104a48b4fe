"""What comes out: figures for whoever runs the study, labels, exports that suites read."""
