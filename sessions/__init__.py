"""What a person is doing. Knows neither sockets nor models."""
