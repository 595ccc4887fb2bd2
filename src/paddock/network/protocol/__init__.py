"""The network protocol: typed messages and their two encodings, msgpack and JSON. This package does no I/O."""

from paddock.network.protocol.encoding import Encoding, MessageDecoder, encode
from paddock.network.protocol.message_base import MINOR, VERSION, Message

__all__ = ["MINOR", "VERSION", "Encoding", "Message", "MessageDecoder", "encode"]
