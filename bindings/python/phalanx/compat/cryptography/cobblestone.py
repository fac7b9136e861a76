"""Cobblestone-128 and Cobblestone-256 (C2SP chunked encryption), as in `cryptography` 50.

>>> from phalanx.compat.cryptography.cobblestone import Cobblestone256Decryptor, Cobblestone256Encryptor
>>> key = Cobblestone256Encryptor.generate_key()
>>> encryptor = Cobblestone256Encryptor(key, b"context")
>>> sealed = encryptor.update(b"in lockstep") + encryptor.finalize()
>>> decryptor = Cobblestone256Decryptor(key, b"context")
>>> decryptor.update(sealed) + decryptor.finalize()
b'in lockstep'
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar, final

import phalanx
from phalanx.compat.keys_and_bytes import HoldsKey

from .exceptions import AlreadyFinalized, InvalidTag

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Cobblestone128Decryptor",
    "Cobblestone128Encryptor",
    "Cobblestone256Decryptor",
    "Cobblestone256Encryptor",
]

_FAILURES = (phalanx.AuthenticationError, phalanx.TruncatedError, phalanx.WrongKeyError)


def _refusal(given: Any, name: str, writable: bool = False) -> phalanx.Error | None:
    """Why it is not taken, as it is not there: bytes in C's order, and nothing else. Returned, so that no traceback shows a key."""
    try:
        view: memoryview | None = memoryview(given)
    except (TypeError, ValueError):
        view = None
    if view is None or view.ndim == 0 or view.format not in ("B", "c"):
        return phalanx.BufferTypeError(f"{name} must be bytes-like, and is of type {type(given).__name__}")
    if writable and view.readonly:
        return phalanx.BufferTypeError(f"{name} must be writable")
    if not view.c_contiguous:
        return phalanx.StrideError(f"{name} is not in one piece")
    return None


def _require_bytes(given: Any, name: str, writable: bool = False) -> None:
    refusal = _refusal(given, name, writable)
    if refusal is not None:
        raise refusal


class _Context(HoldsKey):
    """A message by parts."""

    _NAME: ClassVar[str]
    _KEY_BYTES: ClassVar[int]
    _stream: phalanx.ChunkedSealer | phalanx.ChunkedOpener | None

    def __init__(self, key: Buffer | phalanx.Secret, context: Buffer) -> None:
        refusal = None if isinstance(key, phalanx.Secret) else _refusal(key, "key")
        if refusal is not None:
            del key  # no traceback shows it
            raise refusal
        key = phalanx.Secret(key)
        _require_bytes(context, "context")
        if len(key) != self._KEY_BYTES:
            raise phalanx.UsageError(f"key must be {self._KEY_BYTES} bytes.")
        self._stream = self._begin(phalanx.ChunkedAead(self._NAME, key, context))

    @staticmethod
    def _begin(chunked: phalanx.ChunkedAead) -> phalanx.ChunkedSealer | phalanx.ChunkedOpener:
        raise NotImplementedError

    def _open_stream(self) -> phalanx.ChunkedSealer | phalanx.ChunkedOpener:
        if self._stream is None:
            raise AlreadyFinalized("Context was already finalized.")
        return self._stream

    def update(self, data: Buffer) -> bytes:
        """What the next part gives: whole chunks."""
        _require_bytes(data, "data")
        return self._open_stream().update(data)

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        """The same into buf; returns how many bytes."""
        _require_bytes(data, "data")
        _require_bytes(buf, "buf", writable=True)
        try:
            return self._open_stream().update_into(data, buf)
        except phalanx.OverlapError:  # which is taken there
            return self._open_stream().update_into(memoryview(data).tobytes(), buf)

    def finalize(self) -> bytes:
        """Ends the message, and returns the rest."""
        stream, self._stream = self._open_stream(), None
        return stream.finalize()


class _Encryptor(_Context):
    @staticmethod
    def _begin(chunked: phalanx.ChunkedAead) -> phalanx.ChunkedSealer:
        return chunked.sealer()

    @classmethod
    def generate_key(cls) -> bytes:
        return os.urandom(cls._KEY_BYTES)


class _Decryptor(_Context):
    """Gives what is verified alone. InvalidTag is all that it says of a message that does not open, and nothing follows it."""

    @staticmethod
    def _begin(chunked: phalanx.ChunkedAead) -> phalanx.ChunkedOpener:
        return chunked.opener()

    def _fail(self, error: phalanx.Error) -> InvalidTag:
        self._stream = None
        return InvalidTag(str(error))

    def update(self, data: Buffer) -> bytes:
        try:
            return super().update(data)
        except _FAILURES as error:
            raise self._fail(error) from None

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        try:
            return super().update_into(data, buf)
        except _FAILURES as error:
            raise self._fail(error) from None

    def finalize(self) -> bytes:
        try:
            return super().finalize()
        except _FAILURES as error:
            raise self._fail(error) from None


@final
class Cobblestone128Encryptor(_Encryptor):
    """Encrypts a message under a key of 16 bytes and a context, any bytes."""

    _NAME, _KEY_BYTES = "cobblestone-128", 16


@final
class Cobblestone128Decryptor(_Decryptor):
    """Decrypts a message under a key of 16 bytes and the context that it was encrypted under."""

    _NAME, _KEY_BYTES = "cobblestone-128", 16


@final
class Cobblestone256Encryptor(_Encryptor):
    """Encrypts a message under a key of 32 bytes and a context, any bytes."""

    _NAME, _KEY_BYTES = "cobblestone-256", 32


@final
class Cobblestone256Decryptor(_Decryptor):
    """Decrypts a message under a key of 32 bytes and the context that it was encrypted under."""

    _NAME, _KEY_BYTES = "cobblestone-256", 32
