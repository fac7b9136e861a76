"""default_backend, which programs written for older versions of `cryptography` give to each Cipher. It means nothing here."""

from __future__ import annotations

from typing import Any

from phalanx.compat import absent


class _Backend:
    """What stands for OpenSSL where `cryptography` is not installed."""

    name = "phalanx"


_BACKEND = _Backend()


def default_backend() -> Any:
    """Theirs where `cryptography` is installed, so that what is theirs takes it as well."""
    theirs = absent.original("cryptography.hazmat.backends")
    return _BACKEND if theirs is None else theirs.default_backend()
