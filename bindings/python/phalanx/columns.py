"""Columns as tables have them: texts that stand for bytes."""

import base64
import binascii
from collections.abc import Iterable
from typing import Any

from . import _native


def _decoded(text: Any) -> bytes | None:
    if _native.is_missing(text):
        return None
    if hasattr(text, "as_py"):  # a value of pyarrow
        text = text.as_py()
    try:
        return base64.b64decode("".join(text.split()) if isinstance(text, str) else b"".join(bytes(memoryview(text)).split()), validate=True)
    except (binascii.Error, ValueError):  # ValueError: a character that is not ASCII
        return None


def decode_base64(texts: Iterable[Any], *, strict: bool = False) -> list[bytes | None]:
    """Decodes a column of base64 texts, and returns a list of what they stand for: messages for decrypt_many.

    texts is a list, or a column of pandas, pyarrow or NumPy; a text is a str, or ASCII as bytes. Spaces and line ends in it are
    passed over. What is missing gives None: None, NA and NaN of pandas, nulls of pyarrow. So does what is no base64, since one
    broken row should not stop a column: count those that are None and were not missing. With strict, what is no base64 raises
    UsageError, which names the rows by their places. Raises TypeError for a value of another type.

    >>> import phalanx
    >>> phalanx.decode_base64(["b25l", None, float("nan"), "no base64!"])
    [b'one', None, None, None]
    """
    rows = list(texts)
    decoded = [_decoded(text) for text in rows]
    if strict:
        broken = [place for place, message in enumerate(decoded) if message is None and not _native.is_missing(rows[place])]
        if broken:
            more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
            raise _native.UsageError(f"no base64: texts[{'], texts['.join(map(str, broken[:3]))}]{more}")
    return decoded
