"""What sentences are made of: tokens, clauses, polarity, identifiers, dates, themes; it knows nothing of memory."""
