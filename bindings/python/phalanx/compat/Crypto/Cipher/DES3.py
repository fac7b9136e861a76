"""Triple DES, as in pycryptodome, in the modes that Phalanx has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx import Secret, UsageError
from phalanx._native import is_single_des
from phalanx.compat import absent

from .block_modes import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB, BlockCipher, KeyedName, make_block_mode

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "MODE_CBC",
    "MODE_CFB",
    "MODE_CTR",
    "MODE_ECB",
    "MODE_OFB",
    "adjust_key_parity",
    "block_size",
    "key_size",
    "new",
]

block_size = 8
key_size = (16, 24)


def adjust_key_parity(key_in: Buffer) -> bytes:
    """The key with an odd number of bits in each byte. Raises ValueError for keys that make it single DES."""
    try:
        _cipher_name(Secret(key_in))
        return bytes(map(_with_parity, memoryview(key_in).cast("B")))
    except Exception:
        del key_in  # no traceback shows it
        raise


def _with_parity(byte: int) -> int:
    return byte & 0xFE | (1 - (byte >> 1).bit_count() % 2)


def _cipher_name(key: Secret) -> str:
    if len(key) not in key_size:
        raise UsageError("Not a valid TDES key")
    name = "des-ede" if len(key) == 16 else "des-ede3"
    if is_single_des(key):
        raise UsageError("Triple DES key degenerates to single DES")
    return name


def new(key: Buffer | Secret, mode: int, *args: Any, **kwargs: Any) -> BlockCipher:
    """A cipher for one message. Raises ValueError for keys that make it single DES."""
    try:
        key = Secret(key)
    except Exception:
        del key  # no traceback shows it
        raise
    return make_block_mode(KeyedName(_cipher_name(key), key, block_size), mode, args, kwargs)


if not TYPE_CHECKING:
    __getattr__ = absent.names_in(
        __name__, ("MODE_EAX", "MODE_OPENPGP"), AttributeError
    )
