"""One command a table. Each measures the server as a client sees it, in a process of its own."""
