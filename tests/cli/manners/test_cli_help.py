"""--help is one screen with the common options, --help-all has every option, and the examples of both run as they stand."""

import os
import re
import subprocess

import pytest
from conftest import MOST_SECONDS, PROGRAM, openssl, random_bytes

MOST_LINES, MOST_COLUMNS, MOST_COLUMNS_OF_PROGRAM = 40, 100, 80
ACTIONS = {"recipients": ["add", "remove", "replace", "list"], "raw": ["encrypt", "decrypt"]}
NAMES = ["encrypt", "decrypt", "recipients", "migrate", "inspect", "verify", "raw", "keygen", "engines", "bench", "help", "version"]
COMMANDS = ["", *NAMES, *(f"{name} {action}" for name, actions in ACTIONS.items() for action in actions)]
HIDDEN = {"--recursive"}  # is understood, to say that it is not needed
TEXT = b"Dear all, this is what the old files hold.\n" * 30
IV = "00112233445566778899aabbccddeeff"


def help_of(phalanx, command, option="--help"):
    return phalanx.run(*command.split(), option, check=0).stdout.decode()


def options_of(text):
    return re.findall(r"^  (?:-\w,)?(--[\w-]+)", text, re.MULTILINE)


def examples_of(text):
    block = re.search(r"^Examples:\n((?:    .*\n)+)", text, re.MULTILINE)
    return re.sub(r"^    ", "", block[1], flags=re.MULTILINE)


def num_examples(text):
    return len(re.findall(r"^phalanx ", examples_of(text), re.MULTILINE))


def options_that_shells_know(phalanx):
    """{command: its options}, from the definitions themselves."""
    script = phalanx.run("completions", "bash", check=0).stdout.decode().partition("_phalanx_other()")[2]
    found = re.findall(r"^    '([a-z ]*)'\) _phalanx_reply '(-[^']*)' ;;$", script, re.MULTILINE)
    return {command: {name for name in names.split() if name.startswith("--")} for command, names in found}


def test_the_commands_are_all(phalanx):
    for command, actions in {"": NAMES, **ACTIONS}.items():
        assert re.findall(r"^  ([a-z]+) ", help_of(phalanx, command), re.MULTILINE) != []
        assert set(re.findall(r"^  ([a-z]+) ", help_of(phalanx, command), re.MULTILINE)) == set(actions)
    assert set(options_that_shells_know(phalanx)) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_screen(phalanx, command):
    lines = help_of(phalanx, command).splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= (MOST_COLUMNS if command else MOST_COLUMNS_OF_PROGRAM)
    assert max(map(len, help_of(phalanx, command, "--help-all").splitlines())) <= MOST_COLUMNS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_help_all(phalanx, command):
    shown = options_of(help_of(phalanx, command, "--help-all"))
    assert len(shown) == len(set(shown))
    assert set(shown) == options_that_shells_know(phalanx)[command] - HIDDEN


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_a_part_of_it_and_says_where_the_rest_is(phalanx, command):
    short, whole = help_of(phalanx, command), help_of(phalanx, command, "--help-all")
    common, every = options_of(short), options_of(whole)
    assert set(common) <= set(every) and {"--help", "--help-all"} <= set(common)
    told = f"All options: phalanx {command} --help-all\n"
    assert short.endswith(told) == (set(common) != set(every)) and told not in whole
    assert examples_of(short) == examples_of(whole)


# What each option is, its definition alone says; these are a few of both kinds.
@pytest.mark.parametrize(
    "command, common, rare",
    [
        ("encrypt", "--key-file --passphrase-file --recipient --each --update", "--key-fd --context --index --renew-tree"),
        ("decrypt", "--key-file --identity --range --force", "--scrypt-budget --below --no-keep"),
        ("verify", "--key-file --index", "--from-disk --strict"),
        ("migrate", "--from-auto --from-cipher --manifest --dry-run", "--delete-source --from-sector-size --engine"),
        ("raw encrypt", "--cipher --iv --openssl --allow-legacy", "--sector-size --trust-journal"),
        ("raw decrypt", "--cipher --md", "--allow-legacy"),
    ],
)
def test_common_and_rare_options(phalanx, command, common, rare):
    shown = set(options_of(help_of(phalanx, command)))
    assert set(common.split()) <= shown and not set(rare.split()) & shown


@pytest.fixture
def given(phalanx):
    """What the examples take for given: a few keys, old files, containers, and folders of both."""
    for name in ("key", "old.key", "new.key"):
        phalanx.write(name, random_bytes(32, seed=len(name)))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("iv", IV.encode() + b"\n")
    for folder in ("photos", "old"):
        (phalanx.folder / folder).mkdir()
    for name in ("notes", "photos/march.jpg"):
        phalanx.write(name, TEXT)
    for name in ("old.enc", "old/letters.enc"):
        phalanx.write(name, openssl("enc", "-des3", "-md", "md5", "-pass", "file:pass", stdin=TEXT, cwd=phalanx.folder))
    own = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=me", "-keyout", "key.pem", "-out", "cert.pem"]
    openssl(*own, cwd=phalanx.folder)
    openssl("cms", "-encrypt", "-in", "notes", "-out", "smime.p7m", "-recip", "cert.pem", cwd=phalanx.folder)
    keys = ["--key-file", "key", "--key-file", "old.key"]
    phalanx.run("encrypt", *keys, "notes", "notes.phalanx", check=0)
    phalanx.run("encrypt", *keys, "--each", "photos", "--to-tree", "photos.sealed", check=0)
    phalanx.run("raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", IV, "--key-file", "key", "notes", "notes.ctr", check=0)
    return phalanx


# What the examples of a command make, which was not there before.
MADE = {
    "": ["key", "new.phalanx", "notes.phalanx"],
    "encrypt": ["notes.phalanx", "photos.sealed"],
    "raw encrypt": ["notes.ctr", "iv"],
    "keygen": ["key"],
}
HOLDS = {"": "notes.copy", "decrypt": "notes.copy", "raw decrypt": "notes.copy", "raw": "plain"}


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_run_as_they_stand(given, command):
    text = help_of(given, command)
    assert num_examples(text) >= 2
    for name in MADE.get(command, []):
        subprocess.run(["rm", "-rf", name], cwd=given.folder, check=True)
    environment = {**os.environ, "PATH": os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]}
    script = "umask 077\n" + examples_of(text)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=given.folder, env=environment, capture_output=True, timeout=MOST_SECONDS
    )
    assert done.returncode == 0, done.stderr.decode()
    assert set(MADE.get(command, [])) <= {path.name for path in given.folder.iterdir()}
    if command in HOLDS:
        assert given.read(HOLDS[command]) == TEXT


def test_the_program_says_first_what_it_is_for(phalanx):
    text = help_of(phalanx, "")
    assert text.startswith("Phalanx encrypts ")
    assert text.index("Examples:") < text.index("Encrypt and decrypt:")
    for words in ("phalanx migrate", "phalanx encrypt", "phalanx decrypt", "--each --update"):
        assert words in examples_of(text)
