"""DES, as in pycryptodome, in the modes that Phalanx has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx import Secret, UsageError
from phalanx.compat import absent

from .block_modes import MODE_CBC, MODE_CFB, MODE_CTR, MODE_ECB, MODE_OFB, BlockCipher, KeyedName, make_block_mode

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["MODE_CBC", "MODE_CFB", "MODE_CTR", "MODE_ECB", "MODE_OFB", "block_size", "key_size", "new"]

block_size = 8
key_size = 8


def new(key: Buffer | Secret, mode: int, *args: Any, **kwargs: Any) -> BlockCipher:
    """A cipher for one message."""
    try:
        key = Secret(key)
    except Exception:
        del key  # no traceback shows it
        raise
    if len(key) != key_size:
        raise UsageError(f"Incorrect DES key length ({len(key)} bytes)")
    return make_block_mode(KeyedName("des", key, block_size), mode, args, kwargs)


if not TYPE_CHECKING:
    __getattr__ = absent.names_in(
        __name__, ("MODE_EAX", "MODE_OPENPGP"), AttributeError
    )
