"""One way to ask a model."""
