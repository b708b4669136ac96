"""Where text from outside comes in: feeds, mailboxes, commands."""
