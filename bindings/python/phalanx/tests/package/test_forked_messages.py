"""What is under way when a process is forked is its parent's: a child that went on would use a nonce, or a stream of keys, twice."""

import importlib
import inspect
import os
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

import phalanx
import phalanx.compat
from phalanx import _native
from phalanx.compat.keys_and_bytes import HoldsKey

KEY = bytes(range(32))
DATA = bytes(100)

REFUSED = "ForkError"


def in_child(run: Callable[[], object]) -> str:
    """What it returns there, or the class that it raises."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            told = repr(run())
        except BaseException as error:
            told = type(error).__name__
        os.write(writes, told.encode())
        os._exit(0)
    os.close(writes)
    with open(reads, "rb") as answer:
        told = answer.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    return told


def ctr() -> phalanx.Cipher:
    return phalanx.Cipher("aes-256-ctr", KEY)


def opener() -> phalanx.ChunkedOpener:
    return phalanx.ChunkedAead("cobblestone-256", KEY).opener()


def of_crypto(mode: str, **kwargs: Any) -> Any:
    aes = importlib.import_module("phalanx.compat.Crypto.Cipher.AES")
    return aes.new(KEY, getattr(aes, f"MODE_{mode}"), **kwargs)


def of_cryptography(mode: str, *arguments: Any) -> Any:
    ciphers = importlib.import_module("phalanx.compat.cryptography.hazmat.primitives.ciphers")
    key = KEY + bytes(32) if mode == "XTS" else KEY
    return ciphers.Cipher(ciphers.algorithms.AES(key), getattr(ciphers.modes, mode)(*arguments))


def of_cobblestone(name: str) -> Any:
    return getattr(importlib.import_module("phalanx.compat.cryptography.cobblestone"), name)


# Of each class that keeps a message's state: an object, and the calls that go on with it.
MESSAGES: dict[str, tuple[Callable[[], Any], dict[str, Callable[[Any], object]]]] = {
    "Incremental": (
        lambda: ctr().encryptor(iv=bytes(16)),
        {
            "update": lambda m: m.update(DATA),
            "update_into": lambda m: m.update_into(DATA, bytearray(100)),
            "finalize": lambda m: m.finalize(),
        },
    ),
    "ChunkedSealer": (
        lambda: phalanx.ChunkedAead("cobblestone-256", KEY).sealer(),
        {
            "update": lambda m: m.update(DATA),
            "update_into": lambda m: m.update_into(DATA, bytearray(200)),
            "finalize": lambda m: m.finalize(),
        },
    ),
    "ChunkedOpener": (opener, {"update": lambda m: m.update(DATA), "finalize": lambda m: m.finalize()}),
    "GcmStream": (
        lambda: _native.GcmStream("aes-256-gcm", KEY, bytes(12), True),
        {
            "add_associated_data": lambda m: m.add_associated_data(DATA),
            "update": lambda m: m.update(DATA),
            "update_into": lambda m: m.update_into(DATA, bytearray(100)),
            "finish": lambda m: m.finish(),
        },
    ),
    "ByteFeedback": (lambda: _native.ByteFeedback("aes-256", KEY, bytes(16), True), {"update": lambda m: m.update(DATA)}),
    "BlockCipher": (lambda: of_crypto("CFB", iv=bytes(16)), {"encrypt": lambda m: m.encrypt(DATA)}),
    "IvMode": (lambda: of_crypto("OFB", iv=bytes(16)), {"encrypt": lambda m: m.encrypt(DATA), "decrypt": lambda m: m.decrypt(DATA)}),
    "CtrMode": (lambda: of_crypto("CTR", nonce=bytes(15)), {"encrypt": lambda m: m.encrypt(bytes(16)), "wrap": lambda m: m.encrypt(bytes(3000))}),
    "AnyCounterMode": (
        lambda: of_crypto("CTR", counter=importlib.import_module("phalanx.compat.Crypto.Util.Counter").new(128, little_endian=True)),
        {"encrypt": lambda m: m.encrypt(DATA)},
    ),
    "GcmMode": (
        lambda: of_crypto("GCM", nonce=bytes(12)),
        {"encrypt": lambda m: m.encrypt(DATA), "decrypt": lambda m: m.decrypt(DATA), "digest": lambda m: m.digest()},
    ),
    "_PlainContext": (
        lambda: of_cryptography("CTR", bytes(16)).encryptor(),
        {
            "update": lambda m: m.update(DATA),
            "update_into": lambda m: m.update_into(DATA, bytearray(200)),
            "finalize": lambda m: m.finalize(),
        },
    ),
    "_DataUnit": (lambda: of_cryptography("XTS", bytes(16)).encryptor(), {"update": lambda m: m.update(DATA)}),
    "AEADEncryptionContext": (
        lambda: of_cryptography("GCM", bytes(12)).encryptor(),
        {"update": lambda m: m.update(DATA), "finalize": lambda m: m.finalize()},
    ),
    "AEADDecryptionContext": (
        lambda: of_cryptography("GCM", bytes(12), bytes(16)).decryptor(),
        {"update": lambda m: m.update(DATA), "finalize": lambda m: m.finalize()},
    ),
} | {
    f"Cobblestone{bits}{kind}": (
        lambda bits=bits, kind=kind: of_cobblestone(f"Cobblestone{bits}{kind}")(KEY[: bits // 8], b""),
        {"update": lambda m: m.update(DATA), "finalize": lambda m: m.finalize()},
    )
    for bits in (128, 256)
    for kind in ("Encryptor", "Decryptor")
}

# Those of which nothing has to be refused: each call is a message of its own, reads at any place, or only tells something.
WITHOUT_STATE = """
Aead AESGCM Cipher SectorCipher ChunkedAead Binding ContainerReader VolumeReader ForeignFormat KmsKeys ParquetKey Secret TreeIndex EngineInfo CipherFacts
KeyedName AES AES128 AES256 Serpent Twofish TripleDES CipherAlgorithm BlockCipherAlgorithm HoldsKey
SealedFile UnsealedFile ChangedRecipients CryptedInPlace FileVerification ListedRecipient InspectedFile InspectedVolume InspectedKeySlot Migrated Verified DecryptedParquet
EncryptedParquet TreeFileResult SealTreeCounts UnsealTreeCounts TreeFileMigration TreeFileFinding TreeFindingCounts TreeMigrationCounts
IndexGeneration IndexedFile TreeIndexCounts ProcessMark
""".split()
# Tested elsewhere: the files by test_processes_and_threads.py and tests/container, what uses CUDA by test_devices.py. The last are bases.
ELSEWHERE = """
ContainerWriter ForeignFileReader CmsFileReader OpenPgpFileReader BorrowedTensor DeviceMemory DeviceCipher DeviceAead DeviceChunkedAead DeviceVerdicts
CipherContext AEADCipherContext _Context _Encryptor _Decryptor
""".split()


def classes_of_all() -> set[str]:
    """The extension's, and what holds a key in phalanx.compat."""
    names = {name for name, value in vars(_native).items() if inspect.isclass(value) and not issubclass(value, BaseException)}
    for module in pkgutil.walk_packages(phalanx.compat.__path__, "phalanx.compat."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(value) and issubclass(value, HoldsKey):
                names.add(name)
    return names


def test_each_class_is_in_a_list() -> None:
    """A new one is to be put where it belongs."""
    listed = {*MESSAGES, *WITHOUT_STATE, *ELSEWHERE}
    assert classes_of_all() - listed == set()
    assert listed - classes_of_all() == set()


@pytest.mark.parametrize("name", MESSAGES)
def test_a_child_does_not_go_on_with_a_message(name: str) -> None:
    begin, calls = MESSAGES[name]
    for call in calls.values():
        message = begin()
        assert in_child(lambda message=message, call=call: call(message)) == REFUSED  # type: ignore[misc]
        try:  # the parent goes on as if nothing had been
            expected: Any = call(begin())
        except phalanx.Error as error:
            expected = type(error)
        try:
            assert call(message) == expected or name in ("ChunkedSealer",) or name.startswith("Cobblestone")
        except phalanx.Error as error:
            assert type(error) is expected


def test_a_child_goes_on_where_there_is_no_state() -> None:
    ecb = of_crypto("ECB")
    assert in_child(lambda: ecb.encrypt(bytes(16))) == repr(ecb.encrypt(bytes(16)))
    aead = phalanx.Aead("xaes-256-gcm", KEY)
    assert in_child(lambda: len(aead.seal_with_new_nonce(b"x"))) == "41"
    assert in_child(lambda: ctr().encrypt(DATA, iv=bytes(16))) == repr(ctr().encrypt(DATA, iv=bytes(16)))


def test_a_child_draws_its_own_salts() -> None:
    chunked = phalanx.ChunkedAead("cobblestone-256", KEY)
    assert in_child(lambda: chunked.seal(b"x")[:24]) != repr(chunked.seal(b"x")[:24])
