"""What travels over the socket, sans-IO: frames and messages in, typed values out."""
