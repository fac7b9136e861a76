"""Cipher, algorithms and modes: as in `cryptography`."""

from . import algorithms, modes
from .contexts import AEADDecryptionContext, AEADEncryptionContext, Cipher, CipherContext

__all__ = ["AEADDecryptionContext", "AEADEncryptionContext", "Cipher", "CipherContext", "algorithms", "modes"]
