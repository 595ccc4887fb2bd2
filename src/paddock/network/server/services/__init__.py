"""Services of a server: each owns some messages. A session knows them by the hooks of `core/service.py` only."""
