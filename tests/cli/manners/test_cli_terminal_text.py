"""Plaintext on a terminal: shown if all of it is text, and not a byte of it otherwise."""

import pytest
from conftest import IV16, KEY, random_bytes, run_on_terminal

CTR = ["--cipher", "aes-256-ctr", "--iv", IV16, *KEY]
CBC = ["--cipher", "aes-256-cbc", "--iv", IV16, *KEY]
MOST = 1 << 20

TEXTS = {
    "words": b"grapes and figs\n",
    "empty": b"",
    "no newline": b"grapes",
    "tab": b"grapes\tfigs\n\n",
    "utf-8": "Trauben, \u00a0\u00df \u20ac \uffff \U0001f347 \U0010ffff\n".encode(),
    "as long as it may be": b"grapes and figs\n" * (MOST // 16),
}
OTHERS = {
    "escape": b"grapes \x1b[2J\n",
    "carriage return": b"grapes\r\n",
    "null": b"grapes\0\n",
    "bell": b"grapes\a",
    "delete": b"grapes\x7f",
    "C1": b"grapes \xc2\x9b2J",
    "bytes": b"grapes \xff\xfe",
    "lone continuation": b"grapes \x80",
    "overlong": b"grapes \xc0\xaf \xe0\x80\xaf",
    "surrogate": b"grapes \xed\xa0\x80",
    "beyond Unicode": b"grapes \xf4\x90\x80\x80",
    "cut character": b"grapes \xe2\x82",
    "escape at the very end": b"grapes and figs\n" * (MOST // 16 - 1) + b"figs\x1b",
    "too long": b"grapes and figs\n" * (MOST // 16) + b"!",
    "much too long": b"grapes and figs\n" * (5 * MOST // 16),
}


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    return phalanx


def on_terminal(files, *arguments, **options):
    """What a terminal shows, with the line ends that were written."""
    code, shown = run_on_terminal(arguments, files.folder, **options)
    return code, shown.replace(b"\r\n", b"\n")


def commands(files, plain):
    """Commands that decrypt to this plaintext."""
    files.write("PLAIN", plain)
    files.run("encrypt", *KEY, "-f", "PLAIN", "BOX", check=0)
    files.run("raw", "encrypt", *CTR, "-f", "PLAIN", "CTR", check=0)
    files.run("raw", "encrypt", *CBC, "-f", "PLAIN", "CBC", check=0)
    return [["decrypt", *KEY, "BOX"], ["decrypt", *KEY, "--range", "0:", "BOX", "/dev/tty"],
            ["raw", "decrypt", *CTR, "CTR", "-"], ["raw", "decrypt", *CBC, "CBC", "/dev/stdout"]]  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_text_is_shown(files, name):
    for command in commands(files, TEXTS[name]):
        assert on_terminal(files, *command) == (0, TEXTS[name]), command


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_is(files, name):
    for command in commands(files, OTHERS[name]):
        code, shown = on_terminal(files, *command)
        assert code == 2 and b"is a terminal" in shown and len(shown.splitlines()) == 1, command
        assert b"grapes" not in shown
        assert files.run(*[part for part in command if not part.startswith("/dev")], check=0).stdout == OTHERS[name]


def test_text_that_is_not_authentic_is_not_shown(files):
    commands(files, b"grapes and figs\n" * 2000)
    sealed = bytearray(files.read("BOX"))
    sealed[-1] ^= 1
    files.write("BOX", sealed)
    code, shown = on_terminal(files, "decrypt", *KEY, "BOX")
    assert code == 3 and b"grapes" not in shown
    files.write("CBC", files.read("CBC")[:-16])
    code, shown = on_terminal(files, "raw", "decrypt", *CBC, "CBC")
    assert code == 4 and b"grapes" not in shown


def test_only_a_terminal_cares(files):
    for plain in (TEXTS["words"], OTHERS["escape"]):
        for command in commands(files, plain):
            if "/dev/tty" not in command:
                assert files.run(*command, check=0).stdout == plain


def test_encrypting_to_a_terminal_is_refused_as_before(files):
    files.write("PLAIN", b"grapes\n")
    for command in (["encrypt", *KEY, "PLAIN"], ["raw", "encrypt", *CTR, "PLAIN"]):
        code, shown = on_terminal(files, *command)
        assert code == 2 and b"binary" in shown and len(shown.splitlines()) == 1


def test_a_resumed_file_is_no_terminal(files):
    commands(files, b"grapes\n")
    code, shown = on_terminal(files, "decrypt", *KEY, "--resume", "BOX")
    assert code == 2 and b"--resume needs a file" in shown and b"grapes" not in shown
