"""The first thing that anybody tries: each wrong guess draws the line that would have done."""

import shlex

import pytest
from conftest import IV16, KEY, openssl, random_bytes

TEXT = b"Dear all, this is what the old files hold.\n" * 30


@pytest.fixture
def files(phalanx):
    """Old files of two kinds in a folder, their passphrase, a new key, and a few files to encrypt."""
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("IN", TEXT)
    (phalanx.folder / "old").mkdir()
    kinds = {"a.des3": ["-des3", "-md", "md5"], "b.enc": ["-aes-256-cbc", "-md", "sha256", "-a"], "c.des3": ["-des3", "-md", "sha1"]}
    for name, options in kinds.items():
        content = openssl("enc", *options, "-pass", "file:pass", stdin=TEXT, cwd=phalanx.folder)
        (phalanx.folder / "old" / name).write_bytes(content)
    return phalanx


PASSPHRASE = ["--from-passphrase-file", "pass"]


def line_for(files, *arguments):
    """The command that a refusal ends with."""
    done = files.run("migrate", *arguments)
    files.assert_refused(done, 2, "is a folder; for all files in it, and with --dry-run first: phalanx migrate ")
    return shlex.split(done.stderr.decode().split(" first: phalanx ")[1])


def suffixes_of(line):
    """--strip-suffix and its value, each time."""
    return [word for option, value in zip(line, line[1:]) if option == "--strip-suffix" for word in (option, value)]


def test_folders_draw_the_whole_line(files):
    line = line_for(files, "old", "new")
    assert line == [
        "migrate", "--manifest", "new.jsonl", "--from-tree", "old", "--to-tree", "new",
        "--from-auto", "--from-cipher", "des3", *suffixes_of(line), "--from-passphrase-file", "OLD-PASSPHRASE", "--key-file", "NEW-KEY",
    ]  # fmt: skip
    assert sorted(suffixes_of(line)[1::2]) == [".des3", ".enc"]  # once each
    # With what was given in its place, the line does it.
    line = line_for(files, *PASSPHRASE, *KEY, "--from-cipher", "des3,aes-256-cbc", "old/", "new")
    assert b"3 open," in files.run(*line, "--dry-run", check=0).stderr
    files.run(*line, check=0)
    for name in ("a", "b", "c"):
        assert files.run("decrypt", *KEY, f"new/{name}.phalanx", check=0).stdout == TEXT
    assert suffixes_of(line_for(files, "--strip-suffix", ".x", "old", "new")) == ["--strip-suffix", ".x"]


def test_a_folder_with_an_odd_name_is_quoted(files):
    (files.folder / "old").rename(files.folder / "it's old")
    line = line_for(files, *PASSPHRASE, *KEY, "--from-iter", "9", "it's old")
    assert line[4] == "it's old" and line[-1] == "key" and "--from-iter" in line and "new" in line


def test_a_folder_of_bare_messages_draws_the_folders_alone(files):
    done = files.run("migrate", "--from-cipher", "aes-256-ctr", "--from-iv", IV16, "--from-key-file", "key", *KEY, "old", "new")
    files.assert_refused(done, 2, "give --manifest new.jsonl --from-tree old --to-tree new in the place of IN and OUT")


def test_a_dry_run_of_a_folder_needs_no_manifest(files):
    before = files.names()
    done = files.run("migrate", "--dry-run", "--from-tree", "old", "--from-auto", "--from-cipher", "des3", *PASSPHRASE)
    assert done.returncode == 4 and b"2 open," in done.stderr and files.names() == before
    assert done.stdout.startswith(b"opens    a.des3: des-ede3-cbc, md5, ")
    done = files.run("migrate", "--from-tree", "old", "--to-tree", "new", "--from-auto", "--from-cipher", "des3", *PASSPHRASE)
    files.assert_refused(done, 2, "--from-tree is for many files: give --manifest FILE too", "--dry-run needs none")
    files.assert_refused(files.run("migrate", "--from-tree", "old"), 2, "--from-cipher is required", "des3 with --from-auto")


OPENSSLS_NAME = [
    ("raw decrypt --cipher des3 --passphrase-file pass old/a.des3", "give --openssl for a file of `openssl enc`, or else des-ede3-cbc"),
    ("raw encrypt --cipher AES256 --key-file key IN", "'AES256' is OpenSSL's name of aes-256-cbc: give --openssl"),
    ("migrate --from-cipher des3 --from-passphrase-file pass --key-file key old/a.des3 new", "give --from-openssl for a file"),
]  # fmt: skip


@pytest.mark.parametrize("command, words", OPENSSLS_NAME)
def test_a_name_of_openssl_says_whose_it_is(files, command, words):
    files.assert_refused(files.run(*command.split()), 2, "is OpenSSL's name of ", words)


def test_a_wrong_digest_leads_to_auto(files):
    raw = ["raw", "decrypt", "--openssl", "--cipher", "des3", "--passphrase-file", "pass"]
    files.assert_refused(files.run(*raw, "old/a.des3"), 4, "padding does not check", "--md auto tries four digests")
    assert files.run(*raw, "--md", "auto", "-q", "old/a.des3", check=0).stdout == TEXT
    old = ["migrate", "--from-openssl", "--from-cipher", "des3", *PASSPHRASE, *KEY]
    files.assert_refused(files.run(*old, "old/a.des3", "new"), 4, "--from-md auto tries four digests")
    assert b"auto" not in files.run(*old, "--from-md", "sha512,md4", "old/c.des3", "new").stderr


def test_base64_leads_to_what_reads_it(files):
    aes = ["--openssl", "--cipher", "aes-256-cbc", "--passphrase-file", "pass"]
    files.assert_refused(files.run("raw", "decrypt", *aes, "old/b.enc"), 2, "is base64 of a file of `openssl enc`", "give -a")
    old = ["migrate", "--from-openssl", "--from-cipher", "aes-256-cbc", *PASSPHRASE, *KEY]
    files.assert_refused(files.run(*old, "old/b.enc", "new"), 2, "is base64 of a file of `openssl enc`", "give --from-base64")


OPENSSLS_WORDS = [
    ("encrypt --key-file key -in IN -out OUT", "-in and -out are OpenSSL's: here it is phalanx encrypt ... IN OUT"),
    ("encrypt --key-file key -out OUT", "-out is OpenSSL's: here it is phalanx encrypt ... IN OUT"),
    ("raw decrypt -d -des3 -in IN -out OUT", "-d, -des3, -in and -out are OpenSSL's: here it is phalanx raw decrypt --openssl --cipher des3"),
    ("raw encrypt -aes-256-cbc -salt IN OUT", "-aes-256-cbc and -salt are OpenSSL's: here it is phalanx raw encrypt --openssl --cipher aes-256-cbc"),
    ("decrypt -aes256 -in IN", "here it is phalanx raw decrypt --openssl --cipher aes256 ... IN OUT"),
    ("migrate -d -des3 -in IN -out OUT", "here it is phalanx migrate --from-auto --from-cipher des3 ... IN OUT"),
]  # fmt: skip


@pytest.mark.parametrize("command, words", OPENSSLS_WORDS)
def test_words_of_openssl_say_what_is_given_here(files, command, words):
    before = files.names()
    files.assert_refused(files.run(*command.split()), 2, words)
    assert files.names() == before


def test_a_file_of_that_name_can_be_given(files):
    files.write("-out", TEXT)
    assert len(files.run("encrypt", *KEY, "./-out", check=0).stdout) > len(TEXT)
    assert len(files.run("encrypt", *KEY, "--", "-out", check=0).stdout) > len(TEXT)


def test_a_passphrase_file_with_more_lines_draws_a_warning(files):
    files.write("several", b"wrong\nopen sesame\n")
    auto = ["migrate", "--from-auto", "--from-cipher", "des3", *KEY]
    words = b"warning: the passphrase file several has more lines, and only the first is taken"
    done = files.run(*auto, "--from-passphrase-file", "several", "old/a.des3", "new")
    assert done.returncode == 4 and done.stderr.count(words) == 1
    sealed = files.run("encrypt", "--passphrase-file", "several", "--scrypt-log-n", "10", "IN", "BOX", check=0)
    assert words in sealed.stderr and words not in files.run("decrypt", "-q", "--passphrase-file", "several", "BOX", check=0).stderr
    # Line ends alone are no lines, and what follows on standard input is somebody else's.
    files.write("ended", b"open sesame\r\n\n\n")
    assert b"more lines" not in files.run(*auto, "--from-passphrase-file", "ended", "old/a.des3", "new", check=0).stderr
    both = b"wrong\nrest\n"
    assert b"more lines" not in files.run("decrypt", "--passphrase-fd", "0", "BOX", stdin=both, check=0).stderr


@pytest.mark.parametrize("content", [b"", b"\n", b"\nopen sesame\n"])
def test_an_empty_passphrase_is_told_where_something_is_opened(files, content):
    files.write("empty", content)
    words = b"warning: the passphrase is empty: nothing stands in the first line of passphrase file empty"
    raw = ["raw", "decrypt", "--openssl", "--cipher", "des3", "--md", "auto", "--passphrase-file", "empty", "old/a.des3"]
    assert words in files.run(*raw).stderr
    files.run("encrypt", "--passphrase-file", "pass", "--scrypt-log-n", "10", "IN", "BOX", check=0)
    done = files.run("decrypt", "--passphrase-file", "empty", "BOX")
    assert done.returncode == 4 and words in done.stderr


def test_in_place_eats_no_option(files):
    raw = ["raw", "encrypt", "--in-place", "--cipher", "aes-256-ctr", *KEY, "--iv", IV16, "IN"]
    files.assert_refused(files.run(*raw), 2, "--in-place: FILE must follow at once, and '--cipher' looks like an option")
    assert files.read("IN") == TEXT


def test_no_whole_blocks_may_be_another_cipher(files):
    old = ["migrate", "--from-openssl", *PASSPHRASE, *KEY]
    content = (files.folder / "old" / "a.des3").read_bytes()
    files.write("odd", content[:-8] if len(content) % 16 == 0 else content)  # blocks of 8 bytes, and not of 16
    files.write("cut", content[:-3])
    words = "no whole blocks of 16 bytes: it is cut short, or of a cipher with blocks of 8 bytes, such as triple DES"
    files.assert_refused(files.run(*old, "--from-cipher", "aes-128-cbc", "odd", "new"), 5, words)
    raw = ["raw", "decrypt", "--openssl", "--cipher", "aes-128-cbc", "--passphrase-file", "pass"]
    files.assert_refused(files.run(*raw, "odd", "plain"), 5, words)
    done = files.run(*old, "--from-cipher", "aes-256-cbc,des3", "cut", "new")
    files.assert_refused(done, 5, "no whole blocks of 8 bytes: it is cut short")
    assert b"triple DES" not in done.stderr


def test_out_that_exists_names_each_only_where_it_may_be_an_input(files):
    files.write("IN2", TEXT)
    files.assert_refused(files.run("encrypt", *KEY, "IN", "IN2"), 2, "IN2 exists", "if it is an input too, give --each")
    files.run("encrypt", *KEY, "IN", "BOX", check=0)
    files.run("encrypt", *KEY, "IN", "BOX2", check=0)
    files.assert_refused(files.run("decrypt", *KEY, "BOX", "BOX2"), 2, "if it is an input too, give --each")
    for again in (["encrypt", *KEY, "IN", "BOX"], ["decrypt", *KEY, "BOX", "IN"]):  # who merely ran twice
        done = files.run(*again)
        files.assert_refused(done, 2, "exists: it is overwritten only with --force")


def test_a_partial_file_names_only_what_can_go_on_from_it(files):
    files.write("OUT.phalanx-partial", b"of a killed run")
    done = files.run("encrypt", *KEY, "IN", "OUT")
    files.assert_refused(done, 2, "replace it with --force, or go on from it with --resume")
    done = files.run("raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", IV16, *KEY, "IN", "OUT")
    files.assert_refused(done, 2, "replace it with --force")
    assert b"--resume" not in done.stderr


def test_what_is_no_container(files):
    done = files.run("decrypt", *KEY, "IN", "OUT")
    files.assert_refused(done, 2, "IN is no Phalanx container: it is text (ASCII)")
    files.write("NOISE", random_bytes(100))
    done = files.run("decrypt", *KEY, "NOISE", "OUT")
    files.assert_refused(done, 2, "NOISE is no Phalanx container: it does not begin", "what `phalanx encrypt --bare` wrote opens with --bare")


def test_one_byte_is_a_byte(files):
    files.write("one", b"a")
    old = openssl("enc", "-des3", "-md", "md5", "-pass", "file:pass", stdin=b"a", cwd=files.folder)
    files.write("one.des3", old)
    done = files.run("migrate", "--from-auto", "--from-cipher", "des3", *PASSPHRASE, *KEY, "one.des3", "new", check=0)
    assert b"plaintext of IN, 1 byte\n" in done.stdout


def test_a_message_names_its_file_once(files):
    """A file by itself by its name, and a file of many in front of the message alone."""
    files.write("EMPTY", b"")
    (files.folder / "some").mkdir()
    files.write("some/text.phalanx", TEXT)
    for command in (["decrypt", *KEY, "IN", "OUT"], ["recipients", "add", *KEY, "--add-key-file", "key", "IN"]):
        files.assert_refused(files.run(*command), 2, "phalanx: IN is no Phalanx container: it is text")
    files.assert_refused(files.run("decrypt", *KEY, "EMPTY", "OUT"), 5, "phalanx: EMPTY is empty")
    files.assert_refused(files.run("recipients", "list", "IN"), 2, "phalanx: IN: the input is no Phalanx container")
    done = files.run("verify", *KEY, "some/text.phalanx")
    assert done.returncode == 2 and done.stderr.startswith(b"phalanx: some/text.phalanx: the input is no Phalanx container")
    for command in (["verify", *KEY, "some/none", "IN"], ["encrypt", "--each", *KEY, "some/none", "IN"]):
        assert files.run(*command).stderr.splitlines()[0] == b"phalanx: cannot open some/none: No such file or directory", command
    looked = files.run("inspect", "some/none", "IN").stderr
    assert looked.splitlines()[0] == b"phalanx: cannot open some/none: No such file or directory"
    files.write("some/noise", random_bytes(100))
    looked = files.run("inspect", "some/noise", "IN").stderr
    assert looked.startswith(b"phalanx: some/noise: its 100 bytes look random") and looked.count(b"some/noise") == 1


def test_a_key_file_that_is_not_there_is_told_by_its_option(files):
    """Its name may be the secret itself, given by mistake."""
    for option in ("--key-file", "--passphrase-file"):
        done = files.run("encrypt", option, "nothing", "IN", "OUT")
        files.assert_refused(done, 1, f"cannot open the file that {option} names", "No such file")
        assert b"nothing" not in done.stderr


def test_counts_agree_with_their_verbs(files):
    (files.folder / "more").mkdir()
    for name in ("a", "b"):
        files.write(f"more/{name}.des3", (files.folder / "old/a.des3").read_bytes())
    files.write("more/c", TEXT)
    look = ["migrate", "--dry-run", "--from-auto", "--from-cipher", "des3", *PASSPHRASE, "--from-tree"]
    assert files.run(*look, "more").stderr.splitlines()[-1].startswith(b"phalanx: dry run: 1 fails, 2 open, ")
