"""A question on the terminal: it stays there until it is answered."""

import fcntl
import os
import select
import subprocess
import termios

import pytest
from conftest import MOST_SECONDS, PROGRAM, open_terminal

PASSPHRASE = ["--scrypt-log-n", "10", "--passphrase-file", "pass"]
ASKING = {  # commands that begin to show how far they are before they ask
    "verify": ["verify", "boxes"],
    "decrypt": ["decrypt", "--each", "boxes", "--to-tree", "plain"],
    "recipients": ["recipients", "add", "--passphrase-file", "pass", "--add-passphrase", "boxes/a.phalanx"],
}


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
