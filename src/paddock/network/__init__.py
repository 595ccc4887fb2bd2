"""Network: the protocol, the server with its page, the client, and nodes (a controller as several processes)."""
