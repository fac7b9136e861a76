"""The names of other packages over Phalanx, so that a program moves by its imports: docs/python.md has a list, and what differs.

What the packages have besides block ciphers (hashes, key derivation, RSA) is theirs, under these names too where they are
installed; ciphers and modes that Phalanx has not are refused in a sentence, and never come from elsewhere.
"""

from . import absent

absent.begin()
