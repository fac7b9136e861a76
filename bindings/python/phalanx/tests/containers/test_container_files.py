"""phalanx.open, seal and unseal; verify."""

import copy
import gc
import hashlib
import io
import os
import pathlib
import pickle
import subprocess
import threading
import warnings
from collections.abc import Callable

import pytest

import phalanx
from phalanx import _native

KEY = bytes(range(32))
CHUNK = 16384  # of plaintext; in the container it has a tag of 16 bytes more
DATA = bytes(range(251)) * 2000  # some 30 chunks


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    container = tmp_path / "data.phalanx"
    with phalanx.open(container, "wb", key=KEY) as file:
        file.write(DATA)
    return container


def change(path: pathlib.Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_the_program_reads_what_was_written(path: pathlib.Path) -> None:
    key_file = path.with_name("key")
    key_file.write_bytes(KEY)
    import sys

    command = [sys.executable, "-m", "phalanx", "decrypt", "--key-file", str(key_file), str(path), "-"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == DATA
    with phalanx.open(path, key_file=key_file) as file:
        assert file.read() == DATA
    key_file.write_text(KEY.hex() + "\n")
    assert phalanx.unseal(path.read_bytes(), key_file=key_file) == DATA


def test_each_file_follows_the_umask_of_its_opening(tmp_path: pathlib.Path) -> None:
    before = os.umask(0o022)
    try:
        for mask in (0o022, 0o077, 0o002):
            os.umask(mask)
            with phalanx.open(tmp_path / f"{mask}", "wb", key=KEY) as file:
                os.umask(0)
                file.write(DATA)
            assert (tmp_path / f"{mask}").stat().st_mode & 0o777 == 0o666 & ~mask
    finally:
        os.umask(before)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
@pytest.mark.parametrize("kind", ["FIFO", "link"])
def test_what_another_user_put_there_gets_nothing(path: pathlib.Path, kind: str) -> None:
    shared = path.parent / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    os.mkfifo(shared / "pipe")
    (shared / "link").symlink_to("../new")
    listening = os.open(shared / "pipe", os.O_RDWR | os.O_NONBLOCK)
    target = shared / ("pipe" if kind == "FIFO" else kind)
    os.chown(target, 65534, 65534, follow_symlinks=False)
    with pytest.raises(phalanx.UsageError, match="another user put there"):
        phalanx.open(target, "wb", key=KEY)
    old = phalanx.ForeignFormat("aes-256-ctr", key=KEY, iv=bytes(16))
    with pytest.raises(phalanx.UsageError, match="another user put there"):
        phalanx.migrate(path, target, old, key=KEY, replace=True, verify=False)
    with pytest.raises(BlockingIOError):
        os.read(listening, 1)
    os.close(listening)
    assert not (path.parent / "new").exists()


def test_a_pipe_of_ours_gets_a_container(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    with phalanx.open(tmp_path / "pipe", "wb", key=KEY) as file:
        file.write(DATA)
    reader.join()
    assert phalanx.unseal(got[0], key=KEY) == DATA


def test_a_pipe_is_no_container_and_not_waited_for(tmp_path: pathlib.Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(phalanx.UsageError, match="not a regular file"):
        phalanx.open(tmp_path / "pipe", key=KEY)


def test_seek_and_read(path: pathlib.Path) -> None:
    with phalanx.open(path, key=KEY) as file:
        assert file.readable() and file.seekable() and not file.writable()
        assert (file.size, file.suite) == (len(DATA), "aes-256")
        assert file.seek(-10, io.SEEK_END) == len(DATA) - 10
        assert file.read() == DATA[-10:]
        for place in (0, 1, CHUNK - 1, CHUNK, 100001, len(DATA), len(DATA) + 5):
            file.seek(place)
            assert file.tell() == place
            assert file.read(CHUNK) == DATA[place : place + CHUNK]
        target = bytearray(1000)
        file.seek(20000)
        assert file.readinto(target) == 1000
        assert target == DATA[20000:21000]
        with pytest.raises(ValueError):
            file.seek(-1)
        with pytest.raises(ValueError, match="whence"):
            file.raw.seek(0, 7)
    with pytest.raises(ValueError):
        file.read()
    with phalanx.open(path, key=KEY) as file:
        assert b"".join(file) == DATA


def test_a_slice_checks_its_own_chunks(path: pathlib.Path) -> None:
    body = len(path.read_bytes()) - len(DATA) - 16 * (len(DATA) // CHUNK + 1)
    change(path, body + 10 * (CHUNK + 16) + 5)  # in chunk 10
    with phalanx.open(path, key=KEY) as file:
        file.seek(3 * CHUNK)
        assert file.read(100) == DATA[3 * CHUNK : 3 * CHUNK + 100]
        file.seek(10 * CHUNK + 9000)
        with pytest.raises(phalanx.AuthenticationError, match="chunk 10"):
            file.read(1)
    with pytest.raises(phalanx.AuthenticationError):
        phalanx.verify(path, key=KEY)
    with pytest.raises(phalanx.AuthenticationError):
        phalanx.unseal(path.read_bytes(), key=KEY)


@pytest.mark.parametrize("lost", [1, 16, CHUNK + 16, 3 * (CHUNK + 16)])
def test_opening_checks_the_length(path: pathlib.Path, lost: int) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-lost])
    with pytest.raises((phalanx.AuthenticationError, phalanx.TruncatedError)):
        phalanx.open(path, key=KEY)


def test_keys_that_do_not_fit(path: pathlib.Path) -> None:
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.open(path, key=bytes(32))
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.open(path, passphrase="no passphrase opens it")
    with pytest.raises(phalanx.UsageError):
        phalanx.open(path, key=bytes(16))
    with pytest.raises(phalanx.UsageError, match="no key is given"):
        phalanx.open(path)
    with pytest.raises(FileNotFoundError):
        phalanx.open(path.with_name("nothing"), key=KEY)
    with pytest.raises(phalanx.FormatError) as caught:
        phalanx.open(__file__, key=KEY)
    assert not isinstance(caught.value, phalanx.UsageError) and caught.value.offset is None
    with pytest.raises(phalanx.UsageError, match='"rb", "wb" or "xb"'):
        phalanx.open(path, "ab", key=KEY)  # type: ignore[call-overload]
    with phalanx.open(path, key=[bytes(32), KEY]) as file:
        assert file.read(3) == DATA[:3]


def test_passphrases_and_suites() -> None:
    for suite, size in [("aes-128", 16), ("serpent-256", 32), ("twofish-256", 32)]:
        sealed = phalanx.seal(DATA, key=bytes(size), passphrase=["först", b"second"], suite=suite, scrypt_log_n=12)
        for secret in ({"passphrase": "först"}, {"passphrase": bytearray(b"second")}, {"key": bytes(size)}):
            assert phalanx.unseal(sealed, **secret) == DATA
    with pytest.raises(phalanx.PolicyError):
        phalanx.seal(b"", passphrase="x", scrypt_log_n=30)
    with pytest.raises(phalanx.UsageError):
        phalanx.seal(b"", key=KEY, suite="rot13")


def test_nothing_appears_before_it_is_complete(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "new"
    with phalanx.open(path, "xb", key=KEY) as file:
        assert file.writable() and not file.readable()
        file.write(DATA)
        file.flush()
        assert not path.exists()
    assert path.exists()
    with pytest.raises(FileExistsError):
        phalanx.open(path, "xb", key=KEY)


def test_what_is_not_there_and_folders(tmp_path: pathlib.Path, path: pathlib.Path) -> None:
    """Python's own errors, which name the file."""
    nothing, old = tmp_path / "nothing", phalanx.ForeignFormat("aes-256-ctr", key=KEY, begins_with_iv=True)
    for attempt in (
        lambda: phalanx.open(nothing, key=KEY),
        lambda: phalanx.open(path, key_file=nothing),
        lambda: phalanx.open(tmp_path / "new", "wb", passphrase_file=[nothing]),
        lambda: phalanx.open(nothing / "new", "wb", key=KEY),
        lambda: phalanx.verify(nothing, key=KEY),
        lambda: phalanx.foreign_open(nothing, old),
        lambda: phalanx.migrate(nothing, tmp_path / "new", old, key=KEY),
        lambda: phalanx.migrate(path, nothing / "new", old, key=KEY),
        lambda: phalanx.seal(b"", key_file=nothing),
    ):
        with pytest.raises(FileNotFoundError) as raised:
            attempt()
        assert raised.value.filename is not None and "nothing" in os.fsdecode(raised.value.filename)
    for attempt in (
        lambda: phalanx.open(tmp_path, key=KEY),
        lambda: phalanx.open(tmp_path, "wb", key=KEY),
        lambda: phalanx.verify(tmp_path, key=KEY),
        lambda: phalanx.migrate(tmp_path, tmp_path / "new", old, key=KEY),
    ):
        with pytest.raises(IsADirectoryError):
            attempt()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_file_read_whole(path: pathlib.Path) -> None:
    with phalanx.open(path, key=KEY) as file:
        assert file.read() == DATA and file.read() == b""
        assert (file.seek(5), file.read(3), file.read()) == (5, DATA[5:8], DATA[8:])
        file.seek(len(DATA) + 7)
        assert file.read() == b"" and file.mode == "rb"
    with phalanx.open(path.with_name("new"), "wb", key=KEY) as new:
        assert (new.name, new.mode) == (path.with_name("new"), "wb")
    old = path.with_name("old")
    for size in (0, 100, (8 << 20) - 16, 8 << 20, (8 << 20) + 100):
        data = os.urandom(size)
        old.write_bytes(bytes(16) + phalanx.Cipher("aes-256-cbc", KEY).encrypt(data, iv=bytes(16), padding="pkcs7"))
        with phalanx.foreign_open(old, phalanx.ForeignFormat("aes-256-cbc", key=KEY, begins_with_iv=True)) as file_of_old:
            assert file_of_old.read(10) + file_of_old.read() == data


def test_open_files_are_not_pickled(path: pathlib.Path) -> None:
    with phalanx.open(path, key=KEY) as reading, phalanx.open(path.with_name("new"), "wb", key=KEY) as writing:
        for file in (reading, reading.raw, writing, writing.raw):
            for leave in (pickle.dumps, copy.copy):
                with pytest.raises(phalanx.PicklingError, match="open it where it is used"):
                    leave(file)


def leave_by_exception(path: pathlib.Path) -> None:
    with pytest.raises(KeyError):
        with phalanx.open(path, "wb", key=KEY) as file:
            file.write(b"new" * 100000)
            raise KeyError


def leave_by_discarding(path: pathlib.Path) -> None:
    file = phalanx.open(path, "wb", key=KEY)
    file.write(b"new" * 100000)
    file.write(b"and some that stays in the buffer")
    file.discard()
    assert file.closed
    file.close()


def leave_by_a_failing_write(path: pathlib.Path) -> None:
    """What is in the buffer cannot be written: the container without it is none."""
    file = phalanx.open(path, "wb", key=KEY)
    file.write(b"first part")
    file.flush()
    file.write(b"second part")

    def fail(data: object) -> int:
        raise KeyboardInterrupt

    setattr(file.raw, "write", fail)
    with pytest.raises(KeyboardInterrupt):
        file.close()
    assert file.closed


def leave_by_forgetting(path: pathlib.Path) -> None:
    file = phalanx.open(path, "wb", key=KEY)
    file.write(b"new" * 100000)
    del file
    gc.collect()


WAYS_TO_LEAVE = [leave_by_exception, leave_by_discarding, leave_by_a_failing_write, leave_by_forgetting]


@pytest.mark.parametrize("leave", WAYS_TO_LEAVE)
def test_what_is_not_finished_replaces_nothing(path: pathlib.Path, leave: Callable[[pathlib.Path], None]) -> None:
    before = path.read_bytes()
    leave(path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_digits_for_bytes(tmp_path: pathlib.Path) -> None:
    """A key file of 32 hex digits without a line end has half of a key's bits: nothing is sealed under it, and opening warns."""
    digits = KEY.hex()[:32].encode()
    path, key_file = tmp_path / "container", tmp_path / "key"
    key_file.write_bytes(digits)
    old = phalanx.ForeignFormat("aes-128-ctr", key=bytes(16), iv=bytes(16))
    (tmp_path / "old").write_bytes(DATA)
    for seals in (
        lambda: phalanx.seal(DATA, key_file=key_file),
        lambda: phalanx.open(path, "wb", key_file=key_file),
        lambda: phalanx.migrate(tmp_path / "old", path, old, key_file=[key_file]),
    ):
        with pytest.raises(phalanx.UsageError, match="32 hex digits and no line end.*64 digits.*as `key`") as caught:
            seals()
        assert digits.decode()[:6] not in str(caught.value) and not path.exists()
    path.write_bytes(phalanx.seal(DATA, key=digits))  # explicit bytes are meant
    for opens in (
        lambda: phalanx.unseal(path.read_bytes(), key_file=key_file),
        lambda: phalanx.open(path, key_file=key_file).read(),
        lambda: phalanx.verify(path, key_file=key_file),
    ):
        with pytest.warns(UserWarning, match="32 hex digits and no line end"):
            opens()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            phalanx.open(path, key_file=key_file)
        assert phalanx.unseal(path.read_bytes(), key=digits) == DATA


def test_a_key_file_is_no_output(tmp_path: pathlib.Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_bytes(KEY)
    with pytest.raises(phalanx.UsageError, match="key file"):
        phalanx.open(key_file, "wb", key_file=key_file)
    assert key_file.read_bytes() == KEY


def test_many_threads_read_one_container(path: pathlib.Path) -> None:
    reader = _native.ContainerReader(path, key=KEY)
    wrong: list[int] = []

    def read(number: int) -> None:
        for i in range(30):
            place = (number * 7919 + i * 104729) % (len(DATA) - 1000)
            target = bytearray(1000)
            if reader.read_into(place, target) != 1000 or target != DATA[place : place + 1000]:
                wrong.append(place)

    threads = [threading.Thread(target=read, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_verify_and_progress(path: pathlib.Path) -> None:
    import hashlib

    counted: list[int] = []
    found = phalanx.verify(path, key=KEY, progress=counted.append)
    assert (found.plain_bytes, found.sha256) == (len(DATA), "")
    assert sum(counted) > len(DATA)
    assert phalanx.verify(path, key=KEY, sha256=True).sha256 == hashlib.sha256(DATA).hexdigest()
