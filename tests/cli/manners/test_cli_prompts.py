"""A question on the terminal: it stays there until it is answered, and a signal meanwhile leaves a terminal that echoes."""

import fcntl
import os
import select
import signal
import subprocess
import termios

import pytest
from conftest import MOST_SECONDS, PROGRAM, open_terminal, wait_for

PASSPHRASE = ["--scrypt-log-n", "10", "--passphrase-file", "pass"]
ASKING = {  # commands that begin to show how far they are before they ask
    "verify": ["verify", "boxes"],
    "decrypt": ["decrypt", "--each", "boxes", "--to-tree", "plain"],
    "recipients": ["recipients", "add", "--passphrase-file", "pass", "--add-passphrase", "boxes/a.phalanx"],
}
SHELL = """set -m
"$0" decrypt boxes/a.phalanx OUT
echo "stopped by $(kill -l $?)"; stty -a | grep -q " echo " && echo "it echoes"
fg"""


class Terminal:
    """A terminal of its own, and the program on it."""

    def __init__(self, files, *command):
        self.end, self.own = open_terminal()

        def take_terminal():
            os.setsid()
            fcntl.ioctl(self.own, termios.TIOCSCTTY, 0)

        streams = {"stdin": self.own, "stdout": self.own, "stderr": self.own}
        self.process = subprocess.Popen(command, cwd=files.folder, preexec_fn=take_terminal, **streams)
        self.shown = b""

    def echoes(self):
        return bool(termios.tcgetattr(self.own)[3] & termios.ECHO)

    def read(self, seconds):
        """Whether something came in that time."""
        if not select.select([self.end], [], [], seconds)[0]:
            return False
        self.shown += os.read(self.end, 4096)
        return True

    def read_until(self, text, times=1):
        while self.shown.count(text) < times:
            assert self.read(MOST_SECONDS), self.shown

    def type(self, text):
        os.write(self.end, text)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.end)
        os.close(self.own)


@pytest.fixture
def boxes(files):
    (files.folder / "boxes").mkdir()
    files.run("encrypt", *PASSPHRASE, "IN", "boxes/a.phalanx", check=0)
    return files


@pytest.fixture
def on_terminal(boxes):
    opened = []

    def start(*command):
        opened.append(Terminal(boxes, *command))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


@pytest.mark.parametrize("command", ASKING)
def test_no_bar_wipes_it_off(on_terminal, command):
    terminal = on_terminal(PROGRAM, *ASKING[command])
    terminal.read_until(b"assphrase: ")
    assert not terminal.read(1), terminal.shown  # three times as long as a first bar takes to come


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGALRM])
def test_a_signal_that_ends_the_program_turns_echo_on_again(on_terminal, number):
    terminal = on_terminal(PROGRAM, "decrypt", "boxes/a.phalanx", "OUT")
    terminal.read_until(b"Passphrase: ")
    assert not terminal.echoes()
    terminal.type(b"\x1c") if number == signal.SIGQUIT else terminal.process.send_signal(number)
    assert terminal.process.wait(timeout=MOST_SECONDS) == -number and terminal.echoes()


def test_a_stopped_program_leaves_echo_on_and_asks_again(on_terminal, boxes):
    terminal = on_terminal("/bin/sh", "-c", SHELL, PROGRAM)
    terminal.read_until(b"Passphrase: ")
    terminal.type(b"\x1a")
    terminal.read_until(b"stopped by ")
    terminal.read_until(b"Passphrase: ", 2)
    assert b"it echoes" in terminal.shown, terminal.shown
    wait_for(lambda: not terminal.echoes())
    terminal.type(b"open sesame\n")
    assert terminal.process.wait(timeout=MOST_SECONDS) == 0 and terminal.echoes()
    assert boxes.read("OUT") == boxes.read("IN") and b"sesame" not in terminal.shown


def test_a_signal_that_was_ignored_stays_so(on_terminal, boxes):
    terminal = on_terminal("/bin/sh", "-c", 'trap "" QUIT; exec "$0" decrypt boxes/a.phalanx OUT', PROGRAM)
    terminal.read_until(b"Passphrase: ")
    terminal.type(b"\x1copen sesame\n")
    assert terminal.process.wait(timeout=MOST_SECONDS) == 0
    assert boxes.read("OUT") == boxes.read("IN")


def answer_twice(terminal, *pairs):
    """Types each pair of lines, one at each question."""
    for number, (first, second) in enumerate(pairs, start=1):
        for question, line in ((b"assphrase: ", first), (b", again: ", second)):
            terminal.read_until(question, number)
            wait_for(lambda: not terminal.echoes())
            terminal.type(line + b"\n")


def test_two_lines_that_differ_are_asked_for_again(boxes, on_terminal):
    terminal = on_terminal(PROGRAM, "encrypt", "--scrypt-log-n", "10", "IN", "OUT")
    answer_twice(terminal, (b"one", b"other"), (b"open sesame", b"open sesame"))
    assert terminal.process.wait(MOST_SECONDS) == 0
    assert b"the two lines differ; " in terminal.shown
    boxes.write("typed", b"open sesame\n")
    assert boxes.run("decrypt", "--passphrase-file", "typed", "OUT", check=0).stdout == boxes.read("IN")


def test_three_pairs_that_differ_are_enough(boxes, on_terminal):
    terminal = on_terminal(PROGRAM, "encrypt", "--scrypt-log-n", "10", "IN", "OUT")
    answer_twice(terminal, (b"a", b"b"), (b"c", b"d"), (b"e", b"f"))
    assert terminal.process.wait(MOST_SECONDS) == 2
    assert "OUT" not in boxes.names()
