"""Sound on its way to the listener, sans-IO: encoded, paced, numbered, and measured."""
