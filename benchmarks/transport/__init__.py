"""What it costs to hand an array from a stage in one process to a stage in another."""
