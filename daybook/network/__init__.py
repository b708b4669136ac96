"""The world outside: which addresses may be connected to, and how."""
