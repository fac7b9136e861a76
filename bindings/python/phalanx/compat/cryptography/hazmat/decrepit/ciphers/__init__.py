"""What `cryptography` has moved out of its `primitives`."""

from . import algorithms, modes

__all__ = ["algorithms", "modes"]
