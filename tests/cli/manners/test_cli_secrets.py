"""Where secrets come from, and where they must not go."""

import os
import subprocess

import pytest
from conftest import CHUNK, IV16, MOST_SECONDS, PROGRAM, needs_proc, open_terminal, openssl, random_bytes, run_on_terminal, wait_for

KEY = random_bytes(16, seed=5)
CTR = f"--cipher aes-128-ctr --iv {IV16}".split()
PLAIN = random_bytes(1000)


@pytest.fixture
def expected():
    return openssl("enc", "-aes-128-ctr", "-K", KEY.hex(), "-iv", IV16, stdin=PLAIN)


@pytest.mark.parametrize(
    "content",
    [KEY, KEY.hex().encode(), KEY.hex().encode() + b"\n", KEY.hex().upper().encode() + b"\r\n"],
    ids=["raw", "hex", "hex line", "hex CRLF"],
)
def test_key_file_and_descriptor(phalanx, content, expected):
    path = phalanx.write("key", content)
    assert phalanx.run("raw", "encrypt", *CTR, "--key-file", "key", stdin=PLAIN, check=0).stdout == expected
    with path.open("rb") as file:
        number = file.fileno()
        done = phalanx.run("raw", "encrypt", *CTR, "--key-fd", number, stdin=PLAIN, pass_fds=[number], check=0)
    assert done.stdout == expected


def test_key_file_from_a_shell_process(phalanx, expected):
    phalanx.write("key", KEY)
    phalanx.write("IN", PLAIN)
    command = f"{PROGRAM} raw encrypt {' '.join(CTR)} --key-file <(cat key) IN"
    assert subprocess.run(["bash", "-c", command], cwd=phalanx.folder, capture_output=True).stdout == expected


def test_key_from_standard_input(phalanx, expected):
    phalanx.write("IN", PLAIN)
    assert phalanx.run("raw", "encrypt", *CTR, "--key-file", "-", "IN", stdin=KEY, check=0).stdout == expected
    assert phalanx.run("raw", "encrypt", *CTR, "--key-fd", 0, "IN", stdin=KEY, check=0).stdout == expected


@needs_proc
def test_key_from_the_environment_is_removed_from_it(phalanx, expected):
    environment = {**os.environ, "MY_KEY": KEY.hex()}
    done = phalanx.run("raw", "encrypt", *CTR, "--key-env", "MY_KEY", stdin=PLAIN, env=environment, check=0)
    assert done.stdout == expected
    process = phalanx.start("raw", "encrypt", *CTR, "--key-env", "MY_KEY", env=environment)
    process.stdin.write(bytes(3 * CHUNK))
    process.stdin.flush()
    assert process.stdout.read(1) != b""
    if os.geteuid() == 0:  # the process is readable by root only
        with open(f"/proc/{process.pid}/environ", "rb") as file:
            assert KEY.hex().encode() not in file.read()
    process.kill()
    process.communicate()


@pytest.mark.parametrize("content", [KEY.hex()[1:], KEY.hex() + "00", "zz" * 16, ""])
def test_no_message_repeats_a_key(phalanx, content):
    environment = {**os.environ, "MY_KEY": content}
    phalanx.write("key", content.encode() + b"\n")
    for source in (["--key-env", "MY_KEY"], ["--key-file", "key"]):
        done = phalanx.run("raw", "encrypt", *CTR, *source, stdin=PLAIN, env=environment)
        phalanx.assert_refused(done, 2)
        for length in (6, 8):
            assert content == "" or content[:length].encode() not in done.stderr


@pytest.mark.parametrize("option", ["-K", "-k", "-pass", "--key", "--passphrase", "--password", "-ksecretword", "--key=secretword"])
def test_a_secret_given_as_an_argument_is_not_repeated(phalanx, option):
    done = phalanx.run("raw", "encrypt", *CTR, option, "secretword", "in", "out")
    phalanx.assert_refused(done, 2, "--key-file" if "pass" not in option else "--passphrase-file")
    assert b"secretword" not in done.stderr


@pytest.mark.parametrize("option", ["--key-fd", "--passphrase-fd"])
def test_a_secret_in_place_of_a_number_is_not_repeated(phalanx, option):
    done = phalanx.run("raw", "encrypt", *CTR, option, "secretword")
    phalanx.assert_refused(done, 2, option, "whole number")
    assert b"secretword" not in done.stderr


def passphrase_options(name):
    return f"--openssl --cipher aes256 --pbkdf2 --iter 10 {name}".split()


def opens(phalanx, sealed, passphrase):
    phalanx.write("expected-pass", passphrase + b"\n")
    plain = openssl(
        *"enc -d -aes256 -pbkdf2 -iter 10 -pass file:expected-pass".split(), stdin=sealed, cwd=phalanx.folder
    )
    return plain == PLAIN


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\nsecond\n", b"\r\nsecond"])
def test_passphrase_is_the_first_line(phalanx, end):
    """Of a container's: without its end. With --openssl it is what openssl takes: see test_cli_openssl_passphrases.py."""
    words = "grüße, two words".encode()
    phalanx.write("pass", words + end)
    phalanx.write("words", words)
    sealed = phalanx.run("encrypt", "--scrypt-log-n", 10, "--passphrase-file", "pass", stdin=PLAIN, check=0).stdout
    assert phalanx.run("decrypt", "--passphrase-file", "words", stdin=sealed, check=0).stdout == PLAIN


def test_passphrase_descriptor(phalanx):
    reader, writer = os.pipe()
    os.write(writer, b"from a pipe\n")
    done = phalanx.run(
        "raw", "encrypt", *passphrase_options(f"--passphrase-fd {reader}"), stdin=PLAIN, pass_fds=[reader], check=0
    )
    os.close(reader)
    os.close(writer)
    assert opens(phalanx, done.stdout, b"from a pipe")


def test_a_line_too_long(phalanx):
    phalanx.write("pass", b"x" * 5000)
    done = phalanx.run("raw", "encrypt", *passphrase_options("--passphrase-file pass"), stdin=PLAIN)
    phalanx.assert_refused(done, 2, "longer than 4096")


def test_prompt_asks_twice_when_encrypting_and_once_when_decrypting(phalanx):
    phalanx.write("IN", PLAIN)
    command = ["raw", "encrypt", *passphrase_options("IN OUT")]
    code, shown = run_on_terminal(command, phalanx.folder, [b"typed phrase\n", b"typed phrase\n"])
    assert code == 0 and shown.count(b"Passphrase") == 2 and b"typed" not in shown
    assert opens(phalanx, phalanx.read("OUT"), b"typed phrase")
    command = ["raw", "decrypt", *passphrase_options("OUT BACK")]
    code, shown = run_on_terminal(command, phalanx.folder, [b"typed phrase\n"])
    assert code == 0 and shown.count(b"Passphrase") == 1 and b"typed" not in shown
    assert phalanx.read("BACK") == PLAIN


def test_prompt_with_two_different_answers(phalanx):
    phalanx.write("IN", PLAIN)
    code, shown = run_on_terminal(["raw", "encrypt", *passphrase_options("IN OUT")], phalanx.folder, [b"one\n", b"two\n"] * 3)
    assert code == 2 and b"differ" in shown and phalanx.names() == ["IN"]


def test_prompt_for_a_key_takes_hex(phalanx, expected):
    phalanx.write("IN", PLAIN)
    answers = [KEY.hex().encode() + b"\n"] * 2
    code, shown = run_on_terminal(["raw", "encrypt", *CTR, "IN", "OUT"], phalanx.folder, answers)
    assert code == 0 and b"32 hex digits" in shown and KEY.hex().encode() not in shown
    assert phalanx.read("OUT") == expected


def test_prompt_uses_the_terminal_while_data_come_from_a_pipe(phalanx, expected):
    path = phalanx.write("IN", PLAIN)
    with path.open("rb") as source:
        code, _ = run_on_terminal(["raw", "decrypt", *CTR, "-", "OUT"], phalanx.folder, [KEY.hex().encode() + b"\n"], stdin=source)
    assert code == 0 and phalanx.read("OUT") == expected


def test_control_c_at_the_prompt_turns_echo_on_again(phalanx):
    import fcntl
    import termios

    phalanx.write("IN", PLAIN)
    master, terminal = open_terminal()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    process = phalanx.start(
        "raw", "decrypt", *passphrase_options("IN OUT"),
        stdin=terminal, stdout=terminal, stderr=terminal, preexec_fn=take_terminal,
    )  # fmt: skip
    echo = lambda: termios.tcgetattr(terminal)[3] & termios.ECHO  # noqa: E731
    wait_for(lambda: not echo())
    os.write(master, b"\x03")
    assert process.wait(timeout=MOST_SECONDS) == 130 and echo()
    os.close(master)
    os.close(terminal)


def test_without_a_terminal_there_is_no_prompt(phalanx):
    done = phalanx.run("raw", "encrypt", *CTR, stdin=PLAIN, start_new_session=True)
    phalanx.assert_refused(done, 2, "no terminal", "--key-file")


@needs_proc
def test_core_dumps_are_off_and_memory_is_closed(phalanx):
    phalanx.write("key", KEY)
    process = phalanx.start("raw", "encrypt", *CTR, "--key-file", "key", preexec_fn=lambda: None)
    process.stdin.write(bytes(3 * CHUNK))
    process.stdin.flush()
    assert process.stdout.read(1) != b""
    with open(f"/proc/{process.pid}/limits") as limits:
        line = next(line for line in limits if line.startswith("Max core file size"))
    assert line.split()[4:6] == ["0", "0"]
    assert os.stat(f"/proc/{process.pid}/mem").st_uid == 0  # not dumpable: nobody but root may look
    process.kill()
    process.communicate()
