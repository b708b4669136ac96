"""Flows: one DAG a file, order and isolation, no logic."""
