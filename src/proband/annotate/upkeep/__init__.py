"""What whoever looks after a study does: accounts, further units, back-ups, monitoring."""
