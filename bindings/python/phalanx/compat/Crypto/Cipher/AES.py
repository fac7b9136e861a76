"""AES, as in pycryptodome, in the modes that Phalanx has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx import Secret, UsageError
from phalanx.compat import absent

from .block_modes import (
    MODE_CBC,
    MODE_CFB,
    MODE_CTR,
    MODE_ECB,
    MODE_GCM,
    MODE_OFB,
    KeyedName,
    make_mode,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["MODE_CBC", "MODE_CFB", "MODE_CTR", "MODE_ECB", "MODE_GCM", "MODE_OFB", "block_size", "key_size", "new"]

block_size = 16
key_size = (16, 24, 32)


def new(key: Buffer | Secret, mode: int, *args: Any, **kwargs: Any) -> Any:
    """A cipher for one message. use_aesni, which pycryptodome has, is taken and means nothing here."""
    try:
        key = Secret(key)
    except Exception:
        del key  # no traceback shows it
        raise
    if len(key) not in key_size:
        raise UsageError(f"Incorrect AES key length ({len(key)} bytes)")
    kwargs.pop("use_aesni", None)
    return make_mode(KeyedName(f"aes-{len(key) * 8}", key, block_size), mode, args, kwargs)


if not TYPE_CHECKING:
    __getattr__ = absent.names_in(
        __name__, ("MODE_CCM", "MODE_EAX", "MODE_KW", "MODE_KWP", "MODE_OCB", "MODE_OPENPGP", "MODE_SIV"), AttributeError
    )
