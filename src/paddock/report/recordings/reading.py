"""RecordingFile: reads the messages of an MCAP file; of a truncated file, all complete chunks."""

from __future__ import annotations

import mmap
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from paddock.core.errors import PaddockError
from paddock.core.files import find_unpacked_limit, refuse_special_file
from paddock.core.reason import explain_os_error
from paddock.core.user_code import explain_error
from paddock.report.recordings.mcap_file import MAGIC, MESSAGE, MESSAGE_INDEX, import_mcap

RECORD = struct.Struct("<BQ")  # opcode and length
PAIR = struct.Struct("<QQ")  # of an index: time and offset
MESSAGE_HEAD = struct.Struct("<H4xQ")  # channel and time
SCHEMA, CHANNEL, CHUNK, DATA_END = 0x03, 0x04, 0x06, 0x0F
CHUNKS_KEPT = 8  # uncompressed chunks in memory
T = TypeVar("T")


class MessagePlace(NamedTuple):
    """Location of a message in a file."""

    time: int  # [ns]
    chunk: int
    offset: int  # in the uncompressed chunk
    channel: int


def unpack_chunk(chunk: Any) -> bytes:
    """Return the messages of a chunk; refuse one that would fill the memory, whatever size it declares."""
    size, limit = chunk.uncompressed_size, find_unpacked_limit(len(chunk.data))
    if size > limit:
        raise ValueError(f"a chunk of {len(chunk.data)} bytes declares {size >> 20} MB")
    if chunk.compression == "lz4":
        import lz4.frame

        data = lz4.frame.LZ4FrameDecompressor().decompress(chunk.data, max_length=size + 1)
    elif chunk.compression == "zstd":
        import zstandard

        data = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(chunk.data).read(size + 1)
    elif chunk.compression == "":
        data = chunk.data
    else:
        raise ValueError(f"unknown compression {chunk.compression!r}")
    if len(data) != size:
        raise ValueError(f"a chunk has {len(data)} bytes, not {size} as declared")
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise ValueError("a chunk has another checksum (crc) than declared")
    return bytes(data)


class RecordingFile:
    """Messages of a file by topic. A damaged or missing end is not an error: all complete chunks before it are read."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._mcap = import_mcap()
        refuse_special_file(self.path)
        try:
            with self.path.open("rb") as file:
                self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            why = explain_os_error(error) if isinstance(error, OSError) else "it is empty"
            raise PaddockError(f"{self.path}: cannot be read: {why}") from None
        if self._data[: len(MAGIC)] != MAGIC:
            raise PaddockError(f"{self.path}: expected a recording (an MCAP file)")
        self.topics: dict[int, str] = {}  # by channel
        self.schemas: dict[int, str] = {}  # by channel
        self._indices: list[tuple[int, int, int, int]] = []  # start, end, chunk and channel of each index
        self.has_ended = False  # all messages are complete
        self._chunks: list[int] = []  # start offsets
        self._last_places: list[MessagePlace] = []  # in the last chunk of a truncated file
        self.read_chunk = lru_cache(CHUNKS_KEPT)(self._read_chunk)
        self.places = lru_cache(None)(self._places)
        self._scan()
        self.is_whole = self.has_ended and self._data[-len(MAGIC) :] == MAGIC  # with the summary after the messages
        if self._chunks and not self.has_ended:
            self._index_last_chunk()
        self._check_channels()

    def _scan(self) -> None:
        names: dict[int, str] = {}
        for opcode, start, end in self._records():
            if opcode not in (MESSAGE_INDEX, CHUNK, SCHEMA, CHANNEL, DATA_END):
                continue
            if opcode == DATA_END:
                self.has_ended = True
                break
            with self._report_damage(start):
                if opcode == MESSAGE_INDEX:
                    (number,) = struct.unpack_from("<H", self._data, start)
                    self._indices.append((start + 6, end, len(self._chunks) - 1, number))
                elif opcode == CHUNK:
                    self._chunks.append(start)
                elif opcode == SCHEMA:
                    schema = self._parse(self._mcap.records.Schema, start, end)
                    names[schema.id] = schema.name
                else:
                    channel = self._parse(self._mcap.records.Channel, start, end)
                    self.topics[channel.id] = channel.topic
                    self.schemas[channel.id] = names.get(channel.schema_id, "")

    def _index_last_chunk(self) -> None:
        """Index the last chunk, because some of the indices after it may be missing."""
        last = len(self._chunks) - 1
        self._indices = [index for index in self._indices if index[2] < last]
        try:
            chunk, at = self.read_chunk(last), 0
        except PaddockError:  # its end was not written, although the file has its full length
            self._chunks.pop()
            return
        while at < len(chunk):
            opcode, length = RECORD.unpack_from(chunk, at)
            if opcode == MESSAGE:
                channel, time = MESSAGE_HEAD.unpack_from(chunk, at + RECORD.size)
                self._last_places.append(MessagePlace(time, last, at, channel))
            at += RECORD.size + length

    def _check_channels(self) -> None:
        """Refuse messages of unknown channels, because missing messages would change the replay."""
        for start, _, _, channel in self._indices:
            if channel not in self.topics:
                raise PaddockError(f"{self.path}: damaged at byte {start}: unknown channel {channel}")

    @contextmanager
    def _report_damage(self, at: int) -> Iterator[None]:
        """Report any exception as damage near a byte, because damaged data can fail in any way."""
        try:
            yield
        except PaddockError:
            raise
        except Exception as error:
            raise PaddockError(f"{self.path}: damaged at byte {at}: {explain_error(error)}") from error

    def _records(self) -> Iterator[tuple[int, int, int]]:
        """Yield opcode, start and end of the content of each complete record."""
        at, size = len(MAGIC), len(self._data)
        while at + RECORD.size <= size:
            opcode, length = RECORD.unpack_from(self._data, at)
            start, at = at + RECORD.size, at + RECORD.size + length
            if at > size:
                return
            yield opcode, start, at

    def _parse(self, kind: Any, start: int, end: int) -> Any:
        import io

        from mcap.data_stream import ReadDataStream

        return kind.read(ReadDataStream(io.BytesIO(self._data[start:end])))

    def _places(self, topic: str) -> tuple[MessagePlace, ...]:
        """Return the locations of the messages of a topic, in file order; empty for an unknown topic."""
        channels = {channel for channel, name in self.topics.items() if name == topic}
        found = []
        for start, end, chunk, channel in self._indices:
            if channel in channels:
                with self._report_damage(start):
                    pairs = PAIR.iter_unpack(self._data[start:end])
                    found += [MessagePlace(time, chunk, at, channel) for time, at in pairs]
        return (*found, *(place for place in self._last_places if place.channel in channels))

    def _read_chunk(self, number: int) -> bytes:
        start = self._chunks[number]
        length = struct.unpack_from("<Q", self._data, start - 8)[0]
        with self._report_damage(start):
            chunk = self._parse(self._mcap.records.Chunk, start, start + length)
            return unpack_chunk(chunk)

    def read(self, place: MessagePlace) -> bytes:
        """Return the content of a message."""
        chunk = self.read_chunk(place.chunk)
        with self._report_damage(self._chunks[place.chunk]):
            opcode, length = RECORD.unpack_from(chunk, place.offset)
            start = place.offset + RECORD.size
            if (opcode, *MESSAGE_HEAD.unpack_from(chunk, start)) != (MESSAGE, place.channel, place.time):
                raise ValueError("its index refers to a message that does not exist")
            return chunk[start + 22 : start + length]

    def decode(self, place: MessagePlace, decoder: Callable[[bytes], T]) -> T:
        """Read and decode a message."""
        data = self.read(place)
        with self._report_damage(self._chunks[place.chunk]):
            return decoder(data)
