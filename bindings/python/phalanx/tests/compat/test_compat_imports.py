"""What programs import beside the ciphers, what is refused in a sentence, and what becomes of mixtures."""

import importlib
import importlib.util
import subprocess
import sys
from typing import Any

import pytest

import phalanx
from phalanx.compat.Crypto.Cipher import AES, DES, DES3
from phalanx.compat.Crypto.Random import get_random_bytes
from phalanx.compat.Crypto.Random import new as new_generator
from phalanx.compat.Crypto.Util import Counter, Padding
from phalanx.compat.cryptography import exceptions
from phalanx.compat.cryptography.hazmat.backends import default_backend
from phalanx.compat.cryptography.hazmat.primitives import padding
from phalanx.compat.cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

KEY = bytes(range(32))
COMPAT = "phalanx.compat."

# Of the fallbacks of `padding` and of the names that are passed on, where the originals cannot be had.
WITHOUT_THEM = """
import sys
for name in ("cryptography", "Crypto"):
    sys.modules[name] = None
import phalanx
from phalanx.compat.cryptography.exceptions import InvalidTag
from phalanx.compat.cryptography.hazmat.backends import default_backend
from phalanx.compat.cryptography.hazmat.primitives import padding
assert default_backend().name == "phalanx" and InvalidTag.__mro__[1] is phalanx.AuthenticationError
for kind, fill in ((padding.PKCS7, b"\\x05" * 5), (padding.ANSIX923, bytes(4) + b"\\x05")):
    for cuts in ((11,), (3, 8), (0, 11, 0)):
        padder, data, padded = kind(64).padder(), b"in lockstep", b""
        for cut in cuts:
            padded += padder.update(data[:cut])
            data = data[cut:]
        padded += padder.update(data) + padder.finalize()
        assert padded == b"in lockstep" + fill, padded
        unpadder = kind(64).unpadder()
        assert unpadder.update(padded[:8]) == b"" and unpadder.update(padded[8:9]) == padded[:8]
        assert unpadder.update(padded[9:]) + unpadder.finalize() == padded[8:11]
    whole = kind(64).padder()
    assert whole.update(bytes(8)) + whole.finalize() == bytes(8) + (b"\\x08" * 8 if fill[0] else bytes(7) + b"\\x08")
    for wrong in (b"", b"1234567", bytes(8), bytes(7) + b"\\x09", b"1234567890", b"12345\\x01\\x02\\x03"):
        unpadder = kind(64).unpadder()
        try:
            unpadder.update(wrong) + unpadder.finalize()
        except ValueError:
            pass
        else:
            assert False, wrong
    try:
        whole.update(b"")
    except phalanx.compat.cryptography.exceptions.AlreadyFinalized:
        pass
for size in (0, 7, 2048):
    try:
        padding.PKCS7(size)
        assert False, size
    except ValueError:
        pass
for name, package in (("cryptography.hazmat.primitives.hashes", "cryptography"), ("Crypto.Hash", "pycryptodome")):
    try:
        __import__("phalanx.compat." + name)
        assert False, name
    except ModuleNotFoundError as error:
        assert str(error) == f"{name} is not in Phalanx: keep {package} for it"
try:
    from phalanx.compat.cryptography.exceptions import InvalidSignature
    assert False
except ImportError as error:
    assert str(error) == "InvalidSignature is not in Phalanx: keep cryptography for it"
print("done")
"""


def test_without_the_other_packages() -> None:
    finished = subprocess.run([sys.executable, "-c", WITHOUT_THEM], capture_output=True, text=True, check=False)
    assert finished.stdout == "done\n", finished.stderr


@pytest.mark.parametrize("style", ["pkcs7", "x923", "iso7816"])
def test_padding_of_pycryptodome(style: str) -> None:
    theirs = pytest.importorskip("Crypto.Util.Padding", reason="pycryptodome is not installed")
    for size in range(40):
        padded = theirs.pad(KEY[:1] * size, 16, style)
        assert Padding.pad(KEY[:1] * size, 16, style) == padded and Padding.unpad(padded, 16, style) == KEY[:1] * size
        for last in (0, 1, 2, 15, 16, 17, 128, 255):
            changed = padded[:-1] + bytes([last])
            outcomes: list[object] = []
            for module in (Padding, theirs):
                try:
                    outcomes.append(module.unpad(changed, 16, style))
                except ValueError:
                    outcomes.append("refused")
            assert outcomes[0] == outcomes[1], (size, last)
    for given in (b"", b"1234567"):
        with pytest.raises(ValueError):
            Padding.unpad(given, 16, style)
    with pytest.raises(ValueError, match="style"):
        Padding.pad(b"", 16, "iso10126")


def test_counters_and_random_bytes() -> None:
    counter = Counter.new(64, prefix=b"12345678", initial_value=7)
    sealed = AES.new(KEY, AES.MODE_CTR, counter=counter).encrypt(b"in lockstep")
    assert sealed == phalanx.Cipher("aes-256-ctr", KEY).encrypt(b"in lockstep", iv=b"12345678" + bytes(7) + b"\x07")
    for nbits, initial_value in ((7, 1), (8, 256)):
        with pytest.raises(ValueError):
            Counter.new(nbits, initial_value=initial_value)
    assert len({get_random_bytes(16), new_generator().read(16)}) == 2
    theirs = pytest.importorskip("Crypto.Util.Counter", reason="pycryptodome is not installed")
    assert dict(theirs.new(64, b"12345678", initial_value=7)) == counter


def test_backends_and_padding_of_cryptography() -> None:
    theirs = pytest.importorskip("cryptography.hazmat.primitives.padding", reason="cryptography is not installed")
    assert padding.PKCS7 is theirs.PKCS7 and padding.ANSIX923 is theirs.ANSIX923
    assert default_backend() is importlib.import_module("cryptography.hazmat.backends").default_backend()
    encryptor = Cipher(algorithms.AES(KEY), modes.CBC(bytes(16)), backend=default_backend()).encryptor()
    padder = padding.PKCS7(128).padder()
    padded = padder.update(b"in lockstep") + padder.finalize()
    sealed = encryptor.update(padded) + encryptor.finalize()
    assert sealed == phalanx.Cipher("aes-256-cbc", KEY).encrypt(b"in lockstep", iv=bytes(16), padding="pkcs7")


@pytest.mark.parametrize("name", ["AlreadyFinalized", "AlreadyUpdated", "InvalidTag", "NotYetFinalized", "UnsupportedAlgorithm"])
def test_exceptions_are_caught_as_theirs(name: str) -> None:
    theirs = pytest.importorskip("cryptography.exceptions", reason="cryptography is not installed")
    for kind in (getattr(theirs, name), getattr(exceptions, name), phalanx.Error):
        with pytest.raises(kind, match="words"):
            raise getattr(exceptions, name)("words")
    assert getattr(exceptions, "InvalidSignature") is theirs.InvalidSignature


def test_a_changed_message_raises_their_invalid_tag() -> None:
    theirs = pytest.importorskip("cryptography.exceptions", reason="cryptography is not installed")
    aead = importlib.import_module(COMPAT + "cryptography.hazmat.primitives.ciphers.aead")
    with pytest.raises(theirs.InvalidTag):
        aead.AESGCM(KEY).decrypt(bytes(12), bytes(32), None)


def test_objects_of_theirs_are_refused_in_a_sentence() -> None:
    theirs = pytest.importorskip("cryptography.hazmat.primitives.ciphers", reason="cryptography is not installed")
    wanted = r"own: import {} from phalanx\.compat\.cryptography\.hazmat\.primitives\.ciphers too"
    any_cipher: Any = Cipher
    with pytest.raises(TypeError, match="AES is cryptography's " + wanted.format("algorithms")):
        any_cipher(theirs.algorithms.AES(KEY), modes.CBC(bytes(16)))
    with pytest.raises(TypeError, match="CBC is cryptography's " + wanted.format("modes")):
        any_cipher(algorithms.AES(KEY), theirs.modes.CBC(bytes(16)))
    with pytest.raises(TypeError, match="Expected interface"):
        any_cipher(KEY, modes.CBC(bytes(16)))


@pytest.mark.parametrize(
    "line, said",
    [
        ("from {}cryptography.fernet import Fernet", "cryptography.fernet is not in Phalanx: keep cryptography for it"),
        ("from {}cryptography.hazmat.primitives import cmac", "cryptography.hazmat.primitives.cmac is not in Phalanx"),
        ("from {}cryptography.hazmat.primitives.keywrap import aes_key_wrap", "cryptography.hazmat.primitives.keywrap is not"),
        ("from {}cryptography.hazmat.primitives.ciphers.aead import AESCCM", "AESCCM is not in Phalanx: keep cryptography"),
        ("from {}cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20", "ChaCha20 is not in Phalanx: keep crypto"),
        ("from {}cryptography.hazmat.decrepit.ciphers.algorithms import ARC4", "ARC4 is not in Phalanx: keep cryptography"),
        ("from {}Crypto.Cipher import AES, ChaCha20", "Crypto.Cipher.ChaCha20 is not in Phalanx: keep pycryptodome for it"),
        ("import {}Crypto.Cipher.ARC4", "Crypto.Cipher.ARC4 is not in Phalanx: keep pycryptodome for it"),
        ("import {}Crypto.SelfTest", "Crypto.SelfTest is not in Phalanx: keep pycryptodome for it"),
    ],
)
def test_what_is_not_there_is_said(line: str, said: str) -> None:
    with pytest.raises(ImportError, match=said.replace(".", r"\.")):
        exec(line.format(COMPAT))


def test_modes_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="MODE_EAX is not in Phalanx: keep pycryptodome for it"):
        getattr(AES, "MODE_EAX")
    for module in (DES, DES3):
        assert not hasattr(module, "MODE_OPENPGP") and not hasattr(module, "MODE_GCM")
    for number, name in ((8, "CCM"), (9, "EAX"), (10, "SIV"), (12, "OCB")):
        with pytest.raises(ValueError, match=f"MODE_{name} is not in Phalanx: keep pycryptodome for it"):
            AES.new(KEY, number)
    with pytest.raises(ValueError, match="Mode not supported"):
        AES.new(KEY, 99)
    with pytest.raises(AttributeError, match="has no attribute 'Rijndael'"):
        getattr(algorithms, "Rijndael")


@pytest.mark.parametrize(
    "theirs, name",
    [
        ("cryptography.hazmat.primitives.hashes", "SHA256"),
        ("cryptography.hazmat.primitives.kdf.pbkdf2", "PBKDF2HMAC"),
        ("cryptography.hazmat.primitives.asymmetric.padding", "OAEP"),
        ("cryptography.x509", "Certificate"),
        ("Crypto.Hash.SHA256", "new"),
        ("Crypto.Protocol.KDF", "PBKDF2"),
        ("Crypto.Cipher.PKCS1_OAEP", "new"),
        ("Crypto.Util.number", "bytes_to_long"),
    ],
)
def test_what_is_no_cipher_is_theirs(theirs: str, name: str) -> None:
    original = pytest.importorskip(theirs, reason=f"{theirs.partition('.')[0]} is not installed")
    ours = importlib.import_module(COMPAT + theirs)
    assert getattr(ours, name) is getattr(original, name)
    assert original.__name__ == original.__spec__.name == theirs  # which is left as it is
    package, _, module = theirs.rpartition(".")
    assert getattr(importlib.import_module(COMPAT + package), module) is ours


def test_nothing_else_is_looked_for() -> None:
    assert importlib.util.find_spec("phalanx.nothing") is None
    assert importlib.util.find_spec("nothing_at_all") is None
    assert importlib.util.find_spec("phalanx.compat.nothing") is None
