"""Checks the names of arguments that functions take as keywords and hand on. An unknown name is refused in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import _native

_SECRETS = ("key", "passphrase", "key_file", "passphrase_file")
_ENGINE = ("engine", "threads", "binding")
OPENING = (*_SECRETS, "identity", "identity_file", *_ENGINE)
SEALING = (*_SECRETS, "recipient", "recipient_file", *_ENGINE, "suite", "scrypt_log_n")
IN_PLACE = ("sector_bytes", "first_tweak", "tweak_step", "allow_unmarked", "any_device", "engine", "threads")


def check_names(function: str, given: Mapping[str, object], names: Sequence[str]) -> None:
    """Raises TypeError, which says what may be meant."""
    for name in given:
        if name not in names:
            raise TypeError(_native.name_refusal(function, name, names))
