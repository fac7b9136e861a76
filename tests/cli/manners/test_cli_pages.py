"""The commands that pages show run as they stand, one after another, in one folder: a page's blocks marked `sh`, the manual's examples."""

import os
import pathlib
import re
import subprocess
import tempfile
import sys

import pytest
from conftest import MOST_SECONDS, PROGRAM, aes_xts, openssl, random_bytes

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests/cli/luks"))
from luks_images import WrittenVolume  # noqa: E402

BEFORE_THE_SECTORS = 1 << 20  # of the image that docs/old_volumes.md reads
TEXT = b"Dear all, this is what the old files hold.\n" * 30_000
# A page, and a file that its commands make, with what it must hold.
MADE = {
    "README.md": ("photos.copy/2026/march.jpg", random_bytes(300_000)),
    "docs/program.md": ("restored/2026/march.jpg", random_bytes(300_000)),
    "docs/cookbook.md": ("old.txt", TEXT),
    "docs/send_a_folder.md": ("received/photos/2026/march.jpg", random_bytes(300_000)),
    "docs/backup.md": ("march.jpg", random_bytes(300_000)),
    "docs/luks.md": ("disk.img", TEXT[: len(TEXT) // 512 * 512]),
    "docs/old_volumes.md": ("plain.img", TEXT[: len(TEXT) // 512 * 512]),
    "docs/gcm_files.md": ("notes2", TEXT),
    "docs/cms.md": ("notes2", TEXT),
    "docs/openpgp.md": ("notes3", TEXT),
    "docs/old_ciphers.md": ("old.txt", TEXT),
    "docs/phalanx.1": ("photos.copy/2026/march.jpg", random_bytes(300_000)),
}


def commands_of(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.endswith(".md"):
        return "\n".join(re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    examples = text.partition("\n.SH EXAMPLES\n")[2].partition("\n.SH ")[0]
    lines = "\n".join(re.findall(r"^\.nf\n(.*?)^\.fi", examples, re.MULTILINE | re.DOTALL))
    return lines.replace("\\-", "-").replace("\\e", "\\")


def volume_image(key):
    """Sectors of aes-xts-plain64, by libcrypto alone, behind what is none of theirs."""
    sectors = [aes_xts(key, number.to_bytes(16, "little"), TEXT[512 * number : 512 * (number + 1)]) for number in range(len(TEXT) // 512)]
    return bytes(BEFORE_THE_SECTORS) + b"".join(sectors)


def shell(phalanx, commands, *options):
    """Bash, as a page's reader has it, in a folder of its own; `options` in place of those that end at the first failure."""
    before = ["bash", *(options or ["-euo", "pipefail"]), "-c"]
    script = "umask 077\n" + commands
    with tempfile.TemporaryDirectory(prefix="gpg") as home:  # a short name, since the agent of gpg has its socket there
        paths = {"PATH": os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"], "GNUPGHOME": home}
        environment = {**os.environ, **paths}
        done = subprocess.run([*before, script], cwd=phalanx.folder, env=environment, capture_output=True, timeout=MOST_SECONDS)
        if os.listdir(home):
            subprocess.run(["gpgconf", "--kill", "gpg-agent"], env=environment, check=True, timeout=MOST_SECONDS)
        return done


@pytest.fixture
def given(phalanx):
    """What the pages take for given."""
    (phalanx.folder / "photos" / "2026").mkdir(parents=True)
    phalanx.write("photos/2026/march.jpg", random_bytes(300_000))
    phalanx.write("photos/list.txt", b"march\n")
    phalanx.write("pass", b"correct horse\n")
    phalanx.write("notes", TEXT)
    phalanx.write("video.mkv", random_bytes(2_000_000))
    (phalanx.folder / "old").mkdir()
    (phalanx.folder / "letters").mkdir()
    phalanx.write("letters/march.txt", TEXT)
    for name in ("old.enc", "old/letters.enc"):
        phalanx.write(name, openssl("enc", "-des3", "-md", "md5", "-pass", "file:pass", stdin=TEXT, cwd=phalanx.folder))
    bf = ["-bf", "-provider", "legacy", "-provider", "default"]
    phalanx.write("old.bf", openssl("enc", *bf, "-md", "md5", "-pass", "file:pass", stdin=TEXT, cwd=phalanx.folder))
    phalanx.write("short", b"a1b2c3\n")
    phalanx.write("volume.key", random_bytes(64))
    phalanx.write("disk.luks", WrittenVolume().image(TEXT[: len(TEXT) // 512 * 512]))
    phalanx.write("volume.img", volume_image(random_bytes(64)))
    return phalanx


@pytest.mark.parametrize("page", MADE)
def test_commands_run_as_they_stand(given, page):
    if page == "docs/old_volumes.md":
        given.write("key", random_bytes(32, seed=3))
    commands = commands_of(page)
    assert "phalanx" in commands
    done = shell(given, commands)
    assert done.returncode == 0, done.stderr.decode()
    name, content = MADE[page]
    assert given.read(name) == content


@pytest.mark.parametrize("page, container, removed", [("docs/send_a_folder.md", "shared.phalanx", "me.txt"), ("docs/backup.md", "march.phalanx", "friend.txt")])
def test_one_friend_of_several_is_kept(given, page, container, removed):
    """`recipients list` tells one's own number, and behind `replace` the other friend opens nothing."""
    done = shell(given, commands_of(page))
    own = [line for line in done.stdout.decode().splitlines() if line.endswith("; opens with the identity of mine.txt")]
    assert [line.partition(":")[0] for line in own] == ["1"], done.stdout
    for identity, code in (("mine.txt", 0), ("friend2.txt", 0), (removed, 4)):
        given.run("decrypt", "-i", identity, container, stdin=b"", check=code)


def section(page, begin, end):
    return (ROOT / page).read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]


def test_exit_codes_are_in_one_list_on_each_page():
    """The program's own codes, and those of signals."""
    program = (ROOT / "src/program/cli/console/exit_codes.hpp").read_text(encoding="utf-8")
    codes = {0, 129, 130, 143, *map(int, re.findall(r"(?:return|doubtful_exit_code =) (\d);", program))}
    rows = re.findall(r"^\| ([\d, ]+) \|", section("docs/program.md", "\n## Exit codes\n", "\n## "), re.MULTILINE)
    entries = re.findall(r"^\.BR? (\d.*)$", section("docs/phalanx.1", "\n.SH EXIT STATUS\n", "\n.SH "), re.MULTILINE)
    for listed in (rows, entries):
        assert [int(code) for line in listed for code in re.findall(r"\d+", line)] == sorted(codes)


def test_what_a_kill_costs_at_most_is_what_pages_say():
    """`--resume` keeps what was recorded, which is done at times that checkpoints.hpp has."""
    source = (ROOT / "src/files/system/output/checkpoints.hpp").read_text(encoding="utf-8")
    assert re.findall(r"between_checkpoints\{(\d+)\}", source) == ["5"]
    for page in ("docs/cookbook.md", "docs/program.md", "docs/phalanx.1"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert re.search("every five seconds", text, re.IGNORECASE), page


@pytest.mark.parametrize("page", ["docs/send_a_folder.md", "docs/program.md", "docs/cookbook.md", "docs/backup.md", "docs/phalanx.1"])
def test_a_public_key_is_never_lost_by_a_second_try(phalanx, page):
    """The lines that make an identity and take its public key: given again, they leave both as they are."""
    lines = "\n".join(re.findall(r"^(?:phalanx keygen --identity|grep -o 'age1).*", commands_of(page), re.MULTILINE)[:2])
    assert shell(phalanx, lines).returncode == 0
    public, before = next(phalanx.folder.glob("*.public")), {path.name: path.read_bytes() for path in phalanx.folder.iterdir()}
    assert len(before) == 2 and public.read_bytes().startswith(b"age1")
    again = shell(phalanx, lines, "-u")
    assert b"exists" in again.stderr and again.returncode == 0
    assert shell(phalanx, lines).returncode == 2
    assert {path.name: path.read_bytes() for path in phalanx.folder.iterdir()} == before


def test_who_sends_a_folder_reads_first_what_the_receiver_needs():
    """The system, and what does where the receiver has no Phalanx, stand above the first command, with a link that leads there."""
    page = (ROOT / "docs/send_a_folder.md").read_text(encoding="utf-8")
    first = page.partition("```")[0]
    for words in ("Linux and x86-64", "Debian 12", "a package](#the-receiver-has-no-phalanx)", "[`age`](#the-receiver-has-no-phalanx)"):
        assert words in " ".join(first.split()), words
    ways = section("docs/send_a_folder.md", "## The receiver has no Phalanx\n", "\n## ")
    assert "apt install age" in ways and "apt install ./phalanx_*.deb" in ways
