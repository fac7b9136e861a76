"""openssl_open, foreign_open and migrate: old files, and those of other programs."""

import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import zipfile

import pytest

import phalanx

KEY = bytes(range(32))
DATA = bytes(range(251)) * 2000


@pytest.fixture
def old_file(tmp_path: pathlib.Path) -> pathlib.Path:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl program here")
    (tmp_path / "plain").write_bytes(DATA)
    command = "openssl enc -des-ede3-cbc -md md5 -pass pass:secret -in plain -out old.enc"
    subprocess.run(command.split(), cwd=tmp_path, check=True, stderr=subprocess.DEVNULL)
    return tmp_path / "old.enc"


def test_files_of_openssl(old_file: pathlib.Path) -> None:
    for digest in ("md5", "auto"):
        with phalanx.openssl_open(old_file, passphrase="secret", cipher="des3", digest=digest) as file:
            assert not file.seekable()
            assert file.read(5) == DATA[:5]
            assert file.read() == DATA[5:]
    # Of `openssl enc -des3 -md md5 -pass pass:secret`, and not with a salt of each run's own: one in 64 passes by chance.
    old_file.write_bytes(bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c"))
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.openssl_open(old_file, passphrase="another", cipher="des3", digest="auto")
    with pytest.raises(FileNotFoundError):
        phalanx.openssl_open(old_file.with_name("nothing"), passphrase="secret")


@pytest.mark.parametrize("cipher", ["aes-128-cfb8", "des-ede3-cfb1", "camellia128", "chacha20"])
def test_files_in_ciphers_that_are_only_read(old_file: pathlib.Path, cipher: str) -> None:
    command = f"openssl enc -{cipher} -md md5 -pass pass:secret -in plain -out old.enc"
    subprocess.run(command.split(), cwd=old_file.parent, check=True, stderr=subprocess.DEVNULL)
    with phalanx.openssl_open(old_file, passphrase="secret", cipher=cipher, digest="md5") as file:
        assert file.read() == DATA
    old = phalanx.ForeignFormat(cipher, passphrase="secret", digest="md5")
    phalanx.migrate(old_file, old_file.with_name("new"), old, key=KEY)
    with phalanx.open(old_file.with_name("new"), key=KEY) as file:
        assert file.read() == DATA
    with pytest.raises(phalanx.UsageError):
        phalanx.Cipher(cipher, bytes(16))


def zipped(content: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("a name", content)
    return written.getvalue()


OTHERS = {  # the beginning of a file, and its kind
    b"age-encryption.org/v1\n-> X25519 " + 43 * b"A" + b"\n" + 43 * b"A" + b"\n--- " + 43 * b"A" + b"\n" + bytes(range(64)): "a file of age",
    zipped(b"within"): "a zip archive",
    b"-----BEGIN PGP MESSAGE-----\n\n" + 4 * (b"h" * 64 + b"\n") + b"-----END PGP MESSAGE-----\n": "OpenPGP",
    b"a text that anybody can read, in any case\n" * 50: "text",
}


@pytest.mark.parametrize("content", OTHERS, ids=OTHERS.values())
def test_files_of_other_programs_are_named(tmp_path: pathlib.Path, content: bytes) -> None:
    path = tmp_path / "old"
    path.write_bytes(content)
    bare = phalanx.ForeignFormat("aes-256-cbc", key=KEY, iv=bytes(16))
    assert phalanx.inspect(path).kind != "unknown"
    for open_it in (
        lambda: phalanx.openssl_open(path, passphrase="secret").read(),
        lambda: phalanx.foreign_open(path, bare).read(),
        lambda: phalanx.migrate(path, tmp_path / "new", bare, key=KEY),
    ):
        with pytest.raises(phalanx.Error, match=OTHERS[content]):
            open_it()
    with pytest.raises(phalanx.FormatError, match="PHALANX"):
        phalanx.open(path, key=KEY)
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl program here")
def test_kfile_takes_127_bytes(tmp_path: pathlib.Path) -> None:
    line = b"0123456789abcdef" * 8
    (tmp_path / "pass").write_bytes(line + b"\n")
    command = "openssl enc -aes-256-cbc -md sha256 -nosalt -kfile pass -out old.enc"
    subprocess.run(command.split(), cwd=tmp_path, input=DATA, check=True)
    with phalanx.openssl_open(tmp_path / "old.enc", passphrase=line[:127], salted=False) as file:
        assert file.read() == DATA
    with pytest.raises(phalanx.WrongKeyError):  # always: nothing here is random
        phalanx.openssl_open(tmp_path / "old.enc", passphrase=line, salted=False).read()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl program here")
@pytest.mark.parametrize("salt", [b"\x05", bytes(range(16))])
@pytest.mark.parametrize("is_given", [False, True])
def test_salts_of_other_lengths(tmp_path: pathlib.Path, salt: bytes, is_given: bool) -> None:
    """-saltlen of OpenSSL 3.2, and -S of OpenSSL 3, which writes no header: the derivation is Python's."""
    derived = hashlib.pbkdf2_hmac("sha256", b"secret", salt, 10_000, 48)
    command = ["openssl", "enc", "-aes-256-cbc", "-K", derived[:32].hex(), "-iv", derived[32:].hex()]
    sealed = subprocess.run(command, input=DATA, capture_output=True, check=True).stdout
    (tmp_path / "old.enc").write_bytes(sealed if is_given else b"Salted__" + salt + sealed)
    given, length = (salt, 8) if is_given else (None, len(salt))
    with phalanx.openssl_open(
        tmp_path / "old.enc", passphrase="secret", pbkdf2=True, salt=given, salt_bytes=length
    ) as file:
        assert file.read() == DATA
    old = phalanx.ForeignFormat("aes-256-cbc", passphrase="secret", pbkdf2=True, salt=given, salt_bytes=length)
    phalanx.migrate(tmp_path / "old.enc", tmp_path / "new", old, key=KEY)
    with phalanx.open(tmp_path / "new", key=KEY) as file:
        assert file.read() == DATA


def test_files_under_an_empty_passphrase(tmp_path: pathlib.Path) -> None:
    # Of `openssl enc -aes-256-cbc -md md5 -pass pass:` with the salt 0102030405060708.
    old = tmp_path / "old.enc"
    old.write_bytes(bytes.fromhex("53616c7465645f5f01020304050607086a20e0f648b6daec0c10a10aac3daae6"))
    with phalanx.openssl_open(old, passphrase="", digest="md5") as file:
        assert file.read() == b"in lockstep"
    phalanx.migrate(old, tmp_path / "new", phalanx.ForeignFormat("aes-256-cbc", passphrase=b"", digest="md5"), key=KEY)
    with phalanx.open(tmp_path / "new", key=KEY) as file:
        assert file.read() == b"in lockstep"
    with pytest.raises(phalanx.UsageError, match="give one of them|choose"):
        phalanx.foreign_open(old, phalanx.ForeignFormat("aes-256-cbc", key=bytes(32), passphrase=""))


def test_migration(old_file: pathlib.Path) -> None:
    old = phalanx.ForeignFormat("des-ede3-cbc", passphrase="secret", digest="md5")
    new, counted = old_file.with_name("new.phalanx"), list[int]()
    done = phalanx.migrate(old_file, new, old, key=KEY, progress=counted.append)
    assert (done.source_bytes, done.container_bytes) == (old_file.stat().st_size, new.stat().st_size)
    assert done.doubt == "first_block" and "nothing shows that of the iv" in done.doubt_sentence and done.sha256 == "" and sum(counted) > done.source_bytes
    with phalanx.open(new, key=KEY) as file:
        assert file.read() == DATA
    with pytest.raises(phalanx.UsageError, match="exists"):
        phalanx.migrate(old_file, new, old, key=KEY)
    again = phalanx.migrate(old_file, new, old, key=KEY, replace=True, sha256=True, progress=True)
    assert again.sha256 == phalanx.verify(new, key=KEY, sha256=True).sha256 != ""


def test_a_callback_that_raises_ends_the_run(old_file: pathlib.Path) -> None:
    def stop(num_bytes: int) -> None:
        raise LookupError("enough")

    new = old_file.with_name("new.phalanx")
    old = phalanx.ForeignFormat("des3", passphrase="secret", digest="md5")
    with pytest.raises(LookupError, match="enough"):
        phalanx.migrate(old_file, new, old, key=KEY, progress=stop)
    assert sorted(os.listdir(new.parent)) == ["old.enc", "plain"]


def test_foreign_data_under_a_key(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "old"
    iv = os.urandom(8)
    cipher = phalanx.Cipher("3des-cbc", bytes(range(24)), allow_legacy=True)
    path.write_bytes(iv + cipher.encrypt(DATA, iv=iv, padding="pkcs7"))
    old = phalanx.ForeignFormat("3des-cbc", key=bytes(range(24)), begins_with_iv=True)
    with phalanx.foreign_open(path, old) as file:
        assert file.read() == DATA
    with pytest.raises(phalanx.UsageError):
        phalanx.foreign_open(path, phalanx.ForeignFormat("3des-cbc", key=bytes(16)))
