"""PKCS7 and ANSIX923, as in `cryptography`: its own where it is installed.

>>> from phalanx.compat.cryptography.hazmat.primitives import padding
>>> padder = padding.PKCS7(128).padder()
>>> padder.update(b"in lockstep") + padder.finalize()
b'in lockstep\\x05\\x05\\x05\\x05\\x05'
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

import phalanx
from phalanx.compat import absent
from phalanx.compat.keys_and_bytes import bytes_of

from ...exceptions import AlreadyFinalized

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ANSIX923", "PKCS7", "PaddingContext"]


class PaddingContext:
    """A message by parts."""

    def __init__(self, block_bytes: int) -> None:
        self._block_bytes = block_bytes
        self._held: bytes | None = b""  # what is not given yet: None once it is over

    def _keeps(self, num_bytes: int) -> int:
        """How much of so many bytes is kept until more comes."""
        return num_bytes % self._block_bytes

    def _last(self, held: bytes) -> bytes:
        raise NotImplementedError

    def update(self, data: Buffer) -> bytes:
        """The next part, as far as it is whole blocks."""
        if self._held is None:
            raise AlreadyFinalized("Context was already finalized.")
        held = self._held + bytes_of(data, "data")
        given = len(held) - self._keeps(len(held))
        self._held = held[given:]
        return held[:given]

    def finalize(self) -> bytes:
        """Ends the message, and returns the rest."""
        if self._held is None:
            raise AlreadyFinalized("Context was already finalized.")
        held, self._held = self._held, None
        return self._last(held)


class _Padder(PaddingContext):
    def __init__(self, block_bytes: int, fill: bool) -> None:
        super().__init__(block_bytes)
        self._fill = fill  # with the padding's length, as its last byte always is; else with zeros

    def _last(self, held: bytes) -> bytes:
        return held + _padding(self._block_bytes - len(held), self._fill)


class _Unpadder(_Padder):
    def _keeps(self, num_bytes: int) -> int:
        rest = num_bytes % self._block_bytes
        return rest if rest or not num_bytes else self._block_bytes

    def _last(self, held: bytes) -> bytes:
        size = held[-1] if len(held) == self._block_bytes else 0
        padding = _padding(max(size, 1), self._fill)
        if not 1 <= size <= len(held) or not hmac.compare_digest(held[len(held) - size :], padding):
            raise phalanx.UsageError("Invalid padding bytes.")
        return held[: len(held) - size]


def _padding(size: int, fill: bool) -> bytes:
    return (bytes([size]) if fill else bytes(1)) * (size - 1) + bytes([size])


class _Padding:
    _FILL: bool

    def __init__(self, block_size: int) -> None:
        if not 8 <= block_size <= 2040 or block_size % 8:
            raise phalanx.UsageError("block_size is a multiple of 8, in bits, and at most 2040")
        self.block_size = block_size

    def padder(self) -> PaddingContext:
        """Adds padding to one message."""
        return _Padder(self.block_size // 8, self._FILL)

    def unpadder(self) -> PaddingContext:
        """Takes it off one message. Raises ValueError where it is none."""
        return _Unpadder(self.block_size // 8, self._FILL)


class PKCS7(_Padding):
    """Each byte is the padding's length (RFC 5652, section 6.3). block_size is in bits."""

    _FILL = True


class ANSIX923(_Padding):
    """Zeros, and the padding's length. block_size is in bits."""

    _FILL = False


_theirs = absent.original("cryptography.hazmat.primitives.padding")
if not TYPE_CHECKING and _theirs is not None:  # checked in constant time
    PaddingContext, PKCS7, ANSIX923 = _theirs.PaddingContext, _theirs.PKCS7, _theirs.ANSIX923
