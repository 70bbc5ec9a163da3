"""How sound is made. Knows neither sessions nor sockets."""
