"""Tasks: one a file, each around one call into the core."""
