"""The NIST files that the package cryptography-vectors carries, by a reader of our own: every cipher and mode that we share.

nist_counts.txt says for each file how many cases it has and how many of them we leave out, and both are asserted: nothing
passes by being skipped.
"""

import pathlib
from collections.abc import Callable, Iterator

import pytest

import phalanx
from phalanx import _native

Case = dict[str, str]
Check = Callable[[Case], bool]

HERE = pathlib.Path(__file__).parent
VERSION = "50.0.2"  # whose files were counted


def folder() -> pathlib.Path:
    package = pytest.importorskip("cryptography_vectors", reason="cryptography-vectors is not installed")
    if package.__version__ != VERSION:
        pytest.skip(f"the files of cryptography-vectors {VERSION} were counted, and {package.__version__} is installed")
    return pathlib.Path(package.__file__).parent / "ciphers"


def cases(path: pathlib.Path) -> Iterator[Case]:
    """Lines NAME = VALUE, a blank line behind each case; [NAME] or [NAME = VALUE] hold until they are said anew."""
    around: Case = {}
    case: Case = {}
    for line in [*path.read_text().splitlines(), ""]:
        name, _, value = (part.strip() for part in line.strip("[]").partition("="))
        if line.startswith("["):
            around[name if "=" in line else "direction"] = value or name
        elif not line.strip() and len(case) > 1:
            yield around | case
            case = {}
        elif line.strip() and not line.startswith("#"):
            case[name.upper()] = value


def key_of(case: Case) -> bytes:
    """3DES files have one DES key for all three places, or three of them."""
    if "KEYS" in case:
        return bytes.fromhex(case["KEYS"]) * 3
    if "KEY1" in case:
        return bytes.fromhex(case["KEY1"] + case["KEY2"] + case["KEY3"])
    return bytes.fromhex(case["KEY"])


def name_of(family: str, key: bytes, mode: str) -> str:
    if family == "3DES":
        return f"des-ede3-{mode}"
    return f"aes-{len(key) * 8 // (2 if mode == 'xts' else 1)}-{mode}"


def check_message(family: str, mode: str, case: Case) -> bool:
    """Both directions of every case."""
    key, iv = key_of(case), bytes.fromhex(case.get("IV", ""))
    plaintext, ciphertext = bytes.fromhex(case["PLAINTEXT"]), bytes.fromhex(case["CIPHERTEXT"])
    if mode == "cfb8":
        cipher = name_of(family, key, "ecb").removesuffix("-ecb")
        assert _native.ByteFeedback(cipher, key, iv, True).update(plaintext) == ciphertext
        assert _native.ByteFeedback(cipher, key, iv, False).update(ciphertext) == plaintext
        return True
    keyed = phalanx.Cipher(name_of(family, key, mode), key, allow_legacy=True)
    assert keyed.encrypt(plaintext, iv=iv or None, padding="none") == ciphertext
    assert keyed.decrypt(ciphertext, iv=iv or None, padding="none") == plaintext
    return True


def check_data_unit(case: Case) -> bool:
    if int(case["DATAUNITLEN"]) % 8 != 0:
        return False  # we take whole bytes
    key = key_of(case)
    number = case.get("DATAUNITSEQNUMBER")
    tweak = bytes.fromhex(case["I"]) if number is None else int(number).to_bytes(16, "little")
    plaintext, ciphertext = bytes.fromhex(case["PT"]), bytes.fromhex(case["CT"])
    keyed = phalanx.Cipher(name_of("AES", key, "xts"), key)
    if key[: len(key) // 2] != key[len(key) // 2 :]:  # else it is decrypted only
        assert keyed.encrypt(plaintext, iv=tweak) == ciphertext
    assert keyed.decrypt(ciphertext, iv=tweak) == plaintext
    return True


def check_sealed(case: Case) -> bool:
    """With the tags of 12 to 16 bytes that Aead has; the shorter ones are GcmStream's, which phalanx.compat has."""
    key, iv, aad = (bytes.fromhex(case[name]) for name in ("KEY", "IV", "AAD"))
    ciphertext, tag = bytes.fromhex(case["CT"]), bytes.fromhex(case["TAG"])
    name = name_of("AES", key, "gcm")
    plaintext = None if "FAIL" in case else bytes.fromhex(case["PT"])
    if len(tag) < 12:
        stream = _native.GcmStream(name, key, iv, False)
        stream.add_associated_data(aad)
        opened = stream.update(ciphertext)
        assert (opened if stream.finish()[: len(tag)] == tag else None) == plaintext
        return True
    aead = phalanx.Aead(name, key, tag_bytes=len(tag), any_nonce_size=True)
    if plaintext is None:
        with pytest.raises(phalanx.AuthenticationError):
            aead.open(iv, ciphertext + tag, aad)
        return True
    assert aead.open(iv, ciphertext + tag, aad) == plaintext
    sealed = phalanx.Aead(name, key, any_nonce_size=True).seal(iv, plaintext, aad)
    assert sealed[: len(ciphertext + tag)] == ciphertext + tag  # a short tag is what the whole one begins with
    return True


def checker_of(file: str) -> Check | None:
    """For a path below ciphers/; None for modes that we do not have: CFB of one bit, NIST's interleaved and pipelined."""
    family, mode, name = file.split("/")[0], file.split("/")[1], file.split("/")[-1]
    if mode == "XTS":
        return check_data_unit
    if mode == "GCM":
        return check_sealed
    if mode == "CFB":
        segment = name.removeprefix("T").removeprefix("CFB")
        bits = next((bits for bits in ("128", "64", "8") if segment.startswith(bits)), None)
        if bits is None:
            return None
        mode = "CFB8" if bits == "8" else "CFB"
    elif name.startswith(("TCBCI", "TOFBI")):
        return None
    return lambda case: check_message(family, mode.lower(), case)


def shared_files(root: pathlib.Path) -> list[str]:
    return sorted(
        str(path.relative_to(root))
        for family, modes in (("AES", "CBC CFB CTR ECB GCM OFB XTS"), ("3DES", "CBC CFB ECB OFB"))
        for mode in modes.split()
        for path in (root / family / mode).rglob("*.*")
    )


def counted_files() -> dict[str, tuple[int, int]]:
    lines = (HERE / "nist_counts.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {file: (int(num_cases), int(left_out)) for file, num_cases, left_out in rows}


def count(root: pathlib.Path, file: str) -> tuple[int, int]:
    check = checker_of(file)
    done = [check is not None and check(case) for case in cases(root / file)]
    return len(done), done.count(False)


def test_all_files_are_counted() -> None:
    assert shared_files(folder()) == sorted(counted_files())


@pytest.mark.parametrize("file", counted_files())
def test_file(file: str) -> None:
    assert count(folder(), file) == counted_files()[file]


if __name__ == "__main__":  # writes nist_counts.txt anew, to be looked at
    print("# Of each file of cryptography-vectors, version " + VERSION + ": its cases, and how many we leave out.")
    for shared in shared_files(folder()):
        print(shared, *count(folder(), shared))
