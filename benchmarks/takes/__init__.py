"""Many short takes in one session: all that they held is given back, and memory stays."""
