"""--in-place: the same bytes as elsewhere, and right after a kill at any moment."""

import contextlib
import itertools
import os
import random
import shutil
import signal

import pytest
from conftest import CHUNK, IV16, KEY_BYTES, PROGRAM, Phalanx, random_bytes

JOURNAL = "FILE.phalanx-journal"
NAMES = ["aes-256-ecb", "aes-256-cbc", "aes-256-ctr", "aes-256-cfb", "aes-256-ofb", "aes-256-xts", "sectors"]


def options_for(name):
    if name == "sectors":
        return "--cipher aes-256-xts --sector-size 4096 --sector-offset 7 --iv-large-sectors --key-file key".split()
    options = ["--cipher", name, "--key-file", "key", "--allow-legacy"]
    options += [] if name.endswith("ecb") else ["--iv", IV16]
    return options + (["--padding", "none"] if name[-3:] in ("ecb", "cbc") else [])


def prepare(phalanx, name, size):
    """Writes key and FILE; returns what FILE must become when encrypted."""
    xts = name in ("sectors", "aes-256-xts")
    phalanx.write("key", random_bytes(KEY_BYTES["aes-256"] * (2 if xts else 1)))
    phalanx.write("FILE", random_bytes(size, seed=9))
    return phalanx.run("raw", "encrypt", *options_for(name), "FILE", check=0).stdout


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [16, 4096, CHUNK, CHUNK + 16, 2 * CHUNK + 4096 + 32])
def test_same_as_elsewhere_both_ways(phalanx, name, size):
    sealed = prepare(phalanx, name, size)
    plain = phalanx.read("FILE")
    inode = (phalanx.folder / "FILE").stat().st_ino
    phalanx.run("raw", "encrypt", *options_for(name), "--in-place", "FILE", check=0)
    assert phalanx.read("FILE") == sealed
    phalanx.run("raw", "decrypt", *options_for(name), "--in-place", "FILE", check=0)
    assert phalanx.read("FILE") == plain
    assert phalanx.names() == ["FILE", "key"] and (phalanx.folder / "FILE").stat().st_ino == inode


@pytest.mark.parametrize("name, size", [("aes-256-ctr", 13), ("aes-256-ofb", CHUNK + 5), ("aes-256-xts", CHUNK + 17), ("aes-256-cfb", 1)])
def test_lengths_that_are_not_whole_blocks(phalanx, name, size):
    sealed = prepare(phalanx, name, size)
    phalanx.run("raw", "encrypt", *options_for(name), "--in-place", "FILE", check=0)
    assert phalanx.read("FILE") == sealed


def test_an_empty_file_stays_empty(phalanx):
    prepare(phalanx, "aes-256-ctr", 0)
    phalanx.run("raw", "encrypt", *options_for("aes-256-ctr"), "--in-place", "FILE", check=0)
    assert phalanx.read("FILE") == b"" and phalanx.names() == ["FILE", "key"]


@pytest.mark.parametrize(
    "options, code, words",
    [
        ("--cipher aes-256-cbc --iv IV --in-place FILE", 2, ["--padding none"]),
        ("--cipher aes-256-cbc --iv IV --padding pkcs7 --in-place FILE", 2, ["--padding none"]),
        ("--cipher aes-256-ctr --iv IV --in-place FILE IN", 2, ["no IN"]),
        ("--cipher aes-256-ctr --iv IV --in-place missing", 1, ["missing"]),
        ("--cipher aes-256-ctr --iv IV --in-place .", 2, ["regular file"]),
        ("--cipher aes-256-ctr --iv IV --in-place /dev/null", 2, ["regular file"]),
        ("--cipher aes-256-cbc --iv IV --padding none --in-place RAGGED", 2, ["whole blocks"]),
        ("--openssl --cipher aes-256-ctr --iv IV --in-place FILE", 2, ["--openssl"]),
    ],
)
def test_refused(phalanx, options, code, words):
    prepare(phalanx, "aes-256-ctr", 64)
    phalanx.write("RAGGED", bytes(65))
    before = phalanx.read("FILE")
    done = phalanx.run("raw", "encrypt", *options.replace("IV", IV16).split(), "--key-file", "key")
    phalanx.assert_refused(done, code, *words)
    assert phalanx.read("FILE") == before and phalanx.names() == ["FILE", "RAGGED", "key"]


def crash_at(phalanx, faults, call, *arguments):
    """Runs with a crash at that call. Returns whether it was reached."""
    code = phalanx.run(*arguments, env=faults(f"change@{call}=tear")).returncode
    assert code in (0, -signal.SIGKILL)
    return code != 0


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("name", NAMES)
def test_resumes_after_a_crash_at_every_write_and_sync(phalanx, faults, name, direction):
    """Three pieces. Crashes at the first call, then the second, ... (in steps of three where a mode chains nothing); after each, the
    same command again, which crashes once more in some cases before it may finish, must give the right file."""
    step = 1 if name in ("aes-256-cbc", "aes-256-ofb", "sectors") else 3
    sealed = prepare(phalanx, name, 2 * CHUNK + 4096)
    plain = phalanx.read("FILE")
    before, after = (plain, sealed) if direction == "encrypt" else (sealed, plain)
    command = ["raw", direction, *options_for(name), "--in-place", "FILE", "-q"]
    for call in range(1, 100, step):
        phalanx.write("FILE", before)
        if not crash_at(phalanx, faults, call, *command):
            assert call > 12 and phalanx.read("FILE") == after
            break
        if JOURNAL in phalanx.names():
            if call % 2 == 0:
                crash_at(phalanx, faults, 2 + call % 4, *command)
            if JOURNAL in phalanx.names():
                phalanx.run(*command, check=0)
            assert phalanx.read("FILE") == after, call
        else:
            assert phalanx.read("FILE") in (before, after), call
        assert phalanx.names() == ["FILE", "key"]
    else:
        pytest.fail("the command never ran to its end")


@pytest.mark.parametrize("name", ["aes-256-cbc", "aes-256-ctr"])
def test_resumes_after_kills_at_random_calls(tmp_path, faults, name):
    phalanx = Phalanx(tmp_path)
    sealed = prepare(phalanx, name, 10 * CHUNK)
    plain = phalanx.read("FILE")
    chance = random.Random(name)
    for direction, target in [("encrypt", sealed), ("decrypt", plain)]:
        command = ["raw", direction, *options_for(name), "--in-place", "FILE", "-q"]
        num_kills = 0
        for _ in range(40):
            rule = f"change@{chance.randint(1, 9)}={chance.choice(['kill', 'tear', 'kill-after'])}"
            num_kills += phalanx.run(*command, env=faults(rule)).returncode == -signal.SIGKILL
            if JOURNAL not in phalanx.names() and phalanx.read("FILE") == target:
                break
        else:
            phalanx.run(*command, check=0)
        assert phalanx.read("FILE") == target and phalanx.names() == ["FILE", "key"]
        assert num_kills > 2


def interrupted(phalanx, faults, name="aes-256-cbc", pieces=6):
    """Leaves FILE half encrypted, with its journal."""
    sealed = prepare(phalanx, name, pieces * CHUNK)
    command = ["raw", "encrypt", *options_for(name), "--in-place", "FILE"]
    done = phalanx.run(*command, env=faults("fdatasync:/FILE@3=term"))
    assert done.returncode == 143 and b"same command again" in done.stderr
    assert JOURNAL in phalanx.names()
    return sealed


def test_a_signal_keeps_the_journal_and_only_the_same_command_resumes(phalanx, faults):
    sealed = interrupted(phalanx, faults)
    good = options_for("aes-256-cbc")
    half_way = phalanx.read("FILE")
    other_iv = [word.replace(IV16, "ab" * 16) for word in good]
    for direction, options in [("decrypt", good), ("encrypt", other_iv), ("encrypt", options_for("aes-256-ctr"))]:
        done = phalanx.run("raw", direction, *options, "--in-place", "FILE")
        phalanx.assert_refused(done, 2, "another command")
    phalanx.write("other", random_bytes(32, seed=77))
    wrong_key = ["other" if word == "key" else word for word in good]
    phalanx.assert_refused(phalanx.run("raw", "encrypt", *wrong_key, "--in-place", "FILE"), 4, "another key")
    assert phalanx.read("FILE") == half_way
    done = phalanx.run("raw", "encrypt", *good, "--in-place", "FILE", check=0)
    assert b"resumed" in done.stderr and phalanx.read("FILE") == sealed
    assert phalanx.names() == ["FILE", "key", "other"]


@pytest.mark.parametrize("marked", [True, False])
def test_a_file_that_is_half_done_is_not_read_as_it_is(phalanx, faults, marked):
    sealed = interrupted(phalanx, faults)
    if not marked:  # as where a file system keeps no such attributes
        with contextlib.suppress(OSError):
            os.removexattr(phalanx.folder / "FILE", "user.phalanx.in-place")
    options = options_for("aes-256-cbc")
    os.symlink("FILE", phalanx.folder / "link")
    for direction, name in itertools.product(("encrypt", "decrypt"), ("FILE", "link")):
        done = phalanx.run("raw", direction, *options, name, "OUT")
        phalanx.assert_refused(done, 2, f"{name} is half done", JOURNAL, "cp has made")
    assert "OUT" not in phalanx.names()
    shutil.copyfile(phalanx.folder / "FILE", phalanx.folder / "copy")
    phalanx.run("raw", "decrypt", *options, "copy", "OUT", check=0)
    phalanx.run("raw", "encrypt", *options, "--in-place", "FILE", check=0)
    assert phalanx.read("FILE") == sealed
    phalanx.run("raw", "decrypt", *options, "FILE", "OUT", "--force", check=0)


def test_the_journal_holds_no_plaintext_and_is_private(phalanx, faults):
    interrupted(phalanx, faults)
    journal = phalanx.read(JOURNAL)
    plain = random_bytes(6 * CHUNK, seed=9)
    assert (phalanx.folder / JOURNAL).stat().st_mode & 0o777 == 0o600
    assert len(journal) > CHUNK
    for piece in range(6):
        assert plain[piece * CHUNK : piece * CHUNK + 32] not in journal
    assert random_bytes(32) not in journal  # the key


def test_a_file_of_that_name_that_is_not_ours(phalanx):
    prepare(phalanx, "aes-256-ctr", 64)
    phalanx.write(JOURNAL, b"my own notes, which are precious" * 10)
    done = phalanx.run("raw", "encrypt", *options_for("aes-256-ctr"), "--in-place", "FILE")
    phalanx.assert_refused(done, 2, "not a journal")
    assert phalanx.read(JOURNAL).startswith(b"my own notes")


def test_a_full_disk_shows_before_anything_is_overwritten(phalanx):
    import resource

    prepare(phalanx, "aes-256-ctr", 3 * CHUNK)
    before = phalanx.read("FILE")
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (CHUNK, CHUNK))  # noqa: E731
    done = phalanx.run("raw", "encrypt", *options_for("aes-256-ctr"), "--in-place", "FILE", preexec_fn=limit)
    phalanx.assert_refused(done, 1, JOURNAL)
    assert phalanx.read("FILE") == before and phalanx.names() == ["FILE", "key"]


def test_links_are_followed(phalanx):
    sealed = prepare(phalanx, "aes-256-ctr", 100)
    (phalanx.folder / "link").symlink_to("FILE")
    phalanx.run("raw", "encrypt", *options_for("aes-256-ctr"), "--in-place", "link", check=0)
    assert (phalanx.folder / "link").is_symlink() and phalanx.read("FILE") == sealed
    assert PROGRAM
