"""The same by us, by `cryptography` and by pycryptodome, over what Hypothesis thinks of."""

import pytest

hypothesis = pytest.importorskip("hypothesis", reason="Hypothesis is not installed")
pytest.importorskip("cryptography", reason="cryptography is not installed")
pytest.importorskip("Crypto", reason="pycryptodome is not installed")

import warnings
from typing import Any

from Crypto.Cipher import AES as TheirAES
from Crypto.Cipher import DES as TheirDES
from Crypto.Cipher import DES3 as TheirDES3
from cryptography.hazmat.decrepit.ciphers import algorithms as their_old_algorithms
from cryptography.hazmat.decrepit.ciphers import modes as their_old_modes
from cryptography.hazmat.primitives import ciphers as their_ciphers
from cryptography.hazmat.primitives.ciphers import Cipher as TheirCipher
from cryptography.hazmat.primitives.ciphers import aead as their_aead
from cryptography.hazmat.primitives.ciphers import algorithms as their_algorithms
from cryptography.hazmat.primitives.ciphers import modes as their_modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM as TheirAESGCM
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import phalanx
from phalanx.compat.Crypto.Cipher import AES, DES, DES3
from phalanx.compat.cryptography import AESGCM, Cipher, algorithms, modes
from phalanx.compat.cryptography.hazmat.primitives import ciphers
from phalanx.compat.cryptography.hazmat.primitives.ciphers import aead

OTHER_ALGORITHMS = {"ARC4", "Blowfish", "CAST5", "Camellia", "ChaCha20", "IDEA", "SEED", "SM4"}
OTHER_AEADS = {"AESCCM", "AESGCMSIV", "AESOCB3", "AESSIV", "ChaCha20Poly1305"}


def classes_in(module: Any) -> set[str]:
    return {name for name, value in vars(module).items() if isinstance(value, type) and not name.startswith("_")}


def test_the_names_of_cryptography_are_here() -> None:
    """All but those of ciphers that we do not have, and methods too."""
    assert set(their_ciphers.__all__) == set(ciphers.__all__) - {"algorithms", "modes"}
    assert classes_in(their_modes) <= classes_in(modes)
    assert classes_in(their_aead) - classes_in(aead) == OTHER_AEADS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert classes_in(their_algorithms) - classes_in(algorithms) <= OTHER_ALGORITHMS
    pairs: list[tuple[Any, Any]] = [(getattr(their_modes, name), getattr(modes, name)) for name in ("CBC", "CTR", "XTS", "GCM")]
    for theirs, ours in [*pairs, (TheirAESGCM, AESGCM), (TheirCipher, Cipher), (their_algorithms.AES, algorithms.AES)]:
        assert set(filter(lambda name: not name.startswith("_"), dir(theirs))) <= set(dir(ours))


# A busy machine is no mistake.
EXAMPLES = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CUTS = st.lists(st.integers(0, 200), max_size=4)


def bytes_of(*sizes: int) -> st.SearchStrategy[bytes]:
    return st.sampled_from(sizes).flatmap(lambda size: st.binary(min_size=size, max_size=size))


def in_parts(update: Any, data: bytes, cuts: list[int]) -> bytes:
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return b"".join(update(data[a:b]) for a, b in zip(places, places[1:]))


def their_mode(name: str, start: bytes) -> Any:
    if name == "ECB":
        return their_modes.ECB()
    return getattr(their_old_modes if name in ("OFB", "CFB", "CFB8") else their_modes, name)(start)


def run_context(context: Any, data: bytes, cuts: list[int]) -> bytes:
    return in_parts(context.update, data, cuts) + bytes(context.finalize())


@EXAMPLES
@given(
    family=st.sampled_from(["AES", "TripleDES"]),
    mode=st.sampled_from(["ECB", "CBC", "CTR", "OFB", "CFB", "CFB8"]),
    key=bytes_of(16, 24, 32),
    start=st.binary(min_size=16, max_size=16),
    data=st.binary(max_size=600),
    cuts=CUTS,
)
def test_contexts(family: str, mode: str, key: bytes, start: bytes, data: bytes, cuts: list[int]) -> None:
    block = 16
    their_family: Any = their_algorithms.AES
    if family == "TripleDES":
        key, start, block, their_family = (key + key)[:24], start[:8], 8, their_old_algorithms.TripleDES
        if mode == "CTR":
            mode = "CBC"  # they have no CTR of 3DES
    if mode in ("ECB", "CBC"):
        data = data[: len(data) // block * block]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = TheirCipher(their_family(key), their_mode(mode, start))
    our_mode: Any = modes.ECB() if mode == "ECB" else getattr(modes, mode)(start)
    ours = Cipher(getattr(algorithms, family)(key), our_mode)
    sealed = run_context(ours.encryptor(), data, cuts)
    assert sealed == run_context(theirs.encryptor(), data, [])
    assert run_context(ours.decryptor(), sealed, cuts[::-1]) == data
    target = bytearray(len(data) + block - 1)
    context = ours.encryptor()
    assert bytes(target[: context.update_into(data, target)]) + context.finalize() == sealed


@EXAMPLES
@given(
    module=st.sampled_from([(AES, TheirAES, 32), (DES, TheirDES, 8), (DES3, TheirDES3, 24)]),
    mode=st.sampled_from(["ECB", "CBC", "CFB", "OFB", "CTR"]),
    key=st.binary(min_size=32, max_size=32),
    start=st.binary(min_size=16, max_size=16),
    data=st.binary(max_size=600),
    cuts=CUTS,
    whole_segments=st.booleans(),
)
def test_modules(
    module: Any, mode: str, key: bytes, start: bytes, data: bytes, cuts: list[int], whole_segments: bool
) -> None:
    ours, theirs, size = module
    block = ours.block_size
    arguments: dict[str, Any] = {"iv": start[:block]}
    if mode == "ECB":
        arguments = {}
    elif mode == "CTR":
        arguments = {"nonce": start[: block - 2], "initial_value": start[block - 2 : block]}
    elif mode == "CFB" and whole_segments:
        arguments["segment_size"] = 8 * block
    if mode in ("ECB", "CBC") or "segment_size" in arguments:
        data, cuts = data[: len(data) // block * block], [cut // block * block for cut in cuts]
    key, number = key[:size], getattr(ours, f"MODE_{mode}")
    try:
        their_object = theirs.new(key, number, **arguments)
    except ValueError:
        with pytest.raises(ValueError):  # keys that make 3DES single DES
            ours.new(key, number, **arguments)
        return
    sealed = in_parts(ours.new(key, number, **arguments).encrypt, data, cuts)
    assert sealed == their_object.encrypt(data)
    assert in_parts(ours.new(key, number, **arguments).decrypt, sealed, cuts[::-1]) == data


@EXAMPLES
@given(
    key=bytes_of(16, 24, 32),
    nonce=st.binary(min_size=8, max_size=64),
    data=st.binary(max_size=600),
    aad=st.binary(max_size=100),
    cuts=CUTS,
)
def test_gcm(key: bytes, nonce: bytes, data: bytes, aad: bytes, cuts: list[int]) -> None:
    sealed = TheirAESGCM(key).encrypt(nonce, data, aad)
    assert AESGCM(key).encrypt(nonce, data, aad) == sealed
    assert AESGCM(key).decrypt(nonce, sealed, aad) == data
    target, theirs_target, plain = bytearray(len(sealed)), bytearray(len(sealed)), bytearray(len(data))
    count = AESGCM(key).encrypt_into(nonce, data, aad, target)
    assert count == TheirAESGCM(key).encrypt_into(nonce, data, aad, theirs_target)
    assert target == theirs_target == sealed
    assert AESGCM(key).decrypt_into(nonce, sealed, aad, plain) == len(data)
    assert plain == data
    encryptor = Cipher(algorithms.AES(key), modes.GCM(nonce)).encryptor()
    encryptor.authenticate_additional_data(aad)
    assert run_context(encryptor, data, cuts) + encryptor.tag == sealed
    decryptor = Cipher(algorithms.AES(key), modes.GCM(nonce, sealed[-16:])).decryptor()
    decryptor.authenticate_additional_data(aad)
    assert run_context(decryptor, sealed[:-16], cuts) == data
    theirs = TheirAES.new(key, TheirAES.MODE_GCM, nonce=nonce).update(aad)
    ours = AES.new(key, AES.MODE_GCM, nonce=nonce).update(aad)
    assert ours.encrypt_and_digest(data) == theirs.encrypt_and_digest(data)


@EXAMPLES
@given(key=bytes_of(32, 64), tweak=st.binary(min_size=16, max_size=16), data=st.binary(min_size=16, max_size=600))
def test_xts(key: bytes, tweak: bytes, data: bytes) -> None:
    if key[: len(key) // 2] == key[len(key) // 2 :]:  # which both refuse, to encrypt
        with pytest.raises(ValueError):
            TheirCipher(their_algorithms.AES(key), their_modes.XTS(tweak)).encryptor()
        with pytest.raises(ValueError):
            Cipher(algorithms.AES(key), modes.XTS(tweak)).encryptor()
        return
    theirs = TheirCipher(their_algorithms.AES(key), their_modes.XTS(tweak)).encryptor()
    ours = Cipher(algorithms.AES(key), modes.XTS(tweak))
    sealed = run_context(ours.encryptor(), data, [])
    assert sealed == run_context(theirs, data, [])
    assert run_context(ours.decryptor(), sealed, []) == data


@EXAMPLES
@given(messages=st.lists(st.tuples(st.binary(min_size=32, max_size=32), st.binary(max_size=300)), max_size=20))
def test_batches(messages: list[tuple[bytes, bytes]]) -> None:
    """Each message under a key of its own, with PKCS #7, against pycryptodome one by one."""
    from Crypto.Util.Padding import pad

    keys, ivs = [start[:24] for start, _ in messages], [start[24:] for start, _ in messages]
    plain = [data for _, data in messages]
    cipher = phalanx.Cipher("des-ede3-cbc", bytes(range(24)), allow_legacy=True)
    sealed = cipher.encrypt_many(plain, ivs, keys, padding="pkcs7")
    for key, iv, data, ours in zip(keys, ivs, plain, sealed):
        try:
            theirs = TheirDES3.new(key, TheirDES3.MODE_CBC, iv=iv)
        except ValueError:
            continue  # a key that makes it single DES
        assert ours == theirs.encrypt(pad(data, 8))
    assert cipher.decrypt_many(sealed, ivs, keys, padding="pkcs7") == plain
