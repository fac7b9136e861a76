"""AESGCM, as in `cryptography`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import phalanx
from phalanx.compat import absent
from phalanx.compat.keys_and_bytes import HoldsKey

from ....exceptions import InvalidTag

if TYPE_CHECKING:
    from typing_extensions import Buffer


_TAG_BYTES = 16


class AESGCM(HoldsKey):
    """AES-GCM with tags of 16 bytes behind the ciphertext."""

    def __init__(self, key: Buffer | phalanx.Secret) -> None:
        try:
            key = phalanx.Secret(key)
        except Exception:
            del key  # no traceback shows it
            raise
        if len(key) not in (16, 24, 32):
            raise phalanx.UsageError("AESGCM key must be 128, 192, or 256 bits.")
        self._aead = phalanx.Aead(f"aes-{len(key) * 8}-gcm", key, any_nonce_size=True)

    @classmethod
    def generate_key(cls, bit_length: int) -> bytes:
        if bit_length not in (128, 192, 256):
            raise phalanx.UsageError("bit_length must be 128, 192, or 256")
        return os.urandom(bit_length // 8)

    def encrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None) -> bytes:
        _check_nonce(nonce)
        return self._aead.seal(nonce, data, associated_data)

    def encrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer) -> int:
        """buf has the size of data and a tag."""
        _check_nonce(nonce)
        size = memoryview(data).nbytes
        target = _sized(buf, size + _TAG_BYTES)
        return self._aead.seal_into(nonce, data, target[:size], target[size:], associated_data) + _TAG_BYTES

    def decrypt(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None) -> bytes:
        _check_nonce(nonce)
        try:
            return self._aead.open(nonce, data, associated_data)
        except (phalanx.AuthenticationError, phalanx.TruncatedError) as error:
            raise InvalidTag(str(error)) from None

    def decrypt_into(self, nonce: Buffer, data: Buffer, associated_data: Buffer | None, buf: Buffer) -> int:
        """buf has the size of data without its tag, and stays as it is where the tag does not fit."""
        _check_nonce(nonce)
        sealed = memoryview(data).cast("B")
        size = sealed.nbytes - _TAG_BYTES
        if size < 0:
            raise InvalidTag("the data is shorter than a tag")
        target = _sized(buf, size)
        try:
            return self._aead.open_into(nonce, sealed[:size], target, sealed[size:], associated_data)
        except phalanx.AuthenticationError as error:
            raise InvalidTag(str(error)) from None


def _sized(buf: Buffer, size: int) -> memoryview:
    target = memoryview(buf).cast("B")
    if target.nbytes != size:
        raise phalanx.SizeError(f"buffer must be {size} bytes")
    return target


def _check_nonce(nonce: Buffer) -> None:
    if not 8 <= memoryview(nonce).nbytes <= 128:
        raise phalanx.UsageError("Nonce must be between 8 and 128 bytes")


if not TYPE_CHECKING:
    __getattr__ = absent.names_in(__name__, ("AESCCM", "AESGCMSIV", "AESOCB3", "AESSIV", "ChaCha20Poly1305"))
