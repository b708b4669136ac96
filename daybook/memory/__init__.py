"""The tiers: notes, inbox, long-term memory, and what a session loads of them."""
