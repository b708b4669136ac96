"""Memory's files beside the ledger: what others did, what should stand, and how a change is written or taken back."""
