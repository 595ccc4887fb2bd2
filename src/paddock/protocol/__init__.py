"""The wire: typed messages and their two encodings, msgpack and JSON. No I/O here."""

from paddock.protocol.encoding import Encoding, decode, encode
from paddock.protocol.messages import VERSION, Message

__all__ = ["VERSION", "Encoding", "Message", "decode", "encode"]
