"""new, as in pycryptodome: what a cipher in CTR takes as its counter."""

from __future__ import annotations

from typing import Any

from phalanx import UsageError

__all__ = ["new"]


def new(
    nbits: int,
    prefix: bytes = b"",
    suffix: bytes = b"",
    initial_value: int = 1,
    little_endian: bool = False,
    allow_wraparound: bool = False,
) -> dict[str, Any]:
    """A counter of nbits bits between prefix and suffix. One with a suffix, or little-endian, is much slower than others.

    allow_wraparound means nothing, as in pycryptodome.
    """
    if nbits % 8:
        raise UsageError("'nbits' must be a multiple of 8")
    if initial_value.bit_length() > nbits:
        raise UsageError(f"the initial value takes {initial_value.bit_length()} bits, and the counter has {nbits}")
    return {
        "counter_len": nbits // 8,
        "prefix": prefix,
        "suffix": suffix,
        "initial_value": initial_value,
        "little_endian": little_endian,
    }
