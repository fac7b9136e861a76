#!/usr/bin/env python3
"""Writes the records of libsodium and of PyCryptodome, and one of .NET's usual layout by hand, since Debian has no .NET.

usage: python_writers.py
"""

import ctypes
import ctypes.util

import Crypto
from Crypto.Cipher import AES

KEY = bytes(range(32))
PLAINTEXT = bytes((7 * i + 1) % 256 for i in range(100))
ASSOCIATED = b"page 7"


def print_record(layout, program, file, **fields):
    print(f"layout = {layout}\nprogram = {program}\ncipher = aes-256-gcm\nkey = {KEY.hex()}")
    for name, value in fields.items():
        print(f"{name} = {value.hex()}")
    print(f"file = {file.hex()}\nplaintext = {PLAINTEXT.hex()}\n")


def sodium_seal(nonce):
    sodium = ctypes.CDLL(ctypes.util.find_library("sodium"))
    assert sodium.sodium_init() >= 0 and sodium.crypto_aead_aes256gcm_is_available() == 1
    out = ctypes.create_string_buffer(len(PLAINTEXT) + 16)
    size = ctypes.c_ulonglong()
    lengths = [ctypes.c_ulonglong(len(text)) for text in (PLAINTEXT, ASSOCIATED)]
    sealed = sodium.crypto_aead_aes256gcm_encrypt(
        out, ctypes.byref(size), PLAINTEXT, lengths[0], ASSOCIATED, lengths[1], None, nonce, KEY
    )
    assert sealed == 0 and size.value == len(PLAINTEXT) + 16
    sodium.sodium_version_string.restype = ctypes.c_char_p
    return out.raw, "libsodium " + sodium.sodium_version_string().decode()


def main():
    nonce = bytes(range(0xA0, 0xAC))
    file, program = sodium_seal(nonce)
    print_record("libsodium", program, file, nonce=nonce, aad=ASSOCIATED)
    cipher = AES.new(KEY, AES.MODE_GCM, nonce=bytes(range(0xB0, 0xC0)))
    ciphertext, tag = cipher.encrypt_and_digest(PLAINTEXT)
    print_record("PyCryptodome", "PyCryptodome " + Crypto.__version__, cipher.nonce + tag + ciphertext)
    cipher = AES.new(KEY, AES.MODE_GCM, nonce=bytes(range(0xC0, 0xCC)))
    cipher.update(ASSOCIATED)
    ciphertext, tag = cipher.encrypt_and_digest(PLAINTEXT)
    program = "by hand in .NET's usual order, sealed by PyCryptodome " + Crypto.__version__
    print_record(".NET", program, cipher.nonce + tag + ciphertext, aad=ASSOCIATED)


if __name__ == "__main__":
    main()
