"""Making stories: plan, logic, wording, hold-outs, worker processes."""
