"""encrypt, decrypt and recipients when they are killed, when disks are full and calls fail: no OUT that is not whole and right, and
nothing lost."""

import random
import signal
import subprocess

import pytest
from conftest import PROGRAM, Phalanx, random_bytes, without_sanitizer
from sealed_runs import KEY, NUM_KILLS, PARTIAL, RECORD, SEED, assert_same_chunks, check_sealed, files, plain, run_with  # noqa: F401


def num_calls(files, faults, *arguments):
    """How many calls of any kind on files a whole run makes."""
    log = files.folder.parent / "calls"
    log.unlink(missing_ok=True)
    assert files.run(*arguments, env=faults(log=log)).returncode == 0
    return len(log.read_text().splitlines())


def kill_at(files, faults, call, *arguments):
    """SIGKILL at that call, before it or within. Returns whether it was reached."""
    done = run_with(files, faults, f"any@{call}={'kill' if call % 2 else 'tear'}", *arguments)
    assert done.returncode in (0, -signal.SIGKILL), (done.returncode, done.stderr)
    return done.returncode != 0


@pytest.mark.parametrize("command, target", [("encrypt", "IN"), ("decrypt", "BOX")])
def test_kills_at_random_calls_then_resume(files, faults, plain, command, target):
    print(f"PHALANX_KILLS_SEED={SEED}")
    moments = random.Random(f"{SEED} {command}")
    whole = num_calls(files, faults, command, *KEY, "--force", target, "OUT")
    (files.folder / "OUT").unlink()
    num_killed = num_resumed = 0
    for i in range(NUM_KILLS * 2 // 5):
        for name in ("OUT", PARTIAL, RECORD):
            (files.folder / name).unlink(missing_ok=True)
        again = [command, *KEY, "--resume", "-q", target, "OUT"]
        first = [command, *KEY, target, "OUT"] if i % 2 else again
        if i == 0:  # when a piece is there: all others may come too early or too late for something to go on from
            assert run_with(files, faults, f"pwrite:{PARTIAL}@4=kill", *first).returncode == -signal.SIGKILL
            num_killed += 1
        else:
            num_killed += kill_at(files, faults, moments.randint(1, whole), *first)
        if "OUT" not in files.names() and i % 3:
            num_killed += kill_at(files, faults, moments.randint(1, whole), *again)
        left = files.read(PARTIAL) if PARTIAL in files.names() else b""
        if "OUT" not in files.names():
            files.run(*again, check=0)
        (files.folder / RECORD).unlink(missing_ok=True)  # of a run that was killed after the rename
        assert files.names() == ["BOX", "IN", "OUT", "key", "other"]
        if command == "encrypt":
            check_sealed(files, plain)
            num_resumed += left != b"" and assert_same_chunks(left, files.read("OUT"))
        else:
            assert files.read("OUT") == plain
            num_resumed += left != b""
    assert num_killed > NUM_KILLS * 2 // 5 // 2 and num_resumed > 0, (num_killed, num_resumed)
    print(f"{command}: {num_killed} kills, {num_resumed} resumed")


def test_kills_of_recipients(files, faults, plain):
    moments = random.Random(f"{SEED} recipients")
    commands = [["recipients", "add", "--add-key-file", "other"], ["recipients", "remove", "--remove", "2"]]
    commands = [[*command, *KEY, "-q", "BOX"] for command in commands]
    wholes = [num_calls(files, faults, *command) for command in commands]  # that of one would often come too late for the other
    num_killed = 0
    for i in range(NUM_KILLS // 5):
        before, command = files.read("BOX"), commands[i % 2]
        if kill_at(files, faults, moments.randint(1, wholes[i % 2]), *command):
            num_killed += 1
            if files.read("BOX") == before:
                files.run(*command, check=0)
        assert files.names() == ["BOX", "IN", "key", "other"]
        check_sealed(files, plain, "BOX")
        assert (files.run("decrypt", "--key-file", "other", "BOX").returncode == 0) == (i % 2 == 0)
    assert num_killed > NUM_KILLS // 10


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


@pytest.mark.parametrize("command", ["decrypt", "recipients"])
def test_decrypt_and_recipients_crash_at_every_kind_of_call(files, faults, plain, command):
    line = {"decrypt": ["decrypt", *KEY, "--resume", "-q", "BOX", "OUT"], "recipients": ["recipients", "add", *KEY, "--add-key-file", "other", "-q", "BOX"]}[command]
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


def test_short_calls_change_nothing(files, faults, plain):
    short = "read,write@every=ragged"
    assert run_with(files, faults, short, "encrypt", *KEY, "IN", "OUT").returncode == 0
    check_sealed(files, plain)
    assert run_with(files, faults, short, "decrypt", *KEY, "OUT", "BACK").returncode == 0
    assert files.read("BACK") == plain
    part = run_with(files, faults, short, "decrypt", *KEY, "--range", "5000000:", "OUT")
    assert part.stdout == plain[5_000_000:]
    assert run_with(files, faults, short, "recipients", "add", *KEY, "--add-key-file", "other", "OUT").returncode == 0
    check_sealed(files, plain, key=["--key-file", "other"])


@pytest.mark.parametrize("fault", ["read@{}=EIO", "write@{}=ENOSPC", "sync@{}=EIO"])
@pytest.mark.parametrize("command", ["encrypt", "decrypt", "recipients"])
def test_failing_calls_leave_nothing(files, faults, plain, fault, command):
    line = {"encrypt": [*KEY, "IN", "OUT"], "decrypt": [*KEY, "BOX", "OUT"], "recipients": ["add", *KEY, "--add-key-file", "other", "BOX"]}[command]
    box, num_failed = files.read("BOX"), 0
    for number in (1, 2, 3, 5, 8):
        done = run_with(files, faults, fault.format(number), command, *line)
        if done.returncode == 0:  # fewer calls than that
            (files.folder / "OUT").unlink(missing_ok=True)
            files.write("BOX", box)
            continue
        num_failed += 1
        files.assert_refused(done, 1, "No space" if fault.startswith("write") else "error")
        if b"make durable" in done.stderr:  # after the rename: all is there
            check_sealed(files, plain, "BOX" if command != "encrypt" else "OUT")
            (files.folder / "OUT").unlink(missing_ok=True)
            files.write("BOX", box)
        assert files.names() == ["BOX", "IN", "key", "other"] and files.read("BOX") == box
    assert num_failed > 0


def test_a_full_disk_then_resume(files, plain):
    """A file system of 4 MiB, which the 5 MiB of IN fill: at once where their number is known, on the way where they come through a
    pipe. It is enlarged, and the run goes on where it was."""
    script = f"""mkdir small && mount -t tmpfs -o size=4m none small || exit 99
      {PROGRAM} encrypt {' '.join(KEY)} IN small/OUT; echo $?; ls -A small
      cat IN | {PROGRAM} encrypt {' '.join(KEY)} --resume - small/OUT; echo $?; ls -A small
      mount -o remount,size=20m small || exit 99
      {PROGRAM} encrypt {' '.join(KEY)} --resume IN small/OUT; echo $?; ls -A small; cp small/OUT OUT
      mount -o remount,size=8m small
      {PROGRAM} decrypt {' '.join(KEY)} OUT small/BACK; echo $?; ls -A small"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=files.folder, capture_output=True)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this system does not let us mount a small file system")
    assert done.stdout.decode().split() == ["1", "1", PARTIAL, RECORD, "0", "OUT", "1", "OUT"], (done.stdout, done.stderr)
    lines = done.stderr.decode().splitlines()
    assert sum("No space left" in line for line in lines) == 3 and sum("are done" in line for line in lines) == 1
    check_sealed(files, plain)


@without_sanitizer
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
