"""Messages: bare ciphers, sectors, AEADs, chunked encryption; their buffers, what is refused, and what others computed."""
