"""What edits are worth: kept exactly, heard right, joined without a click, and what they cost."""
