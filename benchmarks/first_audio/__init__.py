"""First audio, real-time factor and continuity through the socket, beside peers in the same run."""
