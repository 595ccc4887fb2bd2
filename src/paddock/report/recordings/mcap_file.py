"""McapFile: writes an MCAP file in chunks, each with its index, so that a killed process loses only the last chunk.

The `mcap` package encodes records; this module assembles the chunks, because messages come as whole arrays.
"""

from __future__ import annotations

import struct
import zlib
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paddock.core.errors import PaddockError
from paddock.core.packages import import_package
from paddock.core.reason import explain_os_error
from paddock.report.recordings.protobuf import Part
from paddock.report.recordings.schemas import schema_data

MAGIC = b"\x89MCAP0\r\n"
MESSAGE, MESSAGE_INDEX = 0x05, 0x07
MESSAGE_HEAD = struct.Struct("<BQHIQQ")  # opcode, length, channel, sequence, log time, publish time
Ints = NDArray[np.int64]


def import_mcap() -> Any:
    """Import the `mcap` package, which the extra `record` installs."""
    import_package("mcap.stream_reader", "a recording", extra="record")
    import mcap.records
    import mcap.stream_reader

    return mcap


class Chunk:
    """Messages that are written together."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self.index: dict[int, list[tuple[Ints, Ints]]] = defaultdict(list)  # by channel: times [ns] and offsets

    def add(self, channel: int, time: int, data: bytes) -> None:
        """Add a message; times are in nanoseconds."""
        self._append(channel, MESSAGE_HEAD.pack(MESSAGE, 22 + len(data), channel, 0, time, time) + data, [time], 1)

    def add_rows(self, channel: int, times: Ints, rows: NDArray[np.void]) -> None:
        """Add messages of equal length, which begin with a `message_head`."""
        rows["channel"], rows["times"] = channel, times[:, None]
        self._append(channel, rows.tobytes(), times, len(rows))

    def _append(self, channel: int, data: bytes, times: Any, count: int) -> None:
        offsets = self.size + np.arange(count) * (len(data) // count)
        self.index[channel].append((np.asarray(times, np.int64), offsets))
        self.parts.append(data)
        self.size += len(data)


def message_head(size: int) -> tuple[Part, ...]:
    """Return the header of a message of `size` bytes, as parts of a FixedLayout."""
    return struct.pack("<BQ", MESSAGE, 22 + size), ("channel", "<u2"), bytes(4), ("times", "<u8", 2)


class McapFile:
    """An MCAP file that is being written."""

    def __init__(self, path: Path, library: str) -> None:
        self._records = import_mcap().records
        self.path = path
        self._schemas: dict[str, Any] = {}
        self._channels: dict[tuple[str, str], Any] = {}  # by topic and schema
        self._chunks: list[Any] = []  # their entries in the summary
        self._counts: dict[int, int] = defaultdict(int)  # messages by channel
        self.end = 0  # bytes written
        self._waiting = MAGIC + self._encode(self._records.Header(profile="", library=library))  # for the next write
        try:
            if path.is_file():
                path.resolve().unlink()  # programs that have the old file open can still read it
            self._file = path.open("wb", buffering=0)
        except OSError as error:
            raise PaddockError(f"{path}: cannot be written: {explain_os_error(error)}") from None

    def channel(self, topic: str, schema: str, data: bytes | None = None) -> int:
        """Return the channel number of a topic; a new one is written before the next chunk. `data`: a custom schema."""
        if (topic, schema) not in self._channels:
            if schema not in self._schemas:
                data = schema_data(schema) if data is None else data
                record = self._records.Schema(id=len(self._schemas) + 1, name=schema, encoding="protobuf", data=data)
                self._schemas[schema] = record
                self._waiting += self._encode(record)
            channel = self._records.Channel(
                id=len(self._channels) + 1,
                topic=topic,
                message_encoding="protobuf",
                metadata={},
                schema_id=self._schemas[schema].id,
            )
            self._channels[topic, schema] = channel
            self._waiting += self._encode(channel)
        return int(self._channels[topic, schema].id)

    def write_chunk(self, chunk: Chunk) -> None:
        """Write a chunk and its index."""
        if not chunk.size:
            return
        import lz4.frame

        data = b"".join(chunk.parts)
        times = np.concatenate([times for parts in chunk.index.values() for times, _ in parts])
        record = self._records.Chunk(
            compression="lz4",  # half the time of zstd, for a quarter more bytes
            data=lz4.frame.compress(data),
            message_start_time=int(times.min()),
            message_end_time=int(times.max()),
            uncompressed_crc=zlib.crc32(data),
            uncompressed_size=len(data),
        )
        start, encoded = self.end + len(self._waiting), self._encode(record)
        indices, offsets = [], {}
        at = start + len(encoded)
        for channel, parts in chunk.index.items():
            pairs = np.concatenate([np.stack(part, axis=1) for part in parts]).astype("<u8").tobytes()
            index = struct.pack("<BQHI", MESSAGE_INDEX, 6 + len(pairs), channel, len(pairs)) + pairs
            offsets[channel] = at
            self._counts[channel] += len(pairs) // 16
            indices.append(index)
            at += len(index)
        self._write(encoded + b"".join(indices))
        self._chunks.append(
            self._records.ChunkIndex(
                chunk_start_offset=start,
                chunk_length=len(encoded),
                compression=record.compression,
                compressed_size=len(record.data),
                uncompressed_size=record.uncompressed_size,
                message_start_time=record.message_start_time,
                message_end_time=record.message_end_time,
                message_index_length=at - start - len(encoded),
                message_index_offsets=offsets,
            )
        )

    def close(self) -> None:
        """Write the summary, with which readers find messages quickly, and close the file."""
        if self._file.closed:
            return
        self._write(self._encode(self._records.DataEnd(data_section_crc=0)))
        start, summary, offsets = self.end, b"", b""
        groups = (list(self._schemas.values()), list(self._channels.values()), [self._statistics()], self._chunks)
        for group in groups:
            data = b"".join(self._encode(record) for record in group)
            if data:
                offset = self._records.SummaryOffset(
                    group_opcode=data[0], group_start=start + len(summary), group_length=len(data)
                )
                offsets += self._encode(offset)
                summary += data
        footer = self._encode(
            self._records.Footer(summary_start=start, summary_offset_start=start + len(summary), summary_crc=0)
        )
        self._write(summary + offsets + footer + MAGIC)
        self._file.close()

    def abandon(self) -> None:
        """Close the file without a summary, unless it was closed before."""
        with suppress(OSError):  # the error was already reported
            self._file.close()

    def _statistics(self) -> Any:
        return self._records.Statistics(
            attachment_count=0,
            metadata_count=0,
            channel_count=len(self._channels),
            schema_count=len(self._schemas),
            chunk_count=len(self._chunks),
            message_count=sum(self._counts.values()),
            channel_message_counts=dict(self._counts),
            message_start_time=min((chunk.message_start_time for chunk in self._chunks), default=0),
            message_end_time=max((chunk.message_end_time for chunk in self._chunks), default=0),
        )

    def _encode(self, record: Any) -> bytes:
        from mcap.data_stream import RecordBuilder

        builder = RecordBuilder()
        record.write(builder)
        data: bytes = builder.end()  # type: ignore[no-untyped-call]
        return data

    def _write(self, data: bytes) -> None:
        """Write pending records, and then `data`."""
        view = memoryview(self._waiting + data)
        self._waiting = b""
        self.end += len(view)
        while len(view):
            view = view[self._file.write(view) :]
