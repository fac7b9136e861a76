"""The exceptions of `cryptography`; each is a phalanx.Error too."""

from phalanx import AuthenticationError, Error


class AlreadyFinalized(Error):
    """A context was used after finalize."""


class AlreadyUpdated(Error):
    """Associated data came after some of the text."""


class InvalidTag(AuthenticationError):
    """A tag does not verify."""


class NotYetFinalized(Error):
    """The tag was asked for before finalize."""


class UnsupportedAlgorithm(Error):
    """A cipher in this mode is not among ours."""
