"""Progress, and memory that does not grow with the input."""

import json
import os
import signal
import subprocess
import sys

import pytest
from conftest import CHUNK, IV16, MOST_SECONDS, PROGRAM, random_bytes, run_on_terminal, wait_for

CTR = f"--cipher aes-256-ctr --iv {IV16} --key-file key".split()
MOST_MEMORY = 64 << 20  # of one run: six chunks of 4 MiB, and the program with its libraries


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    return phalanx


def test_progress_as_json(files):
    process = files.start("raw", "encrypt", *CTR, "--progress", "json", "-", "OUT")
    process.stdin.write(bytes(3 * CHUNK))
    process.stdin.flush()
    lines = [json.loads(process.stderr.readline())]  # while it waits for more
    while lines[-1]["bytes"] == 0:
        lines.append(json.loads(process.stderr.readline()))
    process.stdin.close()
    assert process.wait(timeout=MOST_SECONDS) == 0
    lines += [json.loads(line) for line in process.stderr.read().splitlines()]
    assert len(lines) >= 2
    assert [line["finished"] for line in lines] == [False] * (len(lines) - 1) + [True]
    assert lines[0]["total_bytes"] is None and lines[0]["seconds_left"] is None
    counts = [line["bytes"] for line in lines]
    assert counts == sorted(counts) and counts[-1] == 3 * CHUNK
    assert lines[-1]["bytes_per_second"] == pytest.approx(3 * CHUNK / lines[-1]["seconds"], rel=0.01)


def test_progress_of_a_file_knows_the_end(files):
    files.write("IN", bytes(1000))
    done = files.run("raw", "encrypt", *CTR, "--progress", "json", "IN", "OUT", check=0)
    last = json.loads(done.stderr.splitlines()[-1])
    assert last["total_bytes"] == last["bytes"] == 1000 and last["seconds_left"] == 0 and last["finished"]


def test_progress_bar_on_a_terminal_only(files):
    assert files.run("raw", "encrypt", *CTR, "-", "OUT", stdin=bytes(CHUNK), check=0).stderr == b""
    reader, writer = os.pipe()
    os.write(writer, bytes(1000))
    end_input = (b"/s", lambda: os.close(writer))
    code, shown = run_on_terminal(["raw", "encrypt", *CTR, "-", "OUT2"], files.folder, stdin=reader, when=end_input)
    os.close(reader)
    assert code == 0 and b"/s" in shown and b"\r\x1b[K" in shown and shown.rstrip().endswith(b" s")


def test_an_interruption_takes_the_place_of_the_bar(files):
    reader, writer = os.pipe()
    os.write(writer, bytes(1000))
    command = ["-c", f"exec 3<&0; {PROGRAM} raw encrypt {' '.join(CTR)} - OUT <&3 & echo $! >number; wait $!"]

    def interrupt():
        wait_for(lambda: "number" in files.names() and files.read("number").endswith(b"\n"))  # the shell may be later than the bar
        os.kill(int(files.read("number")), signal.SIGTERM)  # the shell starts it with SIGINT ignored

    code, shown = run_on_terminal(command, files.folder, program="/bin/sh", stdin=reader, when=(b"/s", interrupt))
    os.close(reader)
    os.close(writer)
    assert code == 143 and shown.endswith(b"\r\x1b[Kphalanx: interrupted\r\n") and b"/s" in shown
    assert files.names() == ["key", "number"]


def test_quiet_is_quiet(files):
    done = files.run("raw", "encrypt", *CTR, "-q", "--progress", "json", "-", "OUT", stdin=bytes(99), check=0)
    assert done.stderr == b""


# The peak of a child counts what its parent had when it was forked: a small parent, then, not the tests' own process.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
sys.exit(f"exit status {status}") if status else sys.stderr.write(str(usage.ru_maxrss))
"""


def peak_memory(files, size, *options):
    source = subprocess.Popen(["head", "-c", str(size), "/dev/zero"], stdout=subprocess.PIPE)
    command = [sys.executable, "-S", "-c", MEASURE, PROGRAM, "raw", *options, "-", "/dev/null"]
    done = subprocess.run(command, stdin=source.stdout, cwd=files.folder, stderr=subprocess.PIPE)
    source.stdout.close()
    source.wait()
    assert done.returncode == 0, done.stderr
    return int(done.stderr) * 1024


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="the sanitizer's own memory")
@pytest.mark.parametrize("options", [["encrypt", *CTR], ["decrypt", *CTR]], ids=["encrypt", "decrypt"])
def test_memory_stays_flat(files, options):
    small = peak_memory(files, 64 << 20, *options)
    large = peak_memory(files, 1 << 30, *options)
    assert large <= MOST_MEMORY and large - small <= 8 << 20, (small, large)
