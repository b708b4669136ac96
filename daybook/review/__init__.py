"""From note lines to operations on memory: a model proposes, code decides."""
