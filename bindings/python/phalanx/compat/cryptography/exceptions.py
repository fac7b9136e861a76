"""The exceptions of `cryptography`; each is a phalanx.Error too, and theirs as well where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phalanx import AuthenticationError, Error
from phalanx.compat import absent

if TYPE_CHECKING:
    from builtins import Exception as _AlreadyFinalized
    from builtins import Exception as _AlreadyUpdated
    from builtins import Exception as _InvalidTag
    from builtins import Exception as _NotYetFinalized
    from builtins import Exception as _UnsupportedAlgorithm
else:
    _theirs = absent.original("cryptography.exceptions")
    _AlreadyFinalized, _AlreadyUpdated, _InvalidTag, _NotYetFinalized, _UnsupportedAlgorithm = (
        getattr(_theirs, name, Exception)
        for name in ("AlreadyFinalized", "AlreadyUpdated", "InvalidTag", "NotYetFinalized", "UnsupportedAlgorithm")
    )


class AlreadyFinalized(Error, _AlreadyFinalized):
    """A context was used after finalize."""


class AlreadyUpdated(Error, _AlreadyUpdated):
    """Associated data came after some of the text."""


class InvalidTag(AuthenticationError, _InvalidTag):
    """A tag does not verify."""


class NotYetFinalized(Error, _NotYetFinalized):
    """The tag was asked for before finalize."""


class UnsupportedAlgorithm(Error, _UnsupportedAlgorithm):
    """A cipher in this mode is not among ours."""


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Those of what has no cipher in it are theirs."""
        if name in ("InternalError", "InvalidKey", "InvalidSignature"):
            if _theirs is not None:
                return getattr(_theirs, name)
            raise ImportError(absent.sentence(f"cryptography.exceptions.{name}", name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
