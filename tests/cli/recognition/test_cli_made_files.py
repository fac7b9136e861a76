"""What `inspect`, `migrate`, `decrypt`, `verify` and `raw decrypt` say of files of many kinds: each is named, and what opens it."""

import json
import re
import subprocess

import pytest
from conftest import PROGRAM, random_bytes
from made_files import END_MARK, FILES, ROOT, inspected, kept_table, noise, prepare, table_of

PAGE = ROOT / "docs/what_is_this_file.md"
OURS = {"container", "openssl-enc", "base64"}
# A length without whole blocks is that of a stream mode, too.
HONEST = "or of a mode that takes any length"


@pytest.fixture(scope="module")
def made_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    prepare(folder)
    for made in FILES:
        (folder / made.name).write_bytes(made.make(folder))
    (folder / "pass").write_text("horse\n")
    (folder / "key24").write_bytes(random_bytes(24))
    (folder / "key32").write_bytes(random_bytes(32))
    for name in ("pass", "key24", "key32"):
        (folder / name).chmod(0o600)
    return folder


@pytest.fixture
def run(phalanx, made_folder):
    phalanx.folder = made_folder
    return phalanx.run


def test_there_are_sixty_files():
    assert len(FILES) >= 60 and len({made.name for made in FILES}) == len(FILES)


@pytest.mark.parametrize("made", FILES, ids=lambda made: made.name)
def test_kind(made_folder, made):
    exit_code, found = inspected(PROGRAM, made_folder, made)
    assert (found["kind"], found["form"], found["protection"], found["certain"]) == (made.kind, made.form, made.protection, made.is_certain)
    assert exit_code == (0 if made.is_certain else 2) and not found["cut"]
    assert found["opened_by"] or made.kind in {"unknown", "text"}


# Ways to say what an old file is, and none of them right for most of these.
COMMANDS = {
    "inspect": "inspect IN",
    "decrypt": "decrypt --key-file key32 IN -",
    "identity": "decrypt -i identity IN -",
    "recipients": "recipients add --key-file key32 --add-key-file key24 IN",
    "verify": "verify --key-file key32 IN",
    "raw": "raw decrypt --cipher des-ede3-cbc --iv 0123456789abcdef --key-file key24 IN OUT",
    "raw_openssl": "raw decrypt --openssl --cipher des3 --passphrase-file pass IN OUT",
    "raw_base64": "raw decrypt --openssl -a --cipher des3 --passphrase-file pass IN OUT",
    "auto": "migrate --dry-run --from-auto --from-cipher des3,aes-256-cbc --from-passphrase-file pass IN",
    "openssl": "migrate --dry-run --from-openssl --from-cipher des3 --from-passphrase-file pass IN",
    "iv_prefix": "migrate --dry-run --from-cipher des-ede3-cbc --from-iv-prefix --from-key-file key24 IN",
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_nothing_whole_is_called_cut_or_plain(run, made_folder, command):
    for made in FILES:
        done = run(*command.replace("IN", made.name).split())
        (made_folder / "OUT").unlink(missing_ok=True)
        words = (done.stdout if "decrypt" not in command else b"").decode() + done.stderr.decode()
        assert "plaintext" not in words or made.kind == "container", (made.name, words)
        may_be_cut = not made.is_certain or made.kind == "openssl-enc"
        assert "cut short" not in words or (HONEST in words and may_be_cut), (made.name, words)


@pytest.mark.parametrize("made", [made for made in FILES if made.is_certain and made.kind not in OURS], ids=lambda made: made.name)
def test_each_command_says_what_opens_it(run, made_folder, made):
    command = inspected(PROGRAM, made_folder, made)[1]["opened_by"].rstrip(",")
    for name in COMMANDS.keys() - {"inspect"}:
        done = run(*COMMANDS[name].replace("IN", made.name).split())
        words = done.stdout.decode() + done.stderr.decode()
        (made_folder / "OUT").unlink(missing_ok=True)
        if name == "raw" and done.returncode == 0:
            continue  # one padding in 256 is right by chance
        assert done.returncode == 2, (name, words)
        its_own = command.startswith("phalanx") or command.startswith("the same")  # which the library names without options
        assert command in words or its_own, (name, words)


def test_a_folder_of_them(run, made_folder, phalanx):
    """Nothing is done, nothing is removed, and what is another's has a reason of its own."""
    (made_folder / "old").mkdir()
    chosen = [made for made in FILES if made.is_certain and made.kind not in OURS | {"hex"}]
    for made in chosen:
        (made_folder / "old" / made.name).write_bytes((made_folder / made.name).read_bytes())
    done = run(
        *"migrate --manifest M --from-tree old --to-tree new --delete-source --json --keep-going".split(),
        *"--from-auto --from-cipher des3,aes-256-cbc --from-passphrase-file pass --key-file key32".split(),
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    summary, found = lines[-1], {line["name"]: line for line in lines[:-1]}
    assert summary["done"] == 0 and summary["deleted"] == 0 and not list((made_folder / "new").rglob("*.phalanx"))
    assert {path.name for path in (made_folder / "old").iterdir()} == {made.name for made in chosen}
    for made in chosen:
        line = found[made.name]
        if line["state"] == "skipped":
            assert made.kind in {"container", "manifest"} or "phalanx" in line["why"], line
            continue
        reason = "plaintext" if made.protection in {"none", "signed"} else "another format"
        assert (line["state"], line["reason"], line["exit_code"]) == ("failed", reason, 2), line


def test_the_page_has_what_inspect_says():
    """tests/cli/recognition/made_files.py PROGRAM --write docs/what_is_this_file.md renews it."""
    page = PAGE.read_text(encoding="utf-8")
    assert kept_table(page) == table_of(PROGRAM) and END_MARK in page


def test_the_page_names_every_kind():
    source = (ROOT / "src/files/recognition/recognised_file.cpp").read_text(encoding="utf-8")
    names = re.findall(r'"([a-z0-9-]+)"', source.partition("kind_names[] = {")[2].partition("};")[0])
    page = PAGE.read_text(encoding="utf-8")
    assert len(names) > 40 and all(re.search(rf"[ `]{name}[ `,.]", page) for name in names)


def test_several_files_in_json(run, made_folder):
    done = run("inspect", "--json", "text", "veracrypt", "age")
    found = {line["name"]: line for line in json.loads(done.stdout)}
    assert done.returncode == 2 and found["age"]["kind"] == "age" and found["veracrypt"]["kind"] == "unknown"
    assert done.stderr.count(b"veracrypt") == 1 and b"VeraCrypt" in done.stderr


def test_an_option_that_is_missing_is_named_first(run, made_folder):
    for words in ("--from-iv-prefix --from-key-file key24", "--from-iv 0123456789abcdef --from-key-file key24"):
        done = run(*f"migrate --dry-run --from-cipher des-ede3-cbc {words} iv_base64".split())
        assert done.returncode == 2 and b"--from-base64" in done.stdout + done.stderr
    done = run(*"raw decrypt --cipher des-ede3-cbc --iv 0123456789abcdef --key-file key24 iv_base64 OUT".split())
    assert done.returncode == 2 and b"give -a, and --iv-prefix too where the iv stands before" in done.stderr


def test_base64_goes_with_a_key(run, made_folder):
    (made_folder / "key").write_bytes(bytes.fromhex("00112233445566778899aabbccddeeff0011223344556677"))
    (made_folder / "key").chmod(0o600)
    letter = (made_folder / "text").read_bytes()
    done = run(*"raw decrypt --cipher des-ede3-cbc -a --iv-prefix --key-file key iv_base64 -".split(), check=0)
    assert done.stdout == letter
    done = run(*"migrate --dry-run --from-cipher des-ede3-cbc --from-base64 --from-iv-prefix --from-key-file key iv_base64".split())
    assert done.returncode == 7 and b"opens" in done.stdout  # nothing vouches for the iv
    sealed = run(*"raw encrypt --cipher aes-256-ctr --iv 00112233445566778899aabbccddeeff -a --key-file key32 text -".split(), check=0).stdout
    assert re.fullmatch(rb"[A-Za-z0-9+/=\n]+", sealed)
    (made_folder / "sealed").write_bytes(sealed)
    done = run(*"raw decrypt --cipher aes-256-ctr --iv 00112233445566778899aabbccddeeff -a --key-file key32 sealed -".split(), check=0)
    assert done.stdout == letter
    done = run(*"raw decrypt --cipher aes-256-ctr --iv 00112233445566778899aabbccddeeff -a --key-file key32 --in-place sealed".split())
    assert done.returncode == 2 and b"--in-place keeps the length, and -a does not" in done.stderr


@pytest.mark.parametrize("name", ["enc_base64", "enc_one_line", "enc_crlf", "enc_blanks", "enc_tabs", "enc_spaces", "enc_76"])
def test_auto_reads_what_raw_reads(run, made_folder, name):
    """Base64 of any shape: one reader for all."""
    letter = (made_folder / "text").read_bytes() * 4
    raw = run(*f"raw decrypt --openssl -a --pbkdf2 --cipher aes-256-cbc --passphrase-file pass {name} -".split(), check=0)
    assert raw.stdout == letter
    done = run(*f"migrate --dry-run --from-auto --from-pbkdf2 --from-cipher aes-256-cbc --from-passphrase-file pass {name}".split(), check=0)
    assert b"base64" in done.stdout and b"opens" in done.stdout
    shown = run("inspect", name, check=0).stdout
    assert b"openssl enc" in shown and b"raw decrypt --openssl -a" in shown


def test_prose_is_no_base64(run, made_folder):
    """Words of base64's alphabet with spaces between them."""
    (made_folder / "prose").write_bytes(b"these words have no mark between them and all are of the alphabet\n" * 3)
    done = run(*COMMANDS["auto"].replace("IN", "prose").split())
    assert done.returncode == 2 and b"text (ASCII)" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["age", "gpg_public_key", "cms_der", "zip_aes", "luks2", "text_utf16"])
def test_from_a_pipe(run, made_folder, name):
    content = (made_folder / name).read_bytes()
    shown = json.loads(run("inspect", "--json", "-", stdin=content, check=0).stdout)
    assert shown["kind"] == {made.name: made.kind for made in FILES}[name]
    done = run(*"decrypt --key-file key32 - -".split(), stdin=content)
    assert done.returncode == 2 and b"standard input is no Phalanx container: it is" in done.stderr


@pytest.mark.parametrize("name", ["cms_der", "seven_zip_aes", "gpg_two_keys_cut"])
def test_what_is_cut_is_said_to_be_cut(run, made_folder, name):
    content = (made_folder / name.replace("gpg_two_keys_cut", "gpg_public_key")).read_bytes()
    (made_folder / "cut").write_bytes(content[:-9])
    found = json.loads(run("inspect", "--json", "cut", check=0).stdout)
    assert found["cut"] and "its end is missing" in run("inspect", "cut", check=0).stdout.decode()


def test_random_bytes_are_no_kind(run, made_folder):
    names = []
    for number in range(200):
        names.append(f"noise{number}")
        (made_folder / names[-1]).write_bytes(noise(32 + 7 * number, seed=number))
    done = run("inspect", "--json", *names)
    assert {line["kind"] for line in json.loads(done.stdout)} == {"unknown"} and done.returncode == 2


# What inspect names, run as it stands, with the names of the keys that it leaves open.
OPENED = {
    "enc_utf16": "iconv -f UTF-16 -t UTF-8 enc_utf16 | openssl enc -d -a -aes-256-cbc -pbkdf2 -pass file:pass",
    "age": "age -d -i identity age",
    "age_armored": "age -d -i identity age_armored",
    "age_base64": "base64 -di age_base64 | age -d -i identity",
    "cms_der": "openssl cms -decrypt -inform DER -in cms_der -recip cert.pem -inkey key.pem",
    "cms_stream": "openssl cms -decrypt -inform DER -in cms_stream -recip cert.pem -inkey key.pem",
    "cms_pem": "openssl cms -decrypt -inform PEM -in cms_pem -recip cert.pem -inkey key.pem",
    "cms_mail": "openssl cms -decrypt -in cms_mail -recip cert.pem -inkey key.pem",
    "cms_passphrase": "openssl cms -decrypt -inform DER -in cms_passphrase -pwri_password horse",
    "cms_gcm": "openssl cms -decrypt -inform DER -in cms_gcm -recip cert.pem -inkey key.pem",
    "cms_key": "openssl cms -EncryptedData_decrypt -inform DER -in cms_key -secretkey 00112233445566778899aabbccddeeff",
    "cms_signed": "openssl cms -verify -inform DER -in cms_signed -noverify",
}


@pytest.mark.parametrize("name", OPENED)
def test_what_opens_it_does(made_folder, name):
    command = inspected(PROGRAM, made_folder, next(made for made in FILES if made.name == name))[1]["opened_by"]
    command = re.sub("^phalanx raw decrypt --[a-z]+, or ", "", command)
    first = re.split(" [A-Z]{3}", command)[0]  # up to what stands for a name
    assert OPENED[name].startswith(first), command
    done = subprocess.run(["bash", "-o", "pipefail", "-c", OPENED[name]], cwd=made_folder, capture_output=True, timeout=120)
    letter = (made_folder / "text").read_bytes()
    assert done.returncode == 0 and done.stdout.strip().startswith(letter.strip()), done.stderr


BY_PHALANX = {
    **dict.fromkeys(["cms_der", "cms_stream", "cms_pem", "cms_mail", "cms_gcm"], ["--private-key-file", "key.pem", "--from-cert", "cert.pem"]),
    "cms_passphrase": ["--passphrase-file", "horse"], "cms_key": ["--key-file", "own_key"],
}  # fmt: skip


@pytest.mark.parametrize("name", BY_PHALANX)
def test_phalanx_opens_messages_too(run, made_folder, tmp_path, name):
    (tmp_path / "horse").write_bytes(b"horse\n")
    (tmp_path / "own_key").write_bytes(bytes.fromhex("00112233445566778899aabbccddeeff"))
    options = [str(tmp_path / option) if option in ("horse", "own_key") else option for option in BY_PHALANX[name]]
    theirs = subprocess.run(["bash", "-c", OPENED[name]], cwd=made_folder, capture_output=True, timeout=120)
    assert run("raw", "decrypt", "--cms", *options, name, "-", check=0).stdout == theirs.stdout != b""
