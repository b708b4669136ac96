"""What the operator does to memory by hand: why, undo, restore, forget, rebuild, compact."""
