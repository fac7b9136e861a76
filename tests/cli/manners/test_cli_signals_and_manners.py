"""What a signal leaves behind and says, how progress fits its terminal, and secrets that others may read."""

import os
import re

import pytest
from conftest import CHUNK, IV16, KEY, OLD, TO_OUT, TREE, run_on_terminal, seal_old, unknown_format

CTR = ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", IV16, *KEY]
PARTIAL = "OUT.phalanx-partial"
RULE = "pwrite:.phalanx-partial@3=term"
WOULD_HAVE = b"--resume would have kept it\n"
CONTINUES = b"phalanx: interrupted; the same command again continues\n"


@pytest.fixture
def large(files):
    files.write("IN", unknown_format(4 * CHUNK + 5))
    files.run("encrypt", *KEY, "-f", "IN", "BOX", check=0)
    seal_old(files, "OLD", files.read("IN"))
    return files


@pytest.mark.parametrize("command", TO_OUT)
def test_without_resume_nothing_is_left_and_the_message_says_what_would_keep_it(large, faults, command):
    before = large.names()
    done = large.run(*TO_OUT[command], env=faults(RULE))
    assert done.returncode == 143 and large.names() == before
    assert done.stderr.startswith(b"phalanx: interrupted; ") and done.stderr.endswith(WOULD_HAVE)


@pytest.mark.parametrize("command", TO_OUT)
def test_with_resume_it_is_kept_and_goes_on(large, faults, command):
    done = large.run(*TO_OUT[command], "--resume", env=faults(RULE))
    assert done.returncode == 143 and PARTIAL in large.names() and "OUT" not in large.names()
    assert done.stderr == CONTINUES
    large.run(*TO_OUT[command], "--resume", check=0)
    assert "OUT" in large.names() and PARTIAL not in large.names()


def test_a_manifest_keeps_it_too(large, faults):
    seal_old(large, "old/a", large.read("IN"))
    done = large.run(*TREE, *OLD, *KEY, env=faults(RULE))
    assert done.returncode == 143 and done.stderr.endswith(CONTINUES)
    assert "a.phalanx.phalanx-partial" in os.listdir(large.folder / "new")


@pytest.mark.parametrize("command", [[*CTR, "IN", "OUT"], ["decrypt", *KEY, "--range", "0:", "BOX", "OUT"]], ids=["raw", "range"])
def test_no_word_of_resume_where_there_is_none(large, faults, command):
    before = large.names()
    done = large.run(*command, env=faults("write,pwrite:.phalanx-partial@2=term"))
    assert done.returncode == 143 and large.names() == before and done.stderr == b"phalanx: interrupted\n"


def test_no_word_of_resume_once_out_has_its_name(large, faults):
    done = large.run(*TO_OUT["encrypt"], env=faults("unlink:.phalanx-record@1=term"))
    assert done.returncode == 143 and "OUT" in large.names() and b"--resume" not in done.stderr


def shown_while_waiting(files, columns, **environment):
    """What a terminal of so many columns shows of a run whose input ends once the bar shows."""
    reader, writer = os.pipe()
    os.write(writer, bytes(12_345))
    resize = f'python3 -S -c "import fcntl,struct,termios; fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack(chr(72)*4, 24, {columns}, 0, 0))"'
    script = f"{resize}; exec 3<&0; exec {files.program} {' '.join(CTR)} - OUT"
    end_input = (b"\r", lambda: os.close(writer))
    environment = {**os.environ, "TERM": "xterm", **environment}
    code, shown = run_on_terminal(["-c", script], files.folder, program="/bin/sh", stdin=reader, when=end_input, env=environment)
    os.close(reader)
    assert code == 0, shown
    return shown.decode()


@pytest.mark.parametrize("columns", [1, 5, 12, 20, 30, 40, 80, 200])
def test_progress_fits_a_narrow_terminal(files, columns):
    shown = shown_while_waiting(files, columns)
    lines = re.split(r"\r\x1b\[K|\r\n", shown)
    assert any("12.3 kB"[: columns - 1] == line[:7] for line in lines if line or columns == 1), lines
    assert max(len(line) for line in lines) < columns
    if columns >= 80:
        assert any(line.startswith("12.3 kB, ") and line.endswith(" s") for line in lines), lines


def test_a_terminal_that_does_not_know_its_width_has_80_columns(files):
    assert "12.3 kB, " in shown_while_waiting(files, 0)


def test_a_dumb_terminal_gets_no_escape_sequences(files):
    shown = shown_while_waiting(files, 80, TERM="dumb")
    assert "\x1b" not in shown and shown.startswith("\r") and "\r12.3 kB, " in shown and shown.endswith(" s\r\n")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o440])
def test_a_secret_that_others_may_read_draws_one_line(files, mode):
    files.run("encrypt", *KEY, "IN", "OUT", check=0)
    (files.folder / "key").chmod(mode)
    (files.folder / "pass").chmod(mode)
    for command in (["encrypt", *KEY, "-f", "IN", "OUT"], ["decrypt", *KEY, "-f", "OUT", "OUT2"], [*CTR, "-f", "IN", "OUT3"]):
        done = files.run(*command, check=0)
        files.assert_refused(done, 0, "warning", "key file key", "chmod")
        assert files.run(*command, "-q", check=0).stderr == b""
    done = files.run("recipients", "add", *KEY, "--add-passphrase-file", "pass", "--scrypt-log-n", "10", "OUT", check=0)
    lines = done.stderr.splitlines()
    assert len(lines) == 2 and b"key file key" in lines[0] and b"passphrase file pass" in lines[1]
    assert files.run("decrypt", *KEY, "OUT", check=0).stdout == files.read("IN")


def test_a_secret_that_others_may_read_draws_one_line_where_nothing_is_written(files):
    files.run(*CTR, "IN", "OUT", check=0)
    (files.folder / "key").chmod(0o644)
    old = ["--from-cipher", "aes-256-ctr", "--from-iv", IV16, "--from-key-file", "key"]
    done = files.run("migrate", "--dry-run", *old, "OUT")
    assert done.stderr.count(b"others than you may read the key file key") == 1
    assert b"others" not in files.run("migrate", "--dry-run", "-q", *old, "OUT").stderr


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o611, 0o622])
def test_a_secret_that_only_its_owner_reads_draws_none(files, mode):
    (files.folder / "key").chmod(mode)
    assert files.run("encrypt", *KEY, "IN", "OUT", check=0).stderr == b""


def test_keys_that_are_no_files_draw_none(files):
    with open(files.folder / "key", "rb") as key:
        (files.folder / "key").chmod(0o644)
        for options in (["--key-fd", str(key.fileno())], ["--key-file", f"/dev/fd/{key.fileno()}"]):
            key.seek(0)
            assert files.run("encrypt", *options, "-f", "IN", "OUT", pass_fds=[key.fileno()], check=0).stderr == b""
