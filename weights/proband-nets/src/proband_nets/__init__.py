"""Trained networks as files: `NAME/net.json`, `NAME/model.safetensors`, and their hashes in `SHA256SUMS`."""
