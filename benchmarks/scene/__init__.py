"""A long scene: memory stays flat, voices stay themselves, the listener never starves."""
