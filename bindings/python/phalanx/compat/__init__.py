"""Has the names of other packages over Phalanx, so that a program moves by its imports. docs/python.md has a list, and what
differs.

Hashes, key derivation and RSA of these packages are theirs, under these names too where they are installed. Ciphers and
modes that Phalanx does not have are refused in a sentence, and never come from elsewhere.
"""

from . import absent

absent.begin()
