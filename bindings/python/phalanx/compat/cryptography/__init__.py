"""The names of `cryptography` for the ciphers that Phalanx has: a program moves by its imports.

>>> from phalanx.compat.cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
>>> encryptor = Cipher(algorithms.AES(bytes(32)), modes.CTR(bytes(16))).encryptor()
>>> (encryptor.update(b"in lockstep") + encryptor.finalize()).hex()
'b5fbe014cd23e2fad92dd2'
"""

from .exceptions import AlreadyFinalized, AlreadyUpdated, InvalidTag, NotYetFinalized, UnsupportedAlgorithm
from .hazmat.primitives.ciphers import Cipher, algorithms, modes
from .hazmat.primitives.ciphers.aead import AESGCM

__all__ = [
    "AESGCM",
    "AlreadyFinalized",
    "AlreadyUpdated",
    "Cipher",
    "InvalidTag",
    "NotYetFinalized",
    "UnsupportedAlgorithm",
    "algorithms",
    "modes",
]
