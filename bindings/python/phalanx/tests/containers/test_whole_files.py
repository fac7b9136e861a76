"""seal_file, unseal_file, recipients, inspect, verify_many and files in place."""

import errno
import os
import pathlib

import pytest

import phalanx

KEY, OTHER = bytes(range(32)), bytes(32)
DATA = bytes(range(251)) * 12000  # some 3 MB


@pytest.fixture
def source(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


@pytest.fixture
def container(source: pathlib.Path) -> pathlib.Path:
    path = source.with_suffix(".phalanx")
    phalanx.seal_file(source, path, key=KEY)
    return path


class Enough(Exception):
    pass


def test_files_are_sealed_and_unsealed(source: pathlib.Path) -> None:
    told: list[int] = []
    container, back = source.with_suffix(".phalanx"), source.with_name("back")
    sealed = phalanx.seal_file(source, container, verify=True, key=KEY, progress=told.append)
    assert (sealed.plain_bytes, sealed.container_bytes) == (len(DATA), container.stat().st_size)
    assert (sealed.resumed_bytes, sealed.input_change, sealed.lost_attributes) == (0, "", [])
    assert sum(told) > 2 * len(DATA)
    assert phalanx.unseal_file(container, back, key=[OTHER, KEY]).written_bytes == len(DATA)
    assert back.read_bytes() == DATA
    with pytest.raises(phalanx.UsageError):
        phalanx.unseal_file(container, back, key=KEY)
    with pytest.raises(phalanx.UsageError, match=f"{len(DATA)} bytes, and the range ends behind it"):
        phalanx.unseal_file(container, back, replace=True, offset=len(DATA) - 5, size=6, key=KEY)
    part = phalanx.unseal_file(container, back, replace=True, offset=len(DATA) - 5, size=5, key=KEY)
    assert (part.written_bytes, back.read_bytes()) == (5, DATA[-5:])
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.unseal_file(container, source.with_name("wrong"), key=OTHER)
    with pytest.raises(FileNotFoundError):
        phalanx.seal_file(source.with_name("missing"), container, key=KEY)
    assert sorted(os.listdir(source.parent)) == ["back", "data", "data.phalanx"]


def test_modes_and_times_are_kept_unless_they_are_not(source: pathlib.Path) -> None:
    container, back = source.with_suffix(".phalanx"), source.with_name("back")
    source.chmod(0o700)
    os.utime(source, ns=(1, 1_000_000_000_123_456_789))
    kept = (0o700, source.stat().st_mtime_ns)
    for keep in (True, False):
        phalanx.seal_file(source, container, key=KEY, keep=keep)
        phalanx.unseal_file(container, back, key=KEY, keep=keep)
        for path in (container, back):
            found = (path.stat().st_mode & 0o777, path.stat().st_mtime_ns)
            assert found == kept if keep else found[0] & 0o111 == 0 and found[1] != kept[1]
            path.unlink()


def test_a_key_file_is_never_written(source: pathlib.Path) -> None:
    key_file = source.with_name("key")
    key_file.write_bytes(KEY)
    with pytest.raises(phalanx.UsageError):
        phalanx.seal_file(source, key_file, replace=True, key_file=key_file)
    assert key_file.read_bytes() == KEY


def test_what_progress_raises_ends_the_call(source: pathlib.Path) -> None:
    def stop(count: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        phalanx.seal_file(source, source.with_name("out"), key=KEY, progress=stop)
    assert os.listdir(source.parent) == ["data"]


def test_recipients_are_changed(container: pathlib.Path) -> None:
    changed = phalanx.change_recipients(
        container, key=KEY, add_key=OTHER, add_passphrase="open", scrypt_log_n=10, remove=[1]
    )
    assert (changed.num_recipients, changed.num_other_names, changed.lost_attributes) == (2, 0, [])
    listed = phalanx.list_recipients(container)
    assert [recipient.kind for recipient in listed] == ["key", "passphrase"]
    assert (listed[1].scrypt_log_n, listed[1].scrypt_bytes) == (10, 1 << 20)
    assert phalanx.verify(container, passphrase="open").plain_bytes == len(DATA)
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.verify(container, key=KEY)
    assert phalanx.recipients_opened_by(container, key=OTHER) == [1]
    assert phalanx.recipients_opened_by(container, key=OTHER, passphrase="open") == [1, 2]
    swapped = phalanx.change_recipients(container, key=OTHER, add_key=[KEY, OTHER], remove=[1])
    assert (swapped.num_changes, swapped.already, swapped.in_place) == (3, [], False)
    swapped = phalanx.change_recipients(container, key=KEY, add_key=[KEY, bytes([7]) * 32], remove=[3])
    assert (swapped.num_changes, swapped.already, swapped.in_place) == (2, [0], True)
    phalanx.change_recipients(container, key=KEY, add_key=OTHER, remove=[2, 3])
    with pytest.raises(phalanx.UsageError, match="no recipient 3"):
        phalanx.change_recipients(container, key=OTHER, remove=[3])
    with pytest.raises(phalanx.UsageError):
        phalanx.change_recipients(container, key=OTHER)


def test_files_show_what_they_are(container: pathlib.Path) -> None:
    found = phalanx.inspect(container)
    assert (found.format, found.version, found.suite, found.problem) == ("container", 1, "aes-256", "")
    assert (found.plain_bytes, len(found.recipients), found.salt) == (len(DATA), 1, b"")
    old = container.with_name("old")
    old.write_bytes(b"Salted__" + bytes(range(8)) + bytes(24))
    found = phalanx.inspect(old)
    assert (found.format, found.salt, found.ciphertext_bytes) == ("openssl enc", bytes(range(8)), 24)
    assert phalanx.inspect(container.with_name("data")).format == "unknown"
    assert (found.kind, found.form, found.protection, found.is_certain, found.is_cut) == ("openssl-enc", "", "encrypted", True, False)
    old.write_bytes(b"-----BEGIN AGE ENCRYPTED FILE-----\nYWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBhYmMKYWJjCg==\n")
    found = phalanx.inspect(old)
    assert (found.format, found.kind, found.form) == ("unknown", "age", "armor")
    assert (found.description, found.opened_by) == ("a file of age, for X25519 (armored)", "age -d -i IDENTITY FILE")


def test_many_are_verified(container: pathlib.Path) -> None:
    short = container.with_name("short.phalanx")
    phalanx.seal_file(container.with_name("data"), short, suite="aes-128", key=KEY[:16])
    container.with_name("wrong.phalanx").write_bytes(b"none")
    files = phalanx.verify_many([container.parent], key=[KEY, KEY[:16]], sha256=True)
    assert [(os.path.basename(file.path), file.authentic, file.skipped) for file in files] == [
        ("data", False, True),
        ("data.phalanx", True, False),
        ("short.phalanx", True, False),
        ("wrong.phalanx", False, False),
    ]
    assert files[1].sha256 == phalanx.verify(container, key=KEY, sha256=True).sha256

    (from_disk,) = phalanx.verify_many([container], key=KEY, from_disk=True)
    assert from_disk.authentic or "in memory" in from_disk.why

    with pytest.raises(phalanx.UsageError, match="put it into a list"):
        phalanx.verify_many(str(container), key=KEY)

    def stop(count: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        phalanx.verify_many([container, short], key=KEY, progress=stop)


def test_files_in_place_go_on(source: pathlib.Path) -> None:
    count = 0

    def stop(num_bytes: int) -> None:
        nonlocal count
        count += num_bytes
        if count > len(DATA) // 2:
            raise Enough

    iv = bytes(16)
    with pytest.raises(Enough):
        phalanx.encrypt_in_place(source, "aes-256-cbc", KEY, iv, progress=stop)
    assert sorted(os.listdir(source.parent)) == ["data", "data.phalanx-journal"]
    assert phalanx.inspect(f"{source}.phalanx-journal").format == "in-place journal"
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.encrypt_in_place(source, "aes-256-cbc", OTHER, iv)
    assert phalanx.encrypt_in_place(source, "aes-256-cbc", KEY, iv).resumed_bytes > 0
    assert source.read_bytes() == phalanx.Cipher("aes-256-cbc", KEY).encrypt(DATA, iv=iv, padding="none")
    phalanx.decrypt_in_place(source, "aes-256-cbc", KEY, iv)
    assert source.read_bytes() == DATA


def test_legacy_ciphers_in_place_need_a_word(source: pathlib.Path) -> None:
    key, iv = bytes(range(24)), bytes(8)
    with pytest.raises(phalanx.PolicyError):
        phalanx.encrypt_in_place(source, "des-ede3-ctr", key, iv)
    assert os.listdir(source.parent) == ["data"] and source.read_bytes() == DATA
    phalanx.encrypt_in_place(source, "des-ede3-ctr", key, iv, allow_legacy=True)
    phalanx.decrypt_in_place(source, "des-ede3-ctr", key, iv)
    assert source.read_bytes() == DATA


def test_failures_of_the_machine_have_their_errno() -> None:
    with pytest.raises(phalanx.MachineError, match="^cannot read /proc/self/mem: ") as caught:
        phalanx.list_recipients("/proc/self/mem")  # byte 0 of our memory is none
    assert (caught.value.errno, caught.value.filename, caught.value.name) == (errno.EIO, "/proc/self/mem", "/proc/self/mem")
    assert caught.value.offset is None
