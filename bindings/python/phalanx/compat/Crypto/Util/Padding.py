"""pad and unpad, as in pycryptodome.

>>> from phalanx.compat.Crypto.Util.Padding import pad, unpad
>>> pad(b"in lockstep", 16)
b'in lockstep\\x05\\x05\\x05\\x05\\x05'
>>> unpad(pad(b"in lockstep", 16, "iso7816"), 16, "iso7816")
b'in lockstep'
"""

from __future__ import annotations

from phalanx import UsageError

__all__ = ["pad", "unpad"]

_STYLES = ("pkcs7", "x923", "iso7816")


def _padding(size: int, style: str | None) -> bytes:
    if style not in _STYLES:
        raise UsageError("Unknown padding style")
    if style == "iso7816":
        return b"\x80" + bytes(size - 1)
    return (bytes([size]) if style == "pkcs7" else bytes(1)) * (size - 1) + bytes([size])


def pad(data_to_pad: bytes, block_size: int, style: str | None = "pkcs7") -> bytes:
    """Adds 1 to block_size bytes, so that whole blocks come out. style is "pkcs7", "x923" or "iso7816"."""
    return data_to_pad + _padding(block_size - len(data_to_pad) % block_size, style)


def unpad(padded_data: bytes, block_size: int, style: str | None = "pkcs7") -> bytes:
    """Takes off what pad added. Raises ValueError where it is none. Its time depends on the data, as theirs does."""
    if not padded_data:
        raise UsageError("Zero-length input cannot be unpadded")
    if len(padded_data) % block_size:
        raise UsageError("Input data is not padded")
    size = len(padded_data) - padded_data.rfind(b"\x80") if style == "iso7816" else padded_data[-1]
    if not 1 <= size <= min(block_size, len(padded_data)) or padded_data[-size:] != _padding(size, style):
        raise UsageError("Padding is incorrect.")
    return padded_data[:-size]
