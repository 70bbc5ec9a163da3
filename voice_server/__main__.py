"""`python -m voice_server` is `voice-server`."""

from voice_server.cli import main

if __name__ == "__main__":
    main()
