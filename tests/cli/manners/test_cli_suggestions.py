"""What a mistyped name draws: the nearest that there is, or nothing where none is near."""

import pytest
from conftest import IV16

MISTYPED = [
    ("encrpyt IN OUT", "unknown command encrpyt (did you mean encrypt?)"),
    ("enc IN OUT", "(did you mean encrypt?)"),
    ("Decrypt IN OUT", "(did you mean decrypt?)"),
    ("raw encypt IN OUT", "(did you mean encrypt?)"),
    ("help encrpyt", "(did you mean encrypt?)"),
    ("help raw decypt", "(did you mean decrypt?)"),
    ("encrypt --keyfile key IN OUT", "unknown option --keyfile (did you mean --key-file?)"),
    ("encrypt --keyfile=secretword IN OUT", "unknown option --keyfile (did you mean --key-file?)"),
    ("-v encrypt --key-file key IN OUT", "-v is an option of encrypt: give it behind that word"),
    ("--key-file key encrypt IN OUT", "--key-file is an option of encrypt: give it behind that word"),
    ("raw encrypt --ciper aes-256-ctr IN OUT", "unknown option --ciper (did you mean --cipher?)"),
    ("raw encrypt -cipher aes-256-ctr IN OUT", "(did you mean --cipher?)"),
    ("migrate --from-chiper des3 IN OUT", "(did you mean --from-cipher?)"),
    (f"raw encrypt --cipher aes256-ctr --iv {IV16} IN OUT", "(did you mean aes-256-ctr?)"),
    (f"raw encrypt --cipher AES-256-CRT --iv {IV16} IN OUT", "(did you mean aes-256-ctr?)"),
    ("raw decrypt --openssl --cipher aes256cbc IN OUT", "(did you mean aes-256-cbc?)"),
    ("migrate --from-cipher desede3-cbc IN OUT", "(did you mean des-ede3-cbc?)"),
    ("encrypt --cipher aes256 IN OUT", "(did you mean aes-256?)"),
    ("migrate --from-cipher des-cbc --cipher serpent256 IN OUT", "(did you mean serpent-256?)"),
    ("keygen --cipher twofish256 OUT", "(did you mean twofish-256?)"),
    ("bench aes128-ctr", "(did you mean aes-128-ctr?)"),
    ("bench aes-gcm", "(did you mean aes-256-gcm?)"),
    (f"raw encrypt --cipher AES/CTR/NoPadding --iv {IV16} IN OUT", "(did you mean aes-256-ctr?)"),
    ("raw decrypt --cipher aes IN OUT", "(did you mean aes-256?)"),
    ("raw decrypt --cipher tdes IN OUT", "(did you mean des-ede3?)"),
    ("raw encrypt --cipher des3-cbc IN OUT", "(did you mean des-ede3-cbc?)"),  # and not des-cbc
]  # fmt: skip


@pytest.mark.parametrize("command, words", MISTYPED)
def test_the_nearest_name_is_suggested(phalanx, command, words):
    done = phalanx.run(*command.split())
    phalanx.assert_refused(done, 2, words)
    assert b"secretword" not in done.stderr and phalanx.names() == []


FAR = [
    "secretword IN OUT",
    "en IN",
    "help secretword",
    "encrypt --qwertyuiop IN OUT",
    "raw encrypt --cipher aes-257-cbc IN OUT",  # a digit makes another cipher
    "raw encrypt --cipher des-xts IN OUT",  # spelt well, and refused for another reason
    "raw encrypt --cipher aes-256 IN OUT",
    "encrypt --cipher aes-192 IN OUT",
    "encrypt IN OUT more",
    # another mode, block or cipher: what was near to them gave garbage, and ended well
    *(
        f"raw decrypt --cipher {name} IN OUT"
        for name in "des-ede3-cfb16 aes-256-ccm aes-256-pcbc aes-256-cts rijndael-256 desx-ecb seed-ctr".split()
    ),
    *(f"raw decrypt --openssl --cipher {name} IN OUT" for name in "aes-256-pcbc aes-128-cts desx-ecb bf-ctr idea-cbc".split()),
    *(f"migrate --from-openssl --from-cipher {name} IN OUT" for name in "aes-256-pcbc des-cts rc2-ctr".split()),
]


@pytest.mark.parametrize("command", FAR)
def test_what_is_far_from_all_names_draws_none(phalanx, command):
    done = phalanx.run(*command.split())
    phalanx.assert_refused(done, 2)
    assert b"did you mean" not in done.stderr and b"secretword" not in done.stderr


@pytest.mark.parametrize("given", ["--pass secretword", "-psecretword", "-Psecretword", "-pass:secretword", "-K=secretword",
                                   "--passwordsecretword", "--pwsecretword", "--keysecretword", "--key=secretword"])  # fmt: skip
def test_a_secret_option_is_named_as_such_and_not_corrected(phalanx, given):
    done = phalanx.run("raw", "encrypt", *given.split())
    phalanx.assert_refused(done, 2, "secrets are never arguments")
    assert b"did you mean" not in done.stderr and b"secretword" not in done.stderr


@pytest.mark.parametrize("given, shown", [("-xSecretWord", "-x..."), ("--frobnicate", "--frobnicate"), ("--user:SecretWord", "--user..."),
                                          ("--words-that-hold-a-secretword", "--words-that-hold-a-secr..."), ("-x", "-x")])  # fmt: skip
def test_of_an_unknown_option_no_more_is_said_than_its_name(phalanx, given, shown):
    done = phalanx.run("encrypt", given, "IN", "OUT")
    phalanx.assert_refused(done, 2, f"unknown option {shown};")
    assert b"secretword" not in done.stderr.lower()


@pytest.mark.parametrize("command", ["", "encrypt", "raw", "raw decrypt", "migrate"])
def test_help_is_what_the_option_shows(phalanx, command):
    by_option = phalanx.run(*command.split(), "--help", check=0).stdout
    assert phalanx.run("help", *command.split(), check=0).stdout == by_option and b"Usage: phalanx" in by_option


def test_help_of_what_has_no_commands(phalanx):
    phalanx.assert_refused(phalanx.run("help", "encrypt", "raw"), 2, "encrypt has no commands")


def test_version_three_ways(phalanx):
    shown = {phalanx.run(way, check=0).stdout for way in ("version", "-V", "--version")}
    assert len(shown) == 1 and shown.pop().startswith(b"phalanx ")


def test_help_and_version_into_a_full_device(phalanx):
    for command in ("help", "version", "--version"):
        with open("/dev/full", "wb") as full:
            process = phalanx.start(command, stdout=full)
        assert process.communicate()[1].count(b"\n") == 1 and process.returncode == 1
