"""IN that another program writes while it is read: appended to, made shorter, changed. Each act happens at a call, so that no test waits."""

import fcntl
import os
import signal

import pytest
from conftest import CHUNK, IV16, KEY, RAW_CTR, openssl, random_bytes
from sealed_runs import PARTIAL, RECORD, header_bytes

GREW = b"grew while it was read: what was read before may have changed too"
LATE = b"came too late for OUT"
SECTORS = ["--cipher", "aes-256-xts", "--key-file", "key64", "--sector-size", "4096"]
CBC = ["--cipher", "aes-256-cbc", "--iv", IV16, *KEY]
OPENSSL = ["--openssl", "--cipher", "aes-256-cbc", "--pbkdf2", "--passphrase-file", "pass"]
APPEND = "cat more >> IN"
CHANGE = "printf X | dd of=IN bs=1 conv=notrunc 2> /dev/null"
SETTLED = {  # the moments when all of IN was read, if it is one piece
    "encrypt": f"fdatasync:{RECORD}@1=run",
    "verified": f"fdatasync:{RECORD}@1=run",
    "bare": f"fdatasync:{RECORD}@1=run",
    "redirected": f"fdatasync:{RECORD}@1=run",
    "each": "pwrite:IN.phalanx.phalanx-partial@2=run",
    "ctr": f"pwrite:{PARTIAL}@1=run",
    "decrypt": f"pwrite:{PARTIAL}@1=run",
}

FORMS = {  # the command, and what gives back the plaintext that it took
    "encrypt": (["encrypt", *KEY, "IN", "OUT"], ["decrypt", *KEY, "OUT"]),
    "verified": (["encrypt", "--verify", *KEY, "IN", "OUT"], ["decrypt", *KEY, "OUT"]),
    "bare": (["encrypt", "--bare", *KEY, "IN", "OUT"], ["decrypt", "--bare", *KEY, "OUT"]),
    "redirected": (["encrypt", *KEY, "-", "OUT"], ["decrypt", *KEY, "OUT"]),
    "to a pipe": (["encrypt", *KEY, "IN", "-"], ["decrypt", *KEY, "OUT"]),
    "each": (["encrypt", *KEY, "--each", "IN"], ["decrypt", *KEY, "IN.phalanx"]),
    "ctr": (["raw", "encrypt", *RAW_CTR, "IN", "OUT"], ["raw", "decrypt", *RAW_CTR, "OUT"]),
    "cbc": (["raw", "encrypt", *CBC, "IN", "OUT"], ["raw", "decrypt", *CBC, "OUT"]),
    "sectors": (["raw", "encrypt", *SECTORS, "-", "OUT"], ["raw", "decrypt", *SECTORS, "OUT"]),
    "openssl": (["raw", "encrypt", *OPENSSL, "IN", "OUT"], ["raw", "decrypt", *OPENSSL, "OUT"]),
    "base64": (["raw", "encrypt", *OPENSSL, "-a", "IN", "OUT"], ["raw", "decrypt", *OPENSSL, "-a", "OUT"]),
    "decrypt": (["raw", "decrypt", *RAW_CTR, "IN", "OUT"], ["raw", "encrypt", *RAW_CTR, "OUT"]),
    "decrypt chained": (["raw", "decrypt", *CBC, "--padding", "none", "IN", "OUT"], ["raw", "encrypt", *CBC, "--padding", "none", "OUT"]),
    "one thread": (["encrypt", "--threads", "1", *KEY, "IN", "OUT"], ["decrypt", *KEY, "OUT"]),
}  # fmt: skip
WHOLE_BLOCKS = ("sectors", "decrypt chained")


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("key64", random_bytes(64, seed=3))
    phalanx.write("pass", b"open sesame\n")
    return phalanx


def put(files, size, more=b"the line that matters", form=""):
    """IN, long ago, and `more`, which is appended to it."""
    if form in WHOLE_BLOCKS:
        size, more = size // 16 * 16, more[: len(more) // 16 * 16]
    plain = random_bytes(size, seed=size + 1)
    os.utime(files.write("IN", plain), (1_000_000_000, 1_000_000_000))  # changes show, whatever the clock's step
    files.write("more", more)
    return plain, more


def run(files, form, environment, *options):
    command = [*FORMS[form][0][:-1], *options, FORMS[form][0][-1]] if form == "each" else [*FORMS[form][0], *options]
    with open(files.folder / "IN", "rb") as redirected:
        done = files.run(*command, env=environment, **({"stdin_file": redirected} if "-" in command else {}))
    if form == "to a pipe":
        files.write("OUT", done.stdout)
    return done


def taken(files, form):
    return files.run(*FORMS[form][1], check=0).stdout


def assert_no_out(files):
    assert not [name for name in files.names() if name.startswith("OUT") or "." in name]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size, num_more", [(100_000, 48), (3 * CHUNK + 5008, 2 * CHUNK)])
def test_what_is_appended_is_read_on(files, faults, form, size, num_more):
    plain, more = put(files, size, random_bytes(num_more, seed=9), form)
    done = run(files, form, faults("pread:IN@1=run", actor=APPEND))
    assert done.returncode == 0 and GREW in done.stderr and LATE not in done.stderr, done.stderr
    assert taken(files, form) == plain + more


@pytest.mark.parametrize("form", ["encrypt", "each", "cbc"])
@pytest.mark.parametrize("size", [0, 1, 15, 40_000, CHUNK - 1, CHUNK, CHUNK + 15, CHUNK + 16, 2 * CHUNK])
def test_of_every_length(files, faults, form, size):
    for num_more in (1, CHUNK + 3):
        plain, more = put(files, size, random_bytes(num_more, seed=9), form)
        done = run(files, form, faults("pread:IN@1=run", actor=APPEND), "--force")
        assert done.returncode == 0 and (GREW in done.stderr or size == 0), done.stderr
        assert taken(files, form) == plain + more


@pytest.mark.parametrize("last", range(1, 5))
def test_with_the_last_reads_too(files, faults, last):
    """Nothing is settled before all was read, and not by the thread that is first."""
    plain, more = put(files, 3 * CHUNK + 70)
    done = run(files, "encrypt", faults(f"pread:IN@{last}=run", actor=APPEND))
    assert done.returncode == 0 and GREW in done.stderr
    assert taken(files, "encrypt") == plain + more


@pytest.mark.parametrize("form", SETTLED)
def test_what_comes_when_the_end_is_settled_is_left_out_and_said(files, faults, form):
    plain, more = put(files, 100_000)
    done = run(files, form, faults(SETTLED[form], actor=APPEND))
    assert done.returncode == 0 and GREW in done.stderr and b"its last 21 bytes " + LATE in done.stderr, done.stderr
    assert taken(files, form) == plain


@pytest.mark.parametrize("form", ["encrypt", "each", "cbc"])
@pytest.mark.parametrize("size", [0, 2 * CHUNK])
def test_what_grows_faster_than_it_is_read_ends(files, faults, form, size):
    plain, more = put(files, size, random_bytes(CHUNK // 2, seed=9), form)
    done = run(files, form, faults("pread:IN@every=run", actor=APPEND))
    assert done.returncode == 0 and GREW in done.stderr and LATE in done.stderr, done.stderr
    out = taken(files, form)
    assert len(out) > len(plain) and files.read("IN").startswith(out) and len(out) < len(files.read("IN"))


@pytest.mark.parametrize("form, size", [*((form, 100_000) for form in FORMS), ("encrypt", 2 * CHUNK + 48), ("ctr", 2 * CHUNK + 48)])
def test_what_became_shorter_is_refused(files, faults, form, size):
    put(files, size, form=form)
    assert_refused(files, form, run(files, form, faults("pread:IN@1=run", actor="truncate -s 5008 IN")), b"became shorter")


def assert_refused(files, form, done, what):
    assert done.returncode == 1, (done.returncode, done.stderr)
    name = b"standard input" if form in ("redirected", "sectors") else b"IN"
    assert b": " + name + b" " + what + b" while it was read" in done.stderr and b"--changing-input" in done.stderr
    if form != "to a pipe":
        assert_no_out(files)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("act", [CHANGE, "touch IN"])
def test_what_was_changed_is_refused(files, faults, form, act):
    put(files, 100_000, form=form)
    assert_refused(files, form, run(files, form, faults("pread:IN@1=run", actor=act)), b"was changed")


@pytest.mark.parametrize("form", SETTLED)
@pytest.mark.parametrize("act", [CHANGE, "truncate -s 5008 IN"])
def test_what_was_changed_once_it_was_read_is_refused(files, faults, form, act):
    """The last look sees it."""
    put(files, 100_000, form=form)
    done = run(files, form, faults(SETTLED[form], actor=act))
    assert_refused(files, form, done, b"was changed" if act == CHANGE else b"became shorter")


@pytest.mark.parametrize("act", ["mv IN IN2; ln -s IN2 IN", "ln IN IN2", "chmod 640 IN"])
def test_what_shows_as_a_change_of_the_inode_is_said_so(files, faults, act):
    put(files, 100_000, form="encrypt")
    done = run(files, "encrypt", faults("pread:IN@1=run", actor=act))
    assert_refused(files, "encrypt", done, b"was changed, or renamed, or its links or permissions were,")


@pytest.mark.parametrize("form", FORMS)
def test_what_was_changed_is_taken_where_that_is_allowed(files, faults, form):
    plain, _ = put(files, 100_000, form=form)
    done = run(files, form, faults("pread:IN@1=run", actor=CHANGE), "--changing-input")
    assert done.returncode == 0 and b"was changed while it was read" in done.stderr
    assert taken(files, form) == b"X" + plain[1:]


@pytest.mark.parametrize("form", ["encrypt", "verified", "each", "ctr", "cbc"])
@pytest.mark.parametrize("size", [100_000, 2 * CHUNK + 48])
def test_what_had_gone_is_zeros_where_that_is_allowed(files, faults, form, size):
    """And said: pieces are of one length, whatever a file becomes."""
    plain, _ = put(files, size)
    done = run(files, form, faults("pread:IN@1=run", actor="truncate -s 5008 IN"), "--changing-input")
    assert done.returncode == 0 and b"became shorter while it was read" in done.stderr and b"are zeros in OUT" in done.stderr
    out = taken(files, form)
    assert len(out) == size and out[:5008] == plain[:5008] and not any(out[-32:])
    for place in range(0, size, CHUNK):  # another thread may have read its piece before
        rest = max(place, 5008)
        assert out[rest : place + CHUNK] == plain[rest : place + CHUNK] or not any(out[rest : place + CHUNK])


def test_verify_reads_what_grew_once_more(files, faults):
    """Whoever appends may have changed what was read before. Of one piece, the end is settled before a record is written."""
    plain, more = put(files, 100_000)
    moment = f"fdatasync:{RECORD}@1=run"
    done = run(files, "verified", faults(moment, actor=f"{CHANGE}; {APPEND}"))
    assert done.returncode == 1 and GREW in done.stderr and b"what was read before is another now" in done.stderr
    assert_no_out(files)
    put(files, 100_000)
    done = run(files, "verified", faults(moment, actor=f"{CHANGE}; {APPEND}"), "--changing-input")
    assert done.returncode == 0 and taken(files, "verified") == plain
    put(files, 100_000)
    done = run(files, "encrypt", faults(moment, actor=f"{CHANGE}; {APPEND}"), "--force")
    assert done.returncode == 0 and GREW in done.stderr and taken(files, "encrypt") == plain


def test_one_of_several_files(files, faults):
    for name in ("a", "b", "c"):
        files.write(name, random_bytes(50_000))
        os.utime(files.folder / name, (1_000_000_000, 1_000_000_000))
    done = files.run("encrypt", *KEY, "--each", "a", "b", "c", env=faults("pread:b@1=run", actor="touch b"))
    assert done.returncode == 1 and b"b was changed while it was read" in done.stderr
    assert [name for name in files.names() if "phalanx" in name] == ["a.phalanx", "c.phalanx"]


def test_quiet_and_what_has_no_end_of_its_own(files, faults):
    put(files, 100_000)
    done = run(files, "encrypt", faults("pread:IN@1=run", actor=APPEND), "-q")
    assert (done.returncode, done.stderr) == (0, b"")
    for source in ("/proc/sys/kernel/hostname", "/proc/version", "/dev/null"):
        if os.path.exists(source):
            done = files.run("encrypt", *KEY, "-f", source, "OUT", check=0)
            assert done.stderr == b""
    assert files.run("encrypt", *KEY, "-f", "-", "OUT", stdin=b"through a pipe", check=0).stderr == b""
    done = files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN", "--changing-input")
    files.assert_refused(done, 2, "--changing-input", "--in-place")


def test_real_files_that_are_redirected_are_left_where_reading_ended(files, faults):
    """Whoever shares the descriptor goes on there: also where the file has grown."""
    plain, more = put(files, 100_000)
    with open(files.folder / "IN", "rb") as redirected:
        redirected.seek(10)
        done = files.run("encrypt", *KEY, "-", "OUT", stdin_file=redirected, env=faults("pread:IN@1=run", actor=APPEND))
        assert done.returncode == 0 and os.lseek(redirected.fileno(), 0, os.SEEK_CUR) == len(plain + more)
    assert taken(files, "encrypt") == (plain + more)[10:]


@pytest.mark.parametrize("size", [5, 100_000, 2 * CHUNK])
@pytest.mark.parametrize("moment", ["rename:.phalanx-partial@1=kill", f"pwrite:{PARTIAL}@3=kill", f"fdatasync:{RECORD}@2=kill-after"])
def test_resume_seals_the_length_that_was_settled(files, faults, size, moment):
    """The record of the last piece has it. IN has grown since: that is said, and not sealed."""
    plain, more = put(files, size, random_bytes(CHUNK + 5, seed=9))
    done = files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", env=faults(moment))
    assert done.returncode == -signal.SIGKILL
    left, record = files.read(PARTIAL), files.read(RECORD)
    files.write("IN", plain + more)
    done = files.run("encrypt", *KEY, "--resume", "--verify", "IN", "OUT", check=0)
    out = taken(files, "encrypt")
    if b"not in OUT" in done.stderr:
        assert out == plain and b"has %d bytes more" % len(more) in done.stderr
    else:  # not one of several pieces was the last
        assert out == plain + more and "rename" not in moment and size > CHUNK
    assert_nothing_sealed_twice(left, files.read("OUT"))
    for content in (plain[:-1], b"X" + plain[1:], plain[:-1] + b"X" + more):
        files.write(PARTIAL, left)
        files.write(RECORD, record)
        files.write("IN", content)
        (files.folder / "OUT").unlink(missing_ok=True)
        done = files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT")
        assert (done.returncode == 2 and b"another content of IN" in done.stderr) or (done.returncode == 0 and "rename" not in moment)
        if done.returncode == 0:
            assert_nothing_sealed_twice(left, files.read("OUT"))


def assert_nothing_sealed_twice(left, out):
    """What stood in a partial file, byte by byte, stands in OUT: whatever is there that is not a hole, the short last chunk included."""
    start = header_bytes(out) + 56
    if left[:start] != out[:start]:
        return  # begun afresh, under other keys
    for place in range(0, len(left), 65536):
        ours, theirs = left[place : place + 65536], out[place : place + 65536]
        if ours != theirs:
            theirs = theirs.ljust(len(ours), b"\0")
            assert all(byte in (0, theirs[i]) for i, byte in enumerate(ours)), place


def read_unlocked(files, name):
    """Once nobody holds it: the actor of a run that was killed shares its lock for a moment."""
    with open(files.folder / name, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return file.read()


def test_an_attacker_who_watches_the_disk_while_in_grows(files, faults):
    """A run is killed at every change of the disk, IN having grown; another is, IN having grown again; at last one is not. No chunk that
    was ever on the disk stands otherwise at any later look: short last chunks are chunks too."""
    grown = 0
    for call in range(1, 100):
        plain, _ = put(files, 2 * CHUNK + 16384 + 9, random_bytes(20_000, seed=9))
        command, looks = ["encrypt", *KEY, "--resume", "-q", "IN", "OUT"], []
        for number in (call, 1 + call % 7):
            rules = f"pread:IN@{1 + call % 4}=run;change@{number}={'tear' if call % 2 else 'kill-after'}"
            done = files.run(*command, env=faults(rules, actor=APPEND))
            assert done.returncode in (0, -signal.SIGKILL), done.stderr
            looks.append(read_unlocked(files, PARTIAL) if PARTIAL in files.names() else b"")
            if "OUT" in files.names():
                break
            with open(files.folder / "IN", "ab") as log:
                log.write(b"and some more")
        finished = done.returncode == 0 and len(looks) == 1
        if "OUT" not in files.names():
            files.run(*command, check=0)
        out = files.read("OUT")
        for look in looks:
            if look:
                assert_nothing_sealed_twice(look, out)
        sealed = taken(files, "encrypt")
        assert files.read("IN").startswith(sealed) and len(sealed) >= len(plain)
        grown += len(sealed) > len(plain)
        for name in ("OUT", RECORD, PARTIAL):
            (files.folder / name).unlink(missing_ok=True)
        if finished:
            break
    assert finished and call > 10 and grown > 3


def test_decrypt_goes_by_what_is_authentic(files, faults):
    """A container that grows is read up to the length that it had; one that changes is not authentic, or ends too early."""
    plain = random_bytes(100_000)  # one piece: no other thread reads before the act
    files.write("IN", plain)
    files.run("encrypt", *KEY, "IN", "BOX", check=0)
    box = files.read("BOX")
    for act, code in [("cat key >> BOX", 0), ("head -c 9 key | dd of=BOX bs=1 seek=50000 conv=notrunc 2> /dev/null", 3),
                      ("truncate -s 2000 BOX", 1)]:  # fmt: skip
        files.write("BOX", box)
        done = files.run("decrypt", *KEY, "BOX", "OUT", env=faults("pread:BOX@1=run", actor=act))
        assert done.returncode == code, done.stderr
        if code == 0:
            assert files.read("OUT") == plain
            (files.folder / "OUT").unlink()
        assert_no_out(files)


def test_openssl_reads_what_grew(files, faults):
    plain, more = put(files, 100_000)
    run(files, "openssl", faults("pread:IN@1=run", actor=APPEND))
    assert openssl("enc", "-d", "-aes-256-cbc", "-pbkdf2", "-pass", "file:pass", "-in", "OUT", cwd=files.folder) == plain + more
