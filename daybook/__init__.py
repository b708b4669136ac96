"""A memory that keeps itself for stateless AI agents."""

VERSION = "0.1.0"
