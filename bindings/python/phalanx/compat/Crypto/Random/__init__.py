"""get_random_bytes and new, as in pycryptodome: the operating system's generator."""

from __future__ import annotations

from os import urandom as get_random_bytes
from typing import Any

__all__ = ["get_random_bytes", "new"]


class _Generator:
    """An object to read random bytes from."""

    def read(self, n: int) -> bytes:
        """n bytes."""
        return get_random_bytes(n)

    def flush(self) -> None:
        """Does nothing, as theirs."""

    def reinit(self) -> None:
        """Does nothing, as theirs."""

    def close(self) -> None:
        """Does nothing, as theirs."""


def new(*args: Any, **kwargs: Any) -> _Generator:
    """An object to read random bytes from; the arguments mean nothing, as there."""
    return _Generator()


def atfork() -> None:
    """Does nothing, as theirs: a forked process needs no call."""
