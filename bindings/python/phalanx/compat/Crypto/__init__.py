"""The names of pycryptodome for the ciphers that Phalanx has: a program moves by its imports.

>>> from phalanx.compat.Crypto.Cipher import DES3
>>> cipher = DES3.new(bytes(range(24)), DES3.MODE_CBC, iv=bytes(8))
>>> cipher.encrypt(b"sixteen letters.").hex()
'ad0c83f156297bbec46209caf406831c'
"""
