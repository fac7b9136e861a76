"""A secret that is given where a file's name, a variable's or a public key should stand: no message repeats it."""

import re

import pytest
from conftest import IV16, KEY, random_bytes

# Options that take a file's name and never anything secret. All others of these types are tried, in every command.
ORDINARY = {"--manifest", "--from-list", "--index", "--in-place"}
TYPES = {"FILE", "VAR", "AGE1..."}
COMMANDS = ["encrypt", "decrypt", "recipients add", "recipients remove", "recipients replace", "recipients list", "migrate", "inspect",
            "verify", "raw encrypt", "raw decrypt"]  # fmt: skip
CTR = ["--cipher", "aes-256-ctr", "--iv", IV16]
OLD_CTR = ["--from-cipher", "aes-256-ctr", "--from-iv", IV16]


def options_with_places(phalanx, command):
    """Those that take a file's name, a variable's, a public key or a descriptor's number, as the command's help lists them."""
    text = phalanx.run(*command.split(), "--help-all", check=0).stdout.decode()
    for name, kind in re.findall(r"^ +(?:-\w,)?(--[\w-]+) (\S+)", text, re.MULTILINE):
        if (kind in TYPES and name not in ORDINARY) or name.endswith("-fd"):
            yield name


def line_with(command, option, secret):
    """A command that comes to where it would read what the option names."""
    given, index = [option, secret], ["--index", "I", "--index-digest"]
    if option.startswith("--index-"):
        of_tree = [*KEY, "--index", "I", *given, "--each", "tree"]
        return {
            "recipients add": ["recipients", "add", "--add-key-file", "other", *of_tree],
            "recipients remove": ["recipients", "remove", "--remove-key-file", "other", *of_tree],
            "recipients replace": ["recipients", "replace", "--add-key-file", "other", "--remove-key-file", "key", *of_tree],
            "encrypt": ["encrypt", "--each", *KEY, *index, *given, "tree", "--to-tree", "sealed"],
            "verify": ["verify", *KEY, "--index", "I", *given, "tree"],
            "migrate": ["migrate", "--manifest", "M", "--from-tree", "tree", "--to-tree", "sealed", *OLD_CTR, "--from-key-file", "key",
                        *KEY, *index, *given],
        }[command]  # fmt: skip
    removes, adds = ["--remove", "1"], ["--add-key-file", "other"]
    own = option.startswith(("--add-", "--remove-"))
    openssl = ["--openssl", "--cipher", "aes256"] if "pass" in option else CTR
    return {
        "encrypt": ["encrypt", *given, "IN", "OUT"],
        "decrypt": ["decrypt", *given, "BOX", "OUT"],
        "verify": ["verify", *given, "BOX"],
        "inspect": ["inspect", *given, "BOX"],
        "recipients list": ["recipients", "list", *given, "BOX"],
        "recipients add": ["recipients", "add", *(KEY if own else adds), *given, "BOX"],
        "recipients remove": ["recipients", "remove", *(KEY if own else removes), *given, "BOX"],
        "recipients replace": ["recipients", "replace", *(KEY if own else []), *(adds if "remove" in option or not own else removes),
                               *([] if own else removes), *given, "BOX"],
        "migrate": ["migrate", *(["--from-openssl", "--from-cipher", "aes256"] if "from-pass" in option else OLD_CTR),
                    *(KEY if option.startswith("--from-") else ["--from-key-file", "key"]), *given, "IN", "OUT"],
        "raw encrypt": ["raw", "encrypt", *openssl, *given, "IN", "OUT"],
        "raw decrypt": ["raw", "decrypt", *openssl, *given, "IN", "OUT"],
    }[command]  # fmt: skip


@pytest.fixture
def secrets(files):
    files.write("other", random_bytes(32, seed=9))
    (files.folder / "tree").mkdir()
    files.write("tree/IN", b"text")
    files.run("keygen", "--identity", "identity", check=0)
    identity = files.read("identity").decode().split()[-1]
    assert identity.startswith("AGE-SECRET-KEY-1")
    return [identity, random_bytes(32, seed=3).hex(), "correct horse/battery=staple"]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_message_repeats_it(files, secrets, command):
    options = list(options_with_places(files, command))
    assert {"--key-file", "--key-env", "--passphrase-file", "--key-fd"} <= set(options)
    for option in options:
        for secret in secrets:
            done = files.run(*line_with(command, option, secret), start_new_session=True)
            said = (done.stderr + done.stdout).decode()
            assert done.returncode in (1, 2), (option, said)
            assert secret.lower() not in said.lower() and secret[:16].lower() not in said.lower(), (option, said)
            assert option.lstrip("-") in said, (option, said)  # it came so far, and says where to look
    assert {"OUT", "sealed"}.isdisjoint(files.names())


def test_the_commands_are_all(phalanx):
    """A new command is either tried above, or takes no secret."""

    def below(*words):
        text = phalanx.run(*words, "--help", check=0).stdout.decode()
        return [(*words, name) for name in re.findall(r"^  ([a-z]+) ", text, re.MULTILINE)]

    for words in [inner for outer in below() for inner in below(*outer) or [outer]]:
        if " ".join(words) not in COMMANDS:
            assert list(options_with_places(phalanx, " ".join(words))) == [], words


def test_which_of_several_is_said(files):
    done = files.run("encrypt", *KEY, "--key-file", "correct horse", "IN", "OUT")
    files.assert_refused(done, 1, "--key-file (number 2 of 2)", "No such file")
    good = files.run("keygen", "--identity", "id", check=0).stderr.split()[-1].decode()
    done = files.run("encrypt", "-r", good, "-r", good[:-1] + ("q" if good[-1] != "q" else "p"), "IN", "OUT")
    files.assert_refused(done, 2, "--recipient (number 2 of 2)", "checksum")


def test_what_is_a_name_is_said(files):
    (files.folder / "folder").mkdir()
    files.assert_refused(files.run("encrypt", "--key-file", "folder", "IN", "OUT"), 1, "key file folder")
    files.assert_refused(files.run("encrypt", "-r", "IN", "IN", "OUT"), 2, "IN is a file", "-R")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_identity_in_the_place_of_a_file_is_not_repeated(files, secrets, command):
    identity = secrets[0]
    words = [*command.split(), *(CTR if command.startswith("raw") else []), *(OLD_CTR if command == "migrate" else [])]
    lines = [[*words, identity, "OUT"], [*words, "IN", identity], [*words, *KEY, identity], [*words, "IN", "OUT", identity],
             [*words, *KEY, identity + "/IN", "OUT"]]  # fmt: skip
    for line in lines:
        said = files.run(*line, start_new_session=True).stderr.decode()
        assert said and identity[:20] not in said, said
    if command == "decrypt":
        assert "AGE-SECRET-KEY-...: No such file or directory" in said or "AGE-SECRET-KEY-.../IN" in said


def test_a_line_for_a_folder_repeats_no_secret(files, secrets):
    for secret in secrets:
        given = ["--from-openssl", "--from-cipher", "des3", "--from-passphrase-file", secret, "--key-file", secret]
        done = files.run("migrate", *given, "tree", "OUT")
        files.assert_refused(done, 2, "--from-passphrase-file ...", "--key-file ...")
        assert secret not in done.stderr.decode()
