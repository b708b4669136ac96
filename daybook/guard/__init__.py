"""What stands in front of every sink: secrets leave, and text from outside is made harmless."""
