"""What memory knows and why, as an append-only list of operations."""
