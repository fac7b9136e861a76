"""Errors that name the command or the option that would have done."""

import pytest
from conftest import KEY, openssl, random_bytes

CHEAP = ["--scrypt-log-n", "10"]


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("OLD", openssl("enc", "-aes256", "-pbkdf2", "-pass", "file:pass", stdin=bytes(100), cwd=phalanx.folder))
    phalanx.write("OLD64", openssl("enc", "-aes256", "-pbkdf2", "-a", "-pass", "file:pass", stdin=bytes(100), cwd=phalanx.folder))
    return phalanx


@pytest.mark.parametrize("secret", [KEY, ["--passphrase-file", "pass"]], ids=["key", "passphrase"])
@pytest.mark.parametrize("command", [["decrypt"], ["recipients", "add", "--add-passphrase-file", "pass"]], ids=["decrypt", "recipients"])
def test_a_file_of_openssl_is_no_container(files, command, secret):
    before = files.names()
    done = files.run(*command, *secret, "OLD")
    files.assert_refused(done, 2, "openssl enc", "phalanx migrate --from-openssl makes", "phalanx raw decrypt --openssl reads")
    done = files.run(*command, *secret, "OLD64")
    files.assert_refused(done, 2, "openssl enc", "in base64", "migrate --from-openssl --from-base64 ", "raw decrypt --openssl -a ")
    assert files.names() == before


def test_the_hint_does_what_it_says(files):
    for name, options in [("OLD", []), ("OLD64", ["-a"])]:
        raw = ["raw", "decrypt", "--openssl", "--cipher", "aes256", "--pbkdf2", "--passphrase-file", "pass", *options]
        assert files.run(*raw, name, check=0).stdout == bytes(100)


def test_openssl_on_a_pipe_draws_the_same(files):
    done = files.run("decrypt", *KEY, stdin=files.read("OLD"))
    files.assert_refused(done, 2, "openssl enc", "phalanx migrate")


@pytest.mark.parametrize("content", [b"", b"Salted_", b"salted__12345678", b"U2FsdGVkX0", bytes(100)])
def test_other_files_draw_no_such_hint(files, content):
    files.write("IN", content)
    done = files.run("decrypt", *KEY, "IN", "OUT")
    assert done.returncode in (2, 5) and b"migrate" not in done.stderr


def test_a_passphrase_where_a_key_is_wanted_and_the_other_way_round(files):
    files.run("encrypt", *KEY, "OLD", "FOR_KEY", check=0)
    files.run("encrypt", "--passphrase-file", "pass", *CHEAP, "OLD", "FOR_PASS", check=0)
    done = files.run("decrypt", "--passphrase-file", "pass", "FOR_KEY", "OUT")
    files.assert_refused(done, 4, "opens with a key only", "--key-file")
    files.write("short", b"x")  # its length is not what is wrong
    for key in ("key", "short"):
        done = files.run("decrypt", "--key-file", key, "FOR_PASS", "OUT")
        files.assert_refused(done, 4, "opens with a passphrase only", "--passphrase-file")
    assert "OUT" not in files.names()


def test_where_either_would_do_it_is_the_secret_that_is_wrong(files):
    files.run("encrypt", *KEY, "--passphrase-file", "pass", *CHEAP, "OLD", "BOX", check=0)
    files.write("other", random_bytes(32, seed=2))
    done = files.run("decrypt", "--key-file", "other", "BOX", "OUT")
    files.assert_refused(done, 4)
    assert b"only" not in done.stderr
    files.run("decrypt", "--key-file", "other", "--passphrase-file", "pass", "BOX", "OUT", check=0)


def test_inspect_of_base64_names_our_own_options(files):
    shown = files.run("inspect", "OLD64", check=0).stdout
    assert b"raw decrypt --openssl -a" in shown and b"--from-base64" in shown
