"""What directions do to a take, and what they cost: length, pitch, loudness, words, voice."""
