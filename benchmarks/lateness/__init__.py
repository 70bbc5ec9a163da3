"""How late packets leave while every stage is at work."""
