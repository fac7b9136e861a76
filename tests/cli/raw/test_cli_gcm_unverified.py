"""No byte of plaintext leaves `raw decrypt` in GCM before the tag of all was verified, whatever IN and OUT are, and whatever happens meanwhile."""

import os
import shutil
import signal
import subprocess

import pytest
from conftest import CHUNK, MOST_SECONDS, PROGRAM, is_root, needs_proc, random_bytes, run_on_terminal

pytest.importorskip("cryptography", reason="cryptography is not installed")

from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402

KEY = random_bytes(32, seed=7)
NONCE = bytes(range(12))
GCM = ["--cipher", "aes-256-gcm", "--key-file", "key"]
DECRYPT = ["raw", "decrypt", *GCM]
LARGE = 3 * CHUNK + 100
WAYS = [("IN", "OUT"), ("IN", "-"), ("-", "OUT"), ("-", "-")]


def seal(plain):
    return NONCE + AESGCM(KEY).encrypt(NONCE, plain, None)


@pytest.fixture
def files(phalanx):
    phalanx.write("key", KEY)
    return phalanx


def changed(content, place):
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


@pytest.mark.parametrize("source, target", WAYS)
@pytest.mark.parametrize("size", [0, 1, 100, CHUNK + 5, LARGE])
def test_a_changed_byte_gives_nothing(files, source, target, size):
    sealed = seal(random_bytes(size))
    for place in {0, 11, 12, len(sealed) // 2, len(sealed) - 17, len(sealed) - 16, len(sealed) - 1}:
        wrong = changed(sealed, place)
        files.write("IN", wrong)
        done = files.run(*DECRYPT, source, target, stdin=wrong)
        files.assert_refused(done, 3, "does not verify", "--tag-first")
        assert done.stdout == b"" and files.names() == ["IN", "key"]


@pytest.mark.parametrize("source, target", WAYS)
def test_a_wrong_key_nonce_or_layout_gives_nothing(files, source, target):
    sealed = seal(random_bytes(LARGE))
    files.write("IN", sealed)
    files.write("other", random_bytes(32, seed=8))
    for options in (["--associated-data", "x"], ["--tag-first"], ["--nonce", "00" * 12], ["--tag", "00" * 16], ["--nonce-bytes", "16"]):
        done = files.run(*DECRYPT, *options, source, target, stdin=sealed)
        files.assert_refused(done, 3, "does not verify")
        assert done.stdout == b""
    done = files.run("raw", "decrypt", "--cipher", "aes-256-gcm", "--key-file", "other", source, target, stdin=sealed)
    files.assert_refused(done, 3, "wrong key")
    assert done.stdout == b"" and files.names() == ["IN", "key", "other"]


@pytest.mark.parametrize("source", ["IN", "-"])
def test_what_is_cut_short(files, source):
    sealed = seal(b"")
    for size in (0, 1, 12, 27):
        files.write("IN", sealed[:size])
        files.assert_refused(files.run(*DECRYPT, source, "OUT", stdin=sealed[:size]), 5, "cut short", str(size))
    cut = seal(random_bytes(LARGE))[:-1]
    files.write("IN", cut)
    files.assert_refused(files.run(*DECRYPT, source, "OUT", stdin=cut), 3, "does not verify")
    assert files.names() == ["IN", "key"]


@pytest.mark.parametrize("target", ["OUT", "-"])
@pytest.mark.parametrize("place", [12, CHUNK + 100, LARGE])
def test_a_byte_that_is_changed_behind_the_first_reading(files, faults, place, target):
    """Whatever other pieces come out, none of that one does, and OUT gets no name."""
    plain = random_bytes(LARGE)
    codes = set()
    for number in range(1, 12):
        files.write("IN", seal(plain))
        change = f"""python3 -S -c 'import os; f = os.open("IN", 2); b = os.pread(f, 1, {place}); os.pwrite(f, bytes([b[0] ^ 1]), {place})'"""
        environment = faults(f"pread:IN@{number}=run", actor=change)
        done = files.run(*DECRYPT, "--threads", "1", "IN", target, env=environment)
        codes.add(done.returncode)
        if done.returncode == 0:  # it was changed when all of it was read
            assert (done.stdout if target == "-" else files.read("OUT")) == plain
            (files.folder / "OUT").unlink(missing_ok=True)
            continue
        assert done.returncode in (1, 3), done.stderr
        assert plain.startswith(done.stdout) and len(done.stdout) <= max(0, place - 12)
        assert files.names() == ["IN", "key"]
    assert {1, 3} <= codes


def test_such_a_change_is_told(files, faults):
    files.write("IN", seal(random_bytes(100)))
    change = "printf X | dd of=IN bs=1 seek=20 conv=notrunc 2> /dev/null"
    log = files.folder.parent / "log"
    files.run(*DECRYPT, "IN", "-", env=faults("pread:IN@every=note", log=log), check=0)
    last = log.read_text().count("hit note pread")
    done = files.run(*DECRYPT, "IN", "OUT", env=faults(f"pread:IN@{last}=run", actor=change))
    files.assert_refused(done, 1, "was changed while it was read")
    assert files.names() == ["IN", "key"]


def test_an_in_that_becomes_shorter(files, faults):
    files.write("IN", seal(random_bytes(LARGE)))
    done = files.run(*DECRYPT, "IN", "OUT", env=faults("pread:IN@8=run", actor="truncate -s 1000 IN"))
    files.assert_refused(done, 1, "became shorter")
    assert files.names() == ["IN", "key"]


def test_what_is_appended_is_no_part_of_it(files, faults):
    plain = random_bytes(LARGE)
    files.write("IN", seal(plain))
    assert files.run(*DECRYPT, "IN", env=faults("pread:IN@4=run", actor="echo more >> IN"), check=0).stdout == plain


@pytest.mark.parametrize("source", ["IN", "-"])
def test_a_kill_at_any_call_leaves_no_unverified_byte(files, faults, source):
    """A partial file may be left, with pieces of the plaintext that was verified."""
    plain = random_bytes(LARGE)
    sealed = seal(plain)
    files.write("IN", sealed)
    wrong = changed(sealed, len(sealed) - 1)
    for content, is_right in ((sealed, True), (wrong, False)):
        files.write("IN", content)
        log = files.folder.parent / "log"
        log.unlink(missing_ok=True)
        files.run(*DECRYPT, source, "OUT", stdin=content, env=faults("any@every=note", log=log))
        (files.folder / "OUT").unlink(missing_ok=True)
        num_calls = log.read_text(errors="surrogateescape").count("hit note")
        for call in range(1, num_calls + 1, 3):
            done = files.run(*DECRYPT, "-f", source, "OUT", stdin=content, env=faults(f"any@{call}=kill"))
            assert done.returncode in (0, 3, -signal.SIGKILL)
            left = set(files.names()) - {"IN", "key"}
            assert left <= ({"OUT", "OUT.phalanx-partial"} if is_right else set())
            if "OUT" in left:
                assert files.read("OUT") == plain
            if "OUT.phalanx-partial" in left:
                part = files.read("OUT.phalanx-partial")
                assert all(part[i : i + 4096] in (plain[i : i + 4096], bytes(len(plain[i : i + 4096]))) for i in range(0, len(part), 4096))
            for name in left:
                (files.folder / name).unlink()


def test_a_pipe_is_kept_as_ciphertext_without_a_name(files, faults):
    """In TMPDIR, and gone in the end; of a short one nothing is on a disk."""
    folder = files.folder / "temporary"
    folder.mkdir()
    plain = random_bytes(LARGE)
    log = files.folder.parent / "log"
    environment = {**faults("any@every=note", log=log), "TMPDIR": str(folder)}
    done = files.run(*DECRYPT, stdin=seal(plain), env=environment, check=0)
    assert done.stdout == plain and list(folder.iterdir()) == []
    assert str(folder) in log.read_text(errors="surrogateescape")
    log.unlink()
    folder.rmdir()
    assert files.run(*DECRYPT, stdin=seal(b"short"), env=environment, check=0).stdout == b"short"
    assert str(folder) not in log.read_text(errors="surrogateescape")


@needs_proc
def test_what_is_kept_is_the_ciphertext(files):
    """Looked at through /proc while the last byte is not yet there."""
    folder = files.folder / "temporary"
    folder.mkdir()
    sealed = seal(random_bytes(2 * CHUNK))
    process = files.start(*DECRYPT, "-", "OUT", env={**os.environ, "TMPDIR": str(folder)})
    process.stdin.write(sealed[:-1])
    process.stdin.flush()
    descriptors = f"/proc/{process.pid}/fd"
    kept = []
    while not kept:
        for name in os.listdir(descriptors):
            path = os.path.join(descriptors, name)
            if str(folder) in os.readlink(path) and os.stat(path).st_size >= CHUNK:
                with open(path, "rb") as file:
                    kept.append(file.read())
    process.stdin.write(sealed[-1:])
    process.stdin.close()
    assert process.wait(timeout=MOST_SECONDS) == 0
    assert kept[0] and sealed.startswith(kept[0])


def test_a_file_system_that_has_no_files_without_names(files, faults):
    """A name that goes at once is made there."""
    folder = files.folder / "temporary"
    folder.mkdir()
    plain = random_bytes(LARGE)
    environment = {**faults(f"open:{folder}@1=EOPNOTSUPP"), "TMPDIR": str(folder)}
    assert files.run(*DECRYPT, stdin=seal(plain), env=environment, check=0).stdout == plain
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not is_root() or shutil.which("mount") is None, reason="mounting needs root")
def test_no_room_for_a_pipe(files):
    small = files.folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(small)]).returncode != 0:
        pytest.skip("nothing can be mounted here")
    try:
        done = files.run(*DECRYPT, "-", "OUT", stdin=seal(random_bytes(LARGE)), env={**os.environ, "TMPDIR": str(small)})
        files.assert_refused(done, 1, "No space left", "TMPDIR", str(small))
        assert not (files.folder / "OUT").exists()
        files.write("IN", seal(random_bytes(LARGE)))
        done = files.run(*DECRYPT, "IN", "small/OUT")
        files.assert_refused(done, 1, "No space left")
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_write_to_what_is_kept_that_fails(files, faults):
    done = files.run(*DECRYPT, "-", "OUT", stdin=seal(random_bytes(LARGE)), env=faults("write@3=ENOSPC"))
    files.assert_refused(done, 1, "No space left", "TMPDIR")
    assert files.names() == ["key"]


def test_no_folder_for_temporary_files(files):
    environment = {**os.environ, "TMPDIR": str(files.folder / "nowhere")}
    files.assert_refused(files.run(*DECRYPT, "-", "OUT", stdin=seal(random_bytes(LARGE)), env=environment), 1, "nowhere", "No such file")
    assert files.names() == ["key"]


def test_a_terminal_gets_text_alone(files):
    files.write("IN", seal(b"a line of text\n"))
    code, shown = run_on_terminal([*DECRYPT, "IN"], files.folder)
    assert code == 0 and b"a line of text" in shown
    files.write("IN", seal(b"\x1b[2J\x00"))
    code, shown = run_on_terminal([*DECRYPT, "IN"], files.folder)
    assert code == 2 and b"\x1b[2J" not in shown
    files.write("IN", changed(seal(b"a line of text\n"), 14))
    code, shown = run_on_terminal([*DECRYPT, "IN"], files.folder)
    assert code == 3 and b"of text" not in shown


def test_progress_counts_each_byte_once(files):
    files.write("IN", seal(random_bytes(LARGE)))
    done = files.run(*DECRYPT, "--progress", "json", "IN", "OUT", check=0)
    last = done.stderr.decode().splitlines()[-1]
    assert f"{LARGE}" in last, last


def test_encrypting_reads_on_what_is_appended(files, faults):
    plain = random_bytes(CHUNK + 77)
    os.utime(files.write("IN", plain), (1_000_000_000, 1_000_000_000))
    files.write("more", b"the line that matters")
    done = files.run("raw", "encrypt", *GCM, "IN", "OUT", env=faults("pread:IN@1=run", actor="cat more >> IN"), check=0)
    assert b"grew while it was read" in done.stderr
    sealed = files.read("OUT")
    assert AESGCM(KEY).decrypt(sealed[:12], sealed[12:], None) == plain + b"the line that matters"


def test_encrypting_refuses_what_was_changed(files, faults):
    os.utime(files.write("IN", random_bytes(CHUNK + 77)), (1_000_000_000, 1_000_000_000))
    change = faults("pread:IN@1=run", actor="printf X | dd of=IN bs=1 conv=notrunc 2> /dev/null")
    files.assert_refused(files.run("raw", "encrypt", *GCM, "IN", "OUT", env=change), 1, "was changed", "--changing-input")
    assert files.names() == ["IN", "key"]


def test_encrypting_to_a_full_disk_leaves_nothing(files, faults):
    files.write("IN", random_bytes(LARGE))
    for rule in ("fallocate@1=ENOSPC", "write@2=ENOSPC", "fsync@1=EIO"):
        done = files.run("raw", "encrypt", *GCM, "IN", "OUT", env=faults(rule))
        assert done.returncode == 1 and files.names() == ["IN", "key"], (rule, done.stderr)


def test_a_reader_that_goes_away(files):
    files.write("IN", seal(random_bytes(20 * CHUNK)))
    command = f"{PROGRAM} raw decrypt --cipher aes-256-gcm --key-file key IN | head -c 100 > /dev/null; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=files.folder, capture_output=True, timeout=MOST_SECONDS)
    assert done.returncode == 1 and b"Broken pipe" in done.stderr
