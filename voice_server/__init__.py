"""The program: socket, HTTP, command line, Python client, and what puts all together."""
