"""What is read from the answers: measures, what alignments know, drawings."""
