"""Prompts as Jinja files; data, read by `daybook.prompts`."""
