"""How batches and sectors of a bare cipher reach the library, without a GPU."""

import types
from typing import Any

import pytest

import phalanx
from phalanx import _native
from phalanx.device_aead import DeviceBatch
from phalanx.device_cipher import DeviceCipher
from phalanx.tests.package.test_device_aead import KEY, NONCE, Interface, Verdicts, batch_of_three


class CipherLibrary:
    """In the place of the library's DeviceCipher."""

    name, engine, key_bytes = "aes-256-xts", "cuda:0", 64

    def __init__(self, iv_bytes: int) -> None:
        self.iv_bytes = iv_bytes
        self.calls: list[Any] = []

    def crypt_batch(self, *call: Any) -> Verdicts:
        self.calls.append(call)
        return Verdicts()

    def crypt_sectors(self, *call: Any) -> None:
        self.calls.append(call)


def device_cipher(monkeypatch: pytest.MonkeyPatch, iv_bytes: int) -> tuple[DeviceCipher, list[Any]]:
    library = CipherLibrary(iv_bytes)
    monkeypatch.setattr(_native, "DeviceCipher", types.SimpleNamespace(make=lambda *_: library))
    monkeypatch.setattr(_native, "device_of", lambda pointer: 0)
    return DeviceCipher("aes-256-xts", KEY + NONCE), library.calls


def test_batches_and_sectors_of_a_cipher_reach_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls = device_cipher(monkeypatch, 16)
    made.decrypt_batch(batch_of_three(nonces=Interface(0x3000, 48), tags=None, keys=Interface(0xA000, 192)), stream=9)
    encrypts, fields, stream = calls[0]
    assert (encrypts, stream, fields["num_messages"], fields["keys"], fields["tags"]) == (False, 9, 3, 0xA000, 0)
    with pytest.raises(phalanx.SizeError, match="tags has 48 bytes, and 3 times 0"):
        made.encrypt_batch(batch_of_three(nonces=Interface(0x3000, 48)))
    arrays = (Interface(0x1000, 1000), Interface(0x2000, 1024))
    assert made.encrypt_sectors(*arrays, first_tweak=5, tweak_step=8, stream=7) == 1000
    assert calls[1] == (True, 0x1000, 0x2000, 1000, 512, 5, 8, 0, 7)
    assert made.decrypt_sectors(*arrays, numbers=Interface(0x7000, 16, typestr="<u8")) == 1000
    assert calls[2] == (False, 0x1000, 0x2000, 1000, 512, 0, 1, 0x7000, 0)
    with pytest.raises(phalanx.SizeError, match="numbers has 24 bytes, and 2 times 8"):
        made.decrypt_sectors(*arrays, numbers=Interface(0x7000, 24, typestr="<u8"))
    with pytest.raises(phalanx.SizeError, match="the target has 999"):
        made.encrypt_sectors(arrays[0], Interface(0x2000, 999))


def test_messages_without_ivs_are_counted_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls = device_cipher(monkeypatch, 0)
    src, dst, offsets = Interface(0x1000, 100), Interface(0x2000, 120), Interface(0x5000, 16, typestr="<i4")
    made.encrypt_batch(DeviceBatch(src=src, dst=dst, offsets=offsets, num_messages=3))
    assert calls[0][1]["num_messages"] == 3
    with pytest.raises(phalanx.UsageError, match="give num_messages"):
        made.encrypt_batch(DeviceBatch(src=src, dst=dst, offsets=offsets))
