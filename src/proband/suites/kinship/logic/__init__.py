"""What follows from told facts: proofs, chains, noise, patterns up to names."""
