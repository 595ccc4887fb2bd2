"""The core of a server: connections, access, clients, clock, ownership, fair shares, session. It knows no service."""
