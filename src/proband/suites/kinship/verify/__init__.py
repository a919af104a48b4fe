"""Re-checking certificates: `checker` replays proofs and looks at families, `items` reads stories back and asks it."""
