"""GCM over Serpent and Twofish by libgcrypt, with the interface of `cryptography`'s AESGCM, for read_container.py."""

import ctypes

from cryptography.exceptions import InvalidTag

import read_container

SERPENT256, TWOFISH, MODE_GCM = 306, 10, 9  # GCRY_CIPHER_...

_library = ctypes.CDLL("libgcrypt.so.20")
_library.gcry_check_version(None)
_size = ctypes.c_size_t


def _check(error):
    if error != 0:
        raise InvalidTag


class _GcryptGcm:
    def __init__(self, key):
        self._key = key

    def _start(self, nonce):
        handle = ctypes.c_void_p()
        _check(_library.gcry_cipher_open(ctypes.byref(handle), self._cipher, MODE_GCM, 0))
        _check(_library.gcry_cipher_setkey(handle, self._key, _size(len(self._key))))
        _check(_library.gcry_cipher_setiv(handle, nonce, _size(len(nonce))))
        return handle

    def encrypt(self, nonce, data, _associated_data):
        handle = self._start(nonce)
        out, tag = ctypes.create_string_buffer(len(data) + 1), ctypes.create_string_buffer(16)
        _check(_library.gcry_cipher_encrypt(handle, out, _size(len(data)), data, _size(len(data))))
        _check(_library.gcry_cipher_gettag(handle, tag, _size(16)))
        _library.gcry_cipher_close(handle)
        return out.raw[: len(data)] + tag.raw

    def decrypt(self, nonce, data, _associated_data):
        handle = self._start(nonce)
        size = len(data) - 16
        out = ctypes.create_string_buffer(size + 1)
        _check(_library.gcry_cipher_decrypt(handle, out, _size(size), data[:size], _size(size)))
        error = _library.gcry_cipher_checktag(handle, data[size:], _size(16))
        _library.gcry_cipher_close(handle)
        _check(error)
        return out.raw[:size]


class SerpentGcm(_GcryptGcm):
    _cipher = SERPENT256


class TwofishGcm(_GcryptGcm):
    _cipher = TWOFISH


read_container.aead_of["PHALANX_SERPENT_256_GCM"] = SerpentGcm
read_container.aead_of["PHALANX_TWOFISH_256_GCM"] = TwofishGcm
