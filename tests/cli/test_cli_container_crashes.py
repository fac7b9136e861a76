"""encrypt, decrypt and rekey when they are killed, when disks are full and calls fail: no OUT that is not whole and right, nothing
lost, and no chunk sealed twice with different content."""

import os
import random
import signal
import subprocess
import time

import pytest
from conftest import CHUNK, PROGRAM, Phalanx, random_bytes

KEY = ["--key-file", "key"]
PARTIAL = "OUT.phalanx-partial"
PREFIX, SEALED_CHUNK = 56, 16400
SEALED_PIECE = 256 * SEALED_CHUNK
RECORD = 32768
NUM_KILLS = int(os.environ.get("PHALANX_KILLS", "40"))
SEED = int(os.environ.get("PHALANX_KILLS_SEED", str(random.SystemRandom().randrange(1 << 32))))


@pytest.fixture(scope="module")
def plain():
    """Four pieces that are not recorded, and two or more that are."""
    return random_bytes((5 if NUM_KILLS < 200 else 20) * CHUNK + 12_345, seed=21)


@pytest.fixture
def files(phalanx, plain):
    phalanx.write("key", random_bytes(32))
    phalanx.write("other", random_bytes(32, seed=2))
    phalanx.write("IN", plain)
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    return phalanx


def run_with(files, faults, rules, *arguments):
    return files.run(*arguments, env=faults(rules))


def header_bytes(sealed):
    return 12 + int.from_bytes(sealed[10:12], "big") + 64


def check_sealed(files, plain, name="OUT", key=KEY):
    assert files.run("decrypt", *key, name, check=0).stdout == plain


def assert_same_chunks(left, out):
    """No chunk that was on the disk before stands otherwise in OUT under the same key: holes, records and torn chunks aside."""
    start = header_bytes(out) + PREFIX
    if left[:start] != out[:start]:
        return False  # begun afresh
    for number in range((min(len(left), len(out)) - start) // SEALED_CHUNK):
        place = start + number * SEALED_CHUNK
        piece = start + number // 256 * SEALED_PIECE
        recorded = left[piece : piece + 16] == b"phalanx resume 1" and place < piece + RECORD
        chunk = left[place : place + SEALED_CHUNK]
        if not recorded and any(chunk[-16:]):
            assert chunk == out[place : place + SEALED_CHUNK], number
    return True


def kill_at(files, moment, *arguments):
    """Whether the kill came before the end."""
    process = files.start(*arguments)
    time.sleep(moment)
    process.kill()
    process.communicate()
    assert process.returncode in (0, -signal.SIGKILL), process.returncode
    return process.returncode != 0


def time_of(files, *arguments):
    start = time.monotonic()
    files.run(*arguments, check=0)
    return time.monotonic() - start


@pytest.mark.parametrize("command, target", [("encrypt", "IN"), ("decrypt", "BOX")])
def test_kills_at_random_moments_then_resume(files, plain, command, target):
    print(f"PHALANX_KILLS_SEED={SEED}")
    moments = random.Random(f"{SEED} {command}")
    whole = time_of(files, command, *KEY, "--force", target, "OUT")
    (files.folder / "OUT").unlink()
    num_killed = num_resumed = 0
    for i in range(NUM_KILLS * 2 // 5):
        for name in ("OUT", PARTIAL):
            (files.folder / name).unlink(missing_ok=True)
        again = [command, *KEY, "--resume", "-q", target, "OUT"]
        num_killed += kill_at(files, moments.uniform(0, whole), *([command, *KEY, target, "OUT"] if i % 2 else again))
        if "OUT" not in files.names() and i % 3:
            num_killed += kill_at(files, moments.uniform(0, whole), *again)
        left = files.read(PARTIAL) if PARTIAL in files.names() else b""
        if "OUT" not in files.names():
            files.run(*again, check=0)
        assert files.names() == ["BOX", "IN", "OUT", "key", "other"]
        if command == "encrypt":
            check_sealed(files, plain)
            num_resumed += left != b"" and assert_same_chunks(left, files.read("OUT"))
        else:
            assert files.read("OUT") == plain
            num_resumed += left != b""
    assert num_killed > 3 and (num_resumed > 0 or NUM_KILLS < 200), (num_killed, num_resumed)
    print(f"{command}: {num_killed} kills, {num_resumed} resumed")


def test_kills_of_rekey(files, plain):
    moments = random.Random(f"{SEED} rekey")
    whole = time_of(files, "rekey", *KEY, "--add-key-file", "other", "BOX")
    num_killed = 0
    for i in range(NUM_KILLS // 5):
        before = files.read("BOX")
        command = ["rekey", *KEY, "-q", *(["--remove", "2"] if i % 2 == 0 else ["--add-key-file", "other"]), "BOX"]
        if kill_at(files, moments.uniform(0, whole), *command):
            num_killed += 1
            if files.read("BOX") == before:
                files.run(*command, check=0)
        assert files.names() == ["BOX", "IN", "key", "other"]
        check_sealed(files, plain, "BOX")
        assert (files.run("decrypt", "--key-file", "other", "BOX").returncode == 0) == (i % 2 == 1)
    assert num_killed > 0


def crash(files, faults, call, *arguments):
    """Runs with a crash at that call. Returns whether it was reached."""
    done = run_with(files, faults, f"change@{call}=tear", *arguments)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def test_encrypt_crashes_at_every_kind_of_call(files, faults, plain):
    """After each crash, what is in the partial file must stand in the finished one, byte for byte, unless it was begun anew."""
    command, num_resumed = ["encrypt", *KEY, "--resume", "-q", "IN", "OUT"], 0
    for call in range(1, 200):
        if not crash(files, faults, call, *command):
            assert call > 10 and num_resumed > 2
            break
        left = files.read(PARTIAL) if PARTIAL in files.names() else b""
        if call % 3 == 0 and "OUT" not in files.names():
            crash(files, faults, 1 + call % 5, *command)
        if "OUT" not in files.names():
            files.run(*command, check=0)
        num_resumed += left != b"" and assert_same_chunks(left, files.read("OUT"))
        check_sealed(files, plain)
        (files.folder / "OUT").unlink()
    else:
        pytest.fail("the command never ran to its end")


@pytest.mark.parametrize("command", ["decrypt", "rekey"])
def test_decrypt_and_rekey_crash_at_every_kind_of_call(files, faults, plain, command):
    line = {"decrypt": ["decrypt", *KEY, "--resume", "-q", "BOX", "OUT"], "rekey": ["rekey", *KEY, "--add-key-file", "other", "-q", "BOX"]}[command]
    for call in range(1, 200):
        if not crash(files, faults, call, *line):
            break
        if command == "decrypt":
            if "OUT" not in files.names():
                files.run(*line, check=0)
            assert files.read("OUT") == plain
            (files.folder / "OUT").unlink()
        else:
            check_sealed(files, plain, "BOX")
    else:
        pytest.fail("the command never ran to its end")
    assert call > 5


def leave_partial(files, faults, *options):
    """A partial file of encrypt, from a crash within the first write after the first record became durable."""
    for call in range(9, 20):
        assert crash(files, faults, call, "encrypt", *KEY, *options, "-q", "--resume", "IN", "OUT")
        content = files.read(PARTIAL)
        (files.folder / PARTIAL).unlink()
        if content[-RECORD:].startswith(b"phalanx resume 1") and any(content[-RECORD - 2 * SEALED_PIECE - 16 : -RECORD - CHUNK]):
            start = (0 if "--bare" in options else header_bytes(content)) + PREFIX + 4 * SEALED_PIECE
            if any(content[start : start + 1000]):
                files.write(PARTIAL, content)
                return content
    raise AssertionError("no crash at the right place")


def test_resume_goes_on_with_the_same_keys(files, faults, plain):
    left = leave_partial(files, faults)
    done = files.run("encrypt", *KEY, "--resume", "IN", "OUT", check=0)
    assert b"are done" in done.stderr and files.read("OUT")[: header_bytes(left) + PREFIX] == left[: header_bytes(left) + PREFIX]
    check_sealed(files, plain)


def test_resume_with_another_content_is_refused(files, faults, plain):
    """In finished pieces and in the recorded ones: nothing is written, and only a fresh start seals the new content."""
    left = leave_partial(files, faults)
    for place in (0, 3 * CHUNK + 5, 4 * CHUNK, 4 * CHUNK + 77):
        changed = bytearray(plain)
        changed[place] ^= 1
        files.write("IN", bytes(changed))
        files.assert_refused(files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT"), 2, "another content", "--force")
        assert files.read(PARTIAL) == left and "OUT" not in files.names()
    for shorter in (plain[: 2 * CHUNK], plain[: 4 * CHUNK], plain[: 4 * CHUNK + 100], b""):
        files.write("IN", shorter)
        files.assert_refused(files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT"), 2, "another content")
        assert files.read(PARTIAL) == left
    files.write("IN", bytes(changed))
    files.run("encrypt", *KEY, "--force", "IN", "OUT", check=0)
    out = files.read("OUT")
    assert out[: header_bytes(out)] != left[: header_bytes(left)]
    check_sealed(files, bytes(changed))


def test_resume_after_lost_and_torn_writes(files, faults, plain):
    """What a power cut may leave: pieces of the recorded group that are not there, and a newer record that is torn."""
    left = leave_partial(files, faults)
    start = header_bytes(left) + PREFIX
    damaged = left[: start - PREFIX] + bytes(PREFIX) + left[start:]
    files.write(PARTIAL, damaged)
    assert b"afresh" in files.run("encrypt", *KEY, "--resume", "IN", "OUT", check=0).stderr
    (files.folder / "OUT").unlink()
    files.write(PARTIAL, left)
    finished = files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", check=0) and files.read("OUT")
    (files.folder / "OUT").unlink()
    group = start + 4 * SEALED_PIECE
    ends = [left]
    if (len(left) - RECORD - start) % SEALED_PIECE == 0:  # there is another group, which has a record of its own
        ends += [left + bytes(SEALED_PIECE), left + bytes(SEALED_PIECE) + left[-RECORD:-7] + bytes(7)]
    for damaged in (
        *ends,
        left[:group] + bytes(SEALED_CHUNK * 200) + left[group + SEALED_CHUNK * 200 :],
        left[: group + 5000] + bytes(50_000) + left[group + 55_000 :],
    ):
        files.write(PARTIAL, damaged)
        files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", check=0)
        assert files.read("OUT")[:start] == left[:start] and files.read("OUT") == finished
        (files.folder / "OUT").unlink()
    for damaged in (left[: len(left) - RECORD], b"", left[:50], bytes(len(left)), left[:start], b"not ours" * 100):
        files.write(PARTIAL, damaged)
        done = files.run("encrypt", *KEY, "--resume", "IN", "OUT", check=0)
        assert (b"afresh" in done.stderr) == (damaged != b"") and files.read("OUT")[:start] != left[:start]
        check_sealed(files, plain)
        (files.folder / "OUT").unlink()


def test_resume_wants_the_same_command(files, faults, plain):
    left = leave_partial(files, faults)
    files.write("key16", random_bytes(16))
    for options, code, word in [
        (["--key-file", "other"], 4, ""),
        ([*KEY, "--key-file", "other"], 2, "recipients"),
        (["--key-file", "key16", "--cipher", "aes-128"], 2, "--cipher aes-256"),
    ]:
        files.assert_refused(files.run("encrypt", *options, "--resume", "IN", "OUT"), code, word)
        assert files.read(PARTIAL) == left and "OUT" not in files.names()
    files.assert_refused(files.run("encrypt", *KEY, "IN", "OUT"), 2, PARTIAL, "--resume", "--force")
    assert files.read(PARTIAL) == left
    place = header_bytes(left) + PREFIX + 3 * SEALED_CHUNK
    files.write(PARTIAL, left[:place] + b"?" + left[place + 1 :])
    files.assert_refused(files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT"), 2, "--force")


def test_a_bare_message_resumes_too(files, faults, plain):
    bare = ["encrypt", *KEY, "--bare", "--context", "0102", "--resume", "-q"]
    prefix = leave_partial(files, faults, "--bare", "--context", "0102")[:PREFIX]
    files.assert_refused(files.run("encrypt", *KEY, "--bare", "--resume", "-q", "IN", "OUT"), 4)
    files.run(*bare, "IN", "OUT", check=0)
    assert files.read("OUT")[:PREFIX] == prefix
    assert files.run("decrypt", *KEY, "--bare", "--context", "0102", "OUT", check=0).stdout == plain


def test_decrypt_resumes_and_compares(files, plain):
    for found, code in [
        (plain[: 3 * CHUNK + 5], 0), (plain, 0), (plain[:4096] + bytes(8192) + plain[12288 : 2 * CHUNK], 0),
        (b"another beginning", 2), (plain + b"more", 2), (plain[:CHUNK] + b"?" + plain[CHUNK + 1 : 2 * CHUNK], 2),
    ]:  # fmt: skip
        files.write(PARTIAL, found)
        done = files.run("decrypt", *KEY, "--resume", "-q", "BOX", "OUT")
        assert done.returncode == code, done.stderr
        if code == 0:
            assert files.read("OUT") == plain and PARTIAL not in files.names()
            (files.folder / "OUT").unlink()
        else:
            assert files.read(PARTIAL) == found and "OUT" not in files.names()


def test_signals_keep_the_partial_file_only_for_resume(files):
    for option, left in [([], False), (["--resume"], True)]:
        process = files.start("encrypt", *KEY, *option, "-", "OUT")
        process.stdin.write(bytes(3 * CHUNK))
        process.stdin.flush()
        end = time.monotonic() + 20
        while not ((files.folder / PARTIAL).exists() and (files.folder / PARTIAL).stat().st_size > CHUNK):
            assert time.monotonic() < end
            time.sleep(0.01)
        busy = files.run("encrypt", *KEY, "--resume", "IN", "OUT")
        files.assert_refused(busy, 2, "in use")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 143
        assert (PARTIAL in files.names()) == left and (b"continues" in process.stderr.read()) == left


def test_short_calls_change_nothing(files, faults, plain):
    short = "read,write@every=ragged"
    assert run_with(files, faults, short, "encrypt", *KEY, "IN", "OUT").returncode == 0
    check_sealed(files, plain)
    assert run_with(files, faults, short, "decrypt", *KEY, "OUT", "BACK").returncode == 0
    assert files.read("BACK") == plain
    part = run_with(files, faults, short, "decrypt", *KEY, "--range", "5000000:9000000", "OUT")
    assert part.stdout == plain[5_000_000:14_000_000]
    assert run_with(files, faults, short, "rekey", *KEY, "--add-key-file", "other", "OUT").returncode == 0
    check_sealed(files, plain, key=["--key-file", "other"])


@pytest.mark.parametrize("fault", ["read@{}=EIO", "write@{}=ENOSPC", "sync@{}=EIO"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt", "rekey"])
def test_failing_calls_leave_nothing(files, faults, plain, fault, command):
    line = {"encrypt": [*KEY, "IN", "OUT"], "decrypt": [*KEY, "BOX", "OUT"], "rekey": [*KEY, "--add-key-file", "other", "BOX"]}[command]
    box, num_failed = files.read("BOX"), 0
    for number in (1, 2, 3, 5, 8):
        done = run_with(files, faults, fault.format(number), command, *line)
        if done.returncode == 0:  # fewer calls than that
            (files.folder / "OUT").unlink(missing_ok=True)
            files.write("BOX", box)
            continue
        num_failed += 1
        files.assert_refused(done, 1, "No space" if fault.startswith("write") else "error")
        assert files.names() == ["BOX", "IN", "key", "other"] and files.read("BOX") == box
    assert num_failed > 0


def test_a_full_disk_then_resume(files, plain):
    """A file system of 18 MiB, which the 20 MiB of IN fill; it is enlarged, and the run goes on where it was."""
    script = f"""mkdir small && mount -t tmpfs -o size=18m none small || exit 99
      {PROGRAM} encrypt {' '.join(KEY)} IN small/OUT; echo $?; ls -A small
      {PROGRAM} encrypt {' '.join(KEY)} --resume IN small/OUT; echo $?; ls -A small
      mount -o remount,size=80m small || exit 99
      {PROGRAM} encrypt {' '.join(KEY)} --resume IN small/OUT; echo $?; ls -A small; cp small/OUT OUT
      mount -o remount,size=30m small
      {PROGRAM} decrypt {' '.join(KEY)} OUT small/BACK; echo $?; ls -A small"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=files.folder, capture_output=True)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this system does not let us mount a small file system")
    assert done.stdout.decode().split() == ["1", "1", PARTIAL, "0", "OUT", "1", "OUT"], (done.stdout, done.stderr)
    lines = done.stderr.decode().splitlines()
    assert sum("No space left" in line for line in lines) == 3 and sum("are done" in line for line in lines) == 1
    check_sealed(files, plain)


def test_nothing_grows_with_the_input(tmp_path):
    """Also that the class above is what it says: a run in a folder of its own."""
    phalanx = Phalanx(tmp_path)
    phalanx.write("key", random_bytes(32))
    limit = 90 << 10  # KiB: six pieces in, six out, and the program
    command = f"ulimit -v 4000000; head -c 300M /dev/zero | /usr/bin/env time -f %M {PROGRAM} encrypt --key-file key - /dev/null"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True)
    if b"No such file" in done.stderr:
        pytest.skip("no time here")
    assert done.returncode == 0 and int(done.stderr.split()[-1]) < limit, done.stderr
