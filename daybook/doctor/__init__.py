"""Examine a workspace and this machine: what is wrong, and what to do about it."""
