"""Many clients at once of the whole server with Qwen3-Omni's voice, through the socket."""
