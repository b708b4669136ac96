"""A memory that keeps itself for stateless AI agents."""
