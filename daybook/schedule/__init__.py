"""Which check is due, and how a slot happens once."""
