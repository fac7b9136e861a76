"""raw decrypt --openssl of the files that OpenSSL 1.1.1, 3.5 and 4.0 wrote: of every name that each lists, and of options that came later."""

import pathlib

import pytest
from write_openssl_files import PASSPHRASE, PLAIN, REFUSED

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "tests/vectors/openssl_enc"
OURS = {"-md": "--md", "-pbkdf2": "--pbkdf2", "-iter": "--iter", "-a": "-a", "-nosalt": "--no-salt", "-saltlen": "--saltlen", "-S": "--salt"}
NUM_NAMES = {"1.1.1w": 141, "3.5.9": 144, "4.0.3": 144}  # that each lists
NUM_WRAPS = {"1.1.1w": 11, "3.5.9": 14, "4.0.3": 14}  # which it encrypts no file with


def files_of(version):
    lines = (VECTORS / f"{version}.txt").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


def ours_of(options, content):
    """A salt that is in the file is none to give: -S of OpenSSL 3 leaves it out, and 1.1.1 writes it."""
    arguments = []
    for word in options:
        if word == "-S" and content.startswith(b"Salted__"):
            arguments.append(None)
        elif arguments and arguments[-1] is None:
            arguments.pop()
        else:
            arguments.append(OURS.get(word, word))
    return arguments


@pytest.mark.parametrize("version", NUM_NAMES)
def test_files_of_each_version(phalanx, version):
    phalanx.write("pass", PASSPHRASE.encode() + b"\n")
    files, complaints = files_of(version), []
    assert len({options for options, _ in files if " " not in options}) == NUM_NAMES[version]
    assert sum("wrap" in options for options, digits in files if digits == REFUSED) == NUM_WRAPS[version]
    for options, digits in files:
        name, *rest = options.split()
        if digits == REFUSED:
            done = phalanx.run("raw", "decrypt", "--openssl", "--cipher", name.removeprefix("-"), "--passphrase-file", "pass", stdin=bytes(64))
            is_reason = b"wraps keys" in done.stderr or rest and version.startswith("1.1")  # which has no -saltlen
            complaints += [] if is_reason else [(options, done.returncode, done.stderr)]
            continue
        content = bytes.fromhex(digits)
        command = ["raw", "decrypt", "--openssl", "--cipher", name.removeprefix("-"), *ours_of(rest, content), "--passphrase-file", "pass"]
        done = phalanx.run(*command, stdin=content)
        if done.returncode != 0 or done.stdout != PLAIN:
            complaints.append((options, done.returncode, done.stderr))
    assert complaints == []
