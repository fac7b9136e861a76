"""Authenticated encryption of arrays in a GPU's memory: one message, a batch of pages or records in one array, or a message
of chunked encryption.

Arrays are those of PyTorch, CuPy, JAX, Numba and others, as phalanx.devices takes them.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._native import BufferTypeError, ChunkedAead, SizeError, UsageError
from .devices import DeviceArray, DeviceBytes, Stream, bytes_in_its_library, locate, new_bytes, stream_for, stream_number

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._native import Key

_TAG_BYTES = 16  # to seal


class DeviceVerdict(enum.IntEnum):
    """The result of one message of a batch."""

    FORGED = 0  # to open: its tag does not verify
    AUTHENTIC = 1  # it was opened; or sealed; or crypted by a DeviceCipher, which authenticates nothing
    MISPLACED = 2  # offsets or lengths of the batch do not fit: none of its messages was read or written


class VerdictArray:
    """Verdicts in the GPU's memory, for kernels behind the call: cupy.asarray(verdicts.each), torch.as_tensor(verdicts.each)."""

    def __init__(self, owner: DeviceVerdicts, pointer: int, count: int, typestr: str, stream: int) -> None:
        self._owner = owner
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": (count,),
            "typestr": typestr,
            "data": (pointer, True),
            "version": 3,
            "stream": stream or 1,
        }


class DeviceVerdicts:
    """The results of a batch, in the GPU's memory until the caller reads them. One thread at a time may use it.

    It keeps the batch's arrays alive. When it goes, it waits until the work of the call is done.
    """

    def __init__(self, native: _native.DeviceVerdicts, arrays: object, stream: int) -> None:
        self._native = native
        self._arrays = arrays
        self._stream = stream

    def __len__(self) -> int:
        return self._native.num_messages

    @property
    def all_authentic(self) -> VerdictArray:
        """One 32-bit word in the GPU's memory: 1 if every message is authentic, else 0."""
        return VerdictArray(self, self._native.all_authentic, 1, "<u4", self._stream)

    @property
    def each(self) -> VerdictArray:
        """A DeviceVerdict for each message in the GPU's memory, of one byte."""
        return VerdictArray(self, self._native.each, len(self), "|u1", self._stream)

    def require(self, stream: Any = None) -> None:
        """Enqueues a kernel that traps unless all are authentic, on the call's stream where no other is given. Does not
        wait.

        After a trap nothing behind it runs on that stream, and the process can do nothing more with this GPU.
        """
        self._native.require(self._stream if stream is None else stream_number(stream))

    def read(self) -> bytes:
        """Waits, and returns a byte for each message: the number of its DeviceVerdict. Raises MachineError."""
        return self._native.read()

    def wait(self) -> None:
        """Waits for the work of the call.

        Raises AuthenticationError, whose `failed` has the numbers of the messages that are forged; UsageError for a batch
        that is misplaced; MachineError if the GPU failed.
        """
        self._native.wait()


@dataclass(frozen=True)
class DeviceBatch:
    """Many messages, as a column has them. All arguments are arrays in one GPU's memory, each in one piece.

    All messages are read from src and written to dst. Both are one array, where each message is written to its own place, or
    they are disjoint. offsets say where each message begins in src, in bytes. With lengths there is one offset a message.
    Without, there is one more, and a message ends where the next one begins. dst_offsets say where each begins in dst,
    ascending, so that none reaches into the next one. Without, each begins where it does in src. All these numbers have four
    bytes, or all have eight.

    nonces has 12 bytes a message, or 24 for XAES-256-GCM. To seal, 16 bytes a message are written to tags. To open, tags has
    the DeviceAead's tag_bytes a message. aads is the associated data of all messages, and aad_offsets has one more number
    than there are messages. Without, no message has any. keys has a key a message, which XAES-256-GCM does not take.
    Without, all have the DeviceAead's.

    For a DeviceCipher nonces are ivs, of its iv_bytes each (tweaks in XTS), and there are no tags and no aads. ECB has no
    ivs: there num_messages says how many messages there are.
    """

    src: Any
    dst: Any
    nonces: Any = None
    tags: Any = None
    offsets: Any = None
    lengths: Any = None
    dst_offsets: Any = None
    aads: Any = None
    aad_offsets: Any = None
    keys: Any = None
    num_messages: int | None = None


class BatchFields:
    """The fields of C++'s DeviceBatch as numbers. It keeps the arrays alive."""

    def __init__(self, stream: Stream) -> None:
        self.numbers: dict[str, int] = {"offset_bytes": 8}
        self.owners: list[object] = []
        self._stream = stream
        self._names_of_numbers: list[str] = []

    def place(self, field: str, array: Any, name: str, writable: bool = False) -> int:
        """Takes an array, and returns its size in bytes: 0 where none is given."""
        self.numbers[field] = 0
        if array is None:
            return 0
        place = on_gpu(array, name, self._stream, writable)
        self.numbers[field] = place.pointer
        self.owners.append(place.owner)
        return place.num_bytes

    def place_items(self, field: str, array: Any, name: str, item_bytes: int, count: int, writable: bool = False) -> None:
        """Takes an array of so many items of so many bytes."""
        num_bytes = self.place(field, array, name, writable)
        if array is not None and num_bytes != count * item_bytes:
            raise SizeError(f"{name} has {num_bytes} bytes, and {count} times {item_bytes} are needed")

    def place_numbers(self, field: str, array: Any, name: str, count: int) -> None:
        """Takes an array of so many offsets or lengths."""
        num_bytes = self.place(field, array, name)
        if array is None:
            return
        item_bytes = num_bytes // count if count != 0 else 8
        if item_bytes not in (4, 8) or num_bytes != count * item_bytes:
            raise SizeError(f"{name} has {num_bytes} bytes, and {count} numbers of four or eight are needed")
        if self._names_of_numbers and self.numbers["offset_bytes"] != item_bytes:
            raise SizeError(f"{name} has numbers of {item_bytes} bytes, and {self._names_of_numbers[0]} of another size")
        self.numbers["offset_bytes"] = item_bytes
        self._names_of_numbers.append(name)


def on_gpu(array: Any, name: str, stream: Stream, writable: bool = False) -> DeviceBytes:
    place = locate(array, name, stream, writable)
    if not isinstance(place, DeviceBytes):
        raise BufferTypeError(f"{name} is in the host's memory: give an array of the GPU, or take an Aead")
    return place


def batch_fields(batch: DeviceBatch, sizes: BatchSizes, stream: Stream) -> BatchFields:
    fields = BatchFields(stream)
    nonce_bytes = fields.place("nonces", batch.nonces, "nonces")
    if sizes.nonce_bytes == 0:
        if batch.num_messages is None:
            raise UsageError("messages without ivs are not counted by these: give num_messages")
        count = batch.num_messages
    else:
        count = nonce_bytes // sizes.nonce_bytes
    if nonce_bytes != count * sizes.nonce_bytes:
        raise SizeError(f"nonces has {nonce_bytes} bytes, and each message has {sizes.nonce_bytes}")
    if batch.num_messages not in (None, count):
        raise SizeError(f"nonces has those of {count} messages, and num_messages is {batch.num_messages}")
    fields.numbers["num_messages"] = count
    fields.numbers["in_bytes"] = fields.place("in", batch.src, "src")
    fields.numbers["out_bytes"] = fields.place("out", batch.dst, "dst", writable=True)
    fields.place_items("tags", batch.tags, "tags", sizes.tag_bytes, count, writable=sizes.writes_tags)
    fields.place_items("keys", batch.keys, "keys", sizes.key_bytes, count)
    fields.place_numbers("in_offsets", batch.offsets, "offsets", count if batch.lengths is not None else count + 1)
    fields.place_numbers("lengths", batch.lengths, "lengths", count)
    fields.place_numbers("out_offsets", batch.dst_offsets, "dst_offsets", count)
    fields.numbers["associated_bytes"] = fields.place("associated_data", batch.aads, "aads")
    fields.place_numbers("associated_offsets", batch.aad_offsets, "aad_offsets", count + 1)
    return fields


class BatchSizes(NamedTuple):
    """The sizes in bytes that each message of a batch has."""

    nonce_bytes: int
    key_bytes: int
    tag_bytes: int
    writes_tags: bool


class DeviceAead:
    """GCM or XAES-256-GCM under one key over arrays in a GPU's memory, on the caller's stream.

    name, key and tag_bytes are as for Aead. engine is "cuda" or "cuda:0". Nonces have nonce_bytes; never use one twice under
    a key to seal. Arrays lie in one piece; at multiples of 16 bytes they are faster.

    Tags come first: if one does not verify, no plaintext is written. Its place is filled with zeros, or stays as it is,
    where the call works in place. The GPU reads a ciphertext twice, for its tag and then for its text, so nothing else may
    write to it during the call. It is neither pickled nor copied. Any number of threads may use one at once.
    """

    def __init__(self, name: str, key: Key, engine: str = "cuda", tag_bytes: int = 16) -> None:
        self._native = _native.DeviceAead.make(name, key, engine, tag_bytes)

    @property
    def name(self) -> str:
        """The canonical name, cipher-mode."""
        return self._native.name

    @property
    def engine(self) -> str:
        """The engine that runs it: "cuda:0"."""
        return self._native.engine

    @property
    def key_bytes(self) -> int:
        """The key's size in bytes."""
        return self._native.key_bytes

    @property
    def nonce_bytes(self) -> int:
        """The nonce's size in bytes: 12, or 24 for XAES-256-GCM."""
        return self._native.nonce_bytes

    @property
    def tag_bytes(self) -> int:
        """The tag's size in bytes."""
        return self._native.tag_bytes

    def __repr__(self) -> str:
        return f"DeviceAead('{self.name}', engine='{self.engine}')"

    def seal(self, nonce: Buffer, data: Any, aad: Buffer | None = None, *, stream: Any = None) -> Any:
        """Encrypts an array, and returns a new one of its library, of bytes: ciphertext || tag. Does not wait.

        nonce and aad are buffers of the host. Raises BufferTypeError, StrideError, UsageError, PolicyError.
        """
        ours = stream_for(data, stream)
        source = on_gpu(data, "data", ours)
        result = new_bytes(data, source.num_bytes + _TAG_BYTES, source)
        target = on_gpu(result, "the result", ours, writable=True)
        tag = target.pointer + source.num_bytes
        self._native.seal(nonce, aad, source.pointer, target.pointer, source.num_bytes, tag, ours.number)
        return _given_back(data, result, ours)

    def open(self, nonce: Buffer, sealed: Any, aad: Buffer | None = None, *, stream: Any = None) -> Any:
        """Verifies ciphertext || tag and aad, waits, and returns the plaintext as a new array of bytes.

        Raises AuthenticationError where the tag does not verify, SizeError for less than a tag, and what seal raises.
        """
        ours = stream_for(sealed, stream)
        source = on_gpu(sealed, "sealed", ours)
        num_bytes = source.num_bytes - self.tag_bytes
        if num_bytes < 0:
            raise SizeError(f"a sealed message ends with a tag of {self.tag_bytes} bytes, and this has {source.num_bytes}")
        result = new_bytes(sealed, num_bytes, source)
        target = on_gpu(result, "the result", ours, writable=True)
        tag = source.pointer + num_bytes
        self._native.open(nonce, aad, source.pointer, target.pointer, num_bytes, tag, ours.number).wait()
        return _given_back(sealed, result, ours)

    def seal_into(self, nonce: Buffer, src: Any, dst: Any, tag: Any, aad: Buffer | None = None, *, stream: Any = None) -> int:
        """Encrypts src into dst, writes the tag into tag, and returns how many bytes of dst are written. Does not wait.

        dst has src's size or more, and is src's memory, from its beginning on, or disjoint from it. tag is an array of 16 bytes that
        overlaps neither. Raises SizeError, ReadOnlyError, and what seal raises.
        """
        ours = stream_for(src, stream)
        source, target = on_gpu(src, "src", ours), on_gpu(dst, "dst", ours, writable=True)
        place = on_gpu(tag, "tag", ours, writable=True)
        _check_sizes(source, target, place, _TAG_BYTES)
        self._native.seal(nonce, aad, source.pointer, target.pointer, source.num_bytes, place.pointer, ours.number)
        return source.num_bytes

    def open_into(self, nonce: Buffer, src: Any, dst: Any, tag: Any, aad: Buffer | None = None, *, stream: Any = None) -> int:
        """Verifies src, aad and tag, decrypts src into dst, waits, and returns how many bytes of dst were written.

        Raises AuthenticationError where the tag does not verify, and what seal_into raises.
        """
        ours = stream_for(src, stream)
        source, target = on_gpu(src, "src", ours), on_gpu(dst, "dst", ours, writable=True)
        place = on_gpu(tag, "tag", ours)
        _check_sizes(source, target, place, self.tag_bytes)
        verdicts = self._native.open(nonce, aad, source.pointer, target.pointer, source.num_bytes, place.pointer, ours.number)
        verdicts.wait()
        return source.num_bytes

    def seal_batch(self, batch: DeviceBatch, *, stream: Any = None) -> None:
        """Seals many messages, and waits. Raises UsageError for offsets that do not fit: then nothing is written."""
        self.seal_batch_async(batch, stream=stream).wait()

    def open_batch(self, batch: DeviceBatch, *, stream: Any = None) -> None:
        """Opens many messages, and waits. Raises AuthenticationError, whose attribute failed has the numbers of those that are
        forged (the others are opened), and what seal_batch raises."""
        self.open_batch_async(batch, stream=stream).wait()

    def seal_batch_async(self, batch: DeviceBatch, *, stream: Any = None) -> DeviceVerdicts:
        """Seals many messages without waiting."""
        return self._crypt_batch(batch, True, stream)

    def open_batch_async(self, batch: DeviceBatch, *, stream: Any = None) -> DeviceVerdicts:
        """Opens many messages without waiting: nothing in dst counts before the verdicts were asked."""
        return self._crypt_batch(batch, False, stream)

    def _crypt_batch(self, batch: DeviceBatch, seals: bool, stream: Any) -> DeviceVerdicts:
        ours = stream_for(batch.src, stream)
        sizes = BatchSizes(self.nonce_bytes, self.key_bytes, _TAG_BYTES if seals else self.tag_bytes, seals)
        fields = batch_fields(batch, sizes, ours)
        verdicts = self._native.crypt_batch(seals, fields.numbers, ours.number)
        return DeviceVerdicts(verdicts, fields.owners, ours.number)


class DeviceChunkedAead:
    """C2SP chunked encryption under one key and context over arrays in a GPU's memory, on the caller's stream.

    name, key and context are as for ChunkedAead, which makes and opens the same messages and computes their sizes. engine is
    "cuda" or "cuda:0". Arrays lie in one piece. All calls wait: each message has keys of its own, which the host derives.

    Tags come first: no plaintext is written before all chunks have verified. The GPU reads a message twice, so nothing else
    may write to it during the call. It is neither pickled nor copied. Any number of threads may use one at once. Raises
    UsageError.
    """

    def __init__(self, name: str, key: Key, context: Buffer = b"", engine: str = "cuda") -> None:
        self._native = _native.DeviceChunkedAead.make(name, key, context, engine)

    @property
    def name(self) -> str:
        """The canonical name: "cobblestone-128"."""
        return self._native.name

    @property
    def engine(self) -> str:
        """What runs it: "cuda:0"."""
        return self._native.engine

    def __repr__(self) -> str:
        return f"DeviceChunkedAead('{self.name}', engine='{self.engine}')"

    def seal(self, data: Any, *, stream: Any = None) -> Any:
        """Returns the message that holds an array, as a new array of bytes of its library.

        Raises BufferTypeError, StrideError, UsageError.
        """
        ours = stream_for(data, stream)
        source = on_gpu(data, "data", ours)
        result = new_bytes(data, ChunkedAead.sealed_bytes(source.num_bytes), source)
        target = on_gpu(result, "the result", ours, writable=True)
        self._native.seal(source.pointer, source.num_bytes, target.pointer, ours.number)
        return _given_back(data, result, ours)

    def open(self, sealed: Any, *, stream: Any = None) -> Any:
        """Returns what a message holds, all of which is authentic, as a new array of bytes.

        Raises WrongKeyError where key, context or name is another; AuthenticationError, which names the first chunk that is not
        authentic; TruncatedError for a size that no message has; and what seal raises.
        """
        ours = stream_for(sealed, stream)
        source = on_gpu(sealed, "sealed", ours)
        result = new_bytes(sealed, ChunkedAead.plain_bytes(source.num_bytes), source)
        target = on_gpu(result, "the result", ours, writable=True)
        self._native.open(source.pointer, source.num_bytes, target.pointer, ours.number)
        return _given_back(sealed, result, ours)

    def seal_into(self, src: Any, dst: Any, *, stream: Any = None) -> int:
        """As seal, into an array that is disjoint from src; returns how many bytes were written.

        Raises SizeError, ReadOnlyError, and what seal raises.
        """
        ours = stream_for(src, stream)
        source, target = on_gpu(src, "src", ours), on_gpu(dst, "dst", ours, writable=True)
        num_bytes = ChunkedAead.sealed_bytes(source.num_bytes)
        _check_room(target, num_bytes)
        self._native.seal(source.pointer, source.num_bytes, target.pointer, ours.number)
        return num_bytes

    def open_into(self, src: Any, dst: Any, *, stream: Any = None) -> int:
        """As open, into an array that is disjoint from src; returns how many bytes were written.

        Where a chunk is not authentic dst gets zeros. Raises SizeError, ReadOnlyError, and what open raises.
        """
        ours = stream_for(src, stream)
        source, target = on_gpu(src, "src", ours), on_gpu(dst, "dst", ours, writable=True)
        num_bytes = ChunkedAead.plain_bytes(source.num_bytes)
        _check_room(target, num_bytes)
        self._native.open(source.pointer, source.num_bytes, target.pointer, ours.number)
        return num_bytes


def _check_room(target: DeviceBytes, num_bytes: int) -> None:
    if target.num_bytes < num_bytes:
        raise SizeError(f"the target has {target.num_bytes} bytes, and {num_bytes} are to be written")


def _check_sizes(source: DeviceBytes, target: DeviceBytes, tag: DeviceBytes, tag_bytes: int) -> None:
    _check_room(target, source.num_bytes)
    if tag.num_bytes != tag_bytes:
        raise SizeError(f"the tag has {tag_bytes} bytes, and this has {tag.num_bytes}")


def _given_back(array: Any, result: Any, stream: Stream) -> Any:
    """The result in the array's library."""
    if isinstance(result, DeviceArray):
        result.note_work(stream.number)
    return bytes_in_its_library(array, result)
