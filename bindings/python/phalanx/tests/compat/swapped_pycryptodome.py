"""A plugin of pytest for pycryptodome's own tests: what they import as AES, DES and DES3 is phalanx.compat's."""

import sys

import Crypto.Cipher

from phalanx.compat.Crypto.Cipher import AES, DES, DES3

for name, module in (("AES", AES), ("DES", DES), ("DES3", DES3)):
    sys.modules[f"Crypto.Cipher.{name}"] = module
    setattr(Crypto.Cipher, name, module)
# test_AES takes its vectors a second time where this is set, which says that AES instructions are used.
setattr(AES, "_raw_aes_hw", True)
