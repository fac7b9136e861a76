"""AES, DES and DES3, as in pycryptodome."""

from . import AES, DES, DES3

__all__ = ["AES", "DES", "DES3"]
