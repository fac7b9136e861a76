"""migrate --report: what a manifest says, as a table and as a page, for people who were not there."""

import csv
import html.parser
import io
import json
import os
import pathlib
import re
import subprocess

import pytest
from conftest import MOST_SECONDS, PROGRAM, openssl, random_bytes, unknown_format

NEW = ["--key-file", "new"]
TREE = "migrate --manifest M --from-tree old --to-tree new.d".split()
AUTO = "--from-auto --from-cipher des3,aes-256-cbc --from-passphrase-file pass1 --from-passphrase-file pass2".split()
ODD = "=1+cmd|'<b>&\"x\",\n\udcff"  # a formula, markup, quotes, a line end, and a byte that is no UTF-8


def seal(files, name, plain, options, passphrase):
    files.write(f"old/{name}", openssl("enc", *options.split(), "-pass", f"file:{passphrase}", stdin=plain, cwd=files.folder))


@pytest.fixture
def migrated(phalanx):
    """Files that are done, doubtful, failed and skipped, some of them in two runs."""
    phalanx.write("new", random_bytes(32, seed=3))
    phalanx.write("pass1", b"correct horse\n")
    phalanx.write("pass2", b"battery staple\n")
    (phalanx.folder / "old").mkdir()
    text = b"a text that anybody can read, in any case\n"
    seal(phalanx, "sure", text, "-des3 -md md5", "pass2")
    seal(phalanx, ODD, text, "-aes-256-cbc -md sha256", "pass1")
    # Of `openssl enc -des3 -md md5 -pass pass:secret`: nothing opens it.
    phalanx.write("old/wrong", bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c"))
    phalanx.write("old/plain", text * 20)
    (phalanx.folder / "old" / "link").symlink_to("sure")
    phalanx.run(*TREE, *AUTO, *NEW, "--delete-source", "--keep-going")
    return phalanx


def records(files):
    lines = [json.loads(line) for line in files.read("M").decode().splitlines()[1:]]
    return {line["name"]: line for line in lines}


class Page(html.parser.HTMLParser):
    """The tables of a page, as lists of rows of texts, and what else it names."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tags, self.links, self.inside = [], set(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.tables[-1][-1][-1] += data


def table_of(files, name="r.csv"):
    return list(csv.reader(io.StringIO(files.read(name).decode(), newline="")))


def test_a_table_has_a_row_for_each_file(migrated):
    done = migrated.run(*"migrate --report r.csv --manifest M".split(), check=0)
    heading, *rows = table_of(migrated)
    assert heading == ["old file", "state", "opened with", "why", "old bytes", "container", "container bytes", "what became of the old file"]
    by_name = {row[0]: dict(zip(heading, row)) for row in rows}
    said = records(migrated)
    assert len(rows) == len(said) == 5
    sure = by_name["sure"]
    assert sure["state"] == "done" and sure["opened with"].startswith("des-ede3-cbc, md5, passphrase 2") and sure["why"] == ""
    assert int(sure["old bytes"]) == said["sure"]["in_bytes"] and sure["container"] == "sure.phalanx"
    assert int(sure["container bytes"]) == (migrated.folder / "new.d/sure.phalanx").stat().st_size
    assert sure["what became of the old file"] == "removed" and not (migrated.folder / "old/sure").exists()
    assert by_name["wrong"]["state"] == "failed" and "none of" in by_name["wrong"]["why"] and by_name["wrong"]["container"] == ""
    assert by_name["wrong"]["what became of the old file"] == "kept"
    assert by_name["plain"]["state"] in ("failed", "skipped") and by_name["link"]["state"] == "skipped"
    odd = next(row for row in rows if "cmd" in row[0])
    assert odd[0].startswith("'=1+cmd|'<b>&\"x\",?")  # no formula, one line
    assert b"2 done, 0 doubtful, " in done.stderr and b"2 of the old files removed" in done.stderr


def test_a_page_is_one_file_that_names_no_other(migrated):
    migrated.run(*"migrate --report r.html --manifest M".split(), check=0)
    text = migrated.read("r.html").decode()
    page = Page(text)
    assert page.links == [] and "script" not in page.tags and "b" not in page.tags and "url(" not in text
    totals, waiting, finished = page.tables
    assert ["files", "5"] in totals and ["done", "2"] in totals and ["old files removed", "2"] in totals
    lines = [line for line in records(migrated).values() if line["state"] == "done"]
    for words, member in (("bytes of the old files that are done", "in_bytes"), ("bytes of their containers", "out_bytes")):
        assert [words, str(sum(line[member] for line in lines))] in totals
    assert {row[0] for row in waiting[1:]} == {"wrong", "plain", "link"}
    assert sorted(row[1] for row in finished[1:]) == ["done", "done"]
    assert any(row[0].startswith("=1+cmd|'<b>&\"x\",?") for row in finished[1:])


def test_the_newest_line_counts(migrated):
    """A file that failed and is opened later is done; one whose later run failed has its container still."""
    migrated.write("pass3", b"secret\n")
    migrated.run(*TREE, *AUTO, *NEW, "--from-passphrase-file", "pass3", "--keep-going")
    migrated.write("old/sure", b"Salted__" + bytes(8) + unknown_format(33))  # no whole blocks: whatever the key
    migrated.run(*TREE, *AUTO, *NEW, "--keep-going")
    migrated.run(*"migrate --report r.csv --manifest M".split(), check=0)
    rows = {row[0]: row for row in table_of(migrated)}
    assert rows["wrong"][1] in ("done", "doubtful") and "passphrase 3" in rows["wrong"][2]
    assert rows["sure"][1] == "failed" and rows["sure"][5] == "sure.phalanx"
    assert rows["sure"][3].endswith("; the container is of an earlier run")


def test_doubts_are_said(phalanx):
    phalanx.write("new", random_bytes(32, seed=3))
    phalanx.write("pass", b"secret\n")
    (phalanx.folder / "old").mkdir()
    seal(phalanx, "ctr", unknown_format(100), "-aes-256-ctr -md md5", "pass")
    phalanx.run(*TREE, *"--from-openssl --from-cipher aes-256-ctr --from-md md5 --from-passphrase-file pass".split(), *NEW, check=7)
    phalanx.run(*"migrate --report r.html --manifest M".split(), check=0)
    totals, waiting = Page(phalanx.read("r.html").decode()).tables
    assert ["done, but doubtful: a wrong key may have opened them", "1"] in totals
    assert waiting[1][:2] == ["ctr", "doubtful"] and waiting[1][3] == records(phalanx)["ctr"]["doubt"]
    assert waiting[1][7] == "kept"


def test_a_torn_line_is_left_out(migrated):
    whole = migrated.read("M")
    migrated.write("M", whole + b'{"name":"tor')
    migrated.run(*"migrate --report r.csv --manifest M".split(), check=0)
    assert len(table_of(migrated)) == 6 and migrated.read("M") == whole + b'{"name":"tor'


REFUSED = [
    ("migrate --report r.txt --manifest M", "r.txt ends neither with .csv nor with .html"),
    ("migrate --report r.csv", "give --manifest too"),
    ("migrate --report r.csv --manifest none", "there is no manifest of that name"),
    ("migrate --report r.csv --manifest pass1", "is not a manifest of Phalanx"),
    ("migrate --report r.csv --manifest M IN", "leave IN out"),
    ("migrate --report r.csv --manifest M --delete-source", "leave --delete-source out"),
    ("migrate --report r.csv --manifest M --from-cipher des3", "leave --from-cipher out"),
    ("migrate --report old.csv --manifest M", "old.csv"),  # it is there already
]


@pytest.mark.parametrize("command, words", REFUSED)
def test_what_is_refused_writes_nothing(migrated, command, words):
    migrated.write("old.csv", b"kept")
    before = migrated.names()
    migrated.assert_refused(migrated.run(*command.split()), 2, words)
    assert migrated.names() == before and migrated.read("old.csv") == b"kept"
    migrated.run(*"migrate --report old.csv --manifest M --force".split(), check=0)
    assert len(table_of(migrated, "old.csv")) == 6


def test_the_manifest_itself_is_no_report(migrated):
    (migrated.folder / "M").rename(migrated.folder / "M.csv")
    whole = migrated.read("M.csv")
    migrated.assert_refused(migrated.run(*"migrate --report M.csv --manifest M.csv --force".split()), 2, "the manifest")
    assert migrated.read("M.csv") == whole


PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "migration.md"
DES = "--from-auto --from-cipher des3 --from-passphrase-file pass1".split()
NAMED_BADLY = ["2014/april, the 1st.des3", '2014/"quoted".des3', "2014/=formula.des3", "2014/two\nlines.des3", "2014/\udcff.des3"]


def shell(files, script, **options):
    """Runs lines of a page, with the program and a `file` that only reads."""
    folder = files.folder / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "file").write_text("#!/bin/sh\nexec cat >/dev/null\n")
    (folder / "file").chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
    return subprocess.run(["bash", "-uo", "pipefail", "-c", script], cwd=files.folder, env=environment, capture_output=True, timeout=MOST_SECONDS, **options)


@pytest.fixture
def doubtful(phalanx):
    """Files in doubt, with names that a table cannot show, as the page has the folders and the keys."""
    phalanx.write("new.key", random_bytes(32, seed=3))
    phalanx.write("old-pass", b"correct horse\n")
    (phalanx.folder / "old" / "2014").mkdir(parents=True)
    for name in ["2014/march.des3", *NAMED_BADLY]:
        phalanx.write(f"old/{name}", openssl("enc", "-des3", "-md", "md5", "-pass", "file:old-pass", stdin=random_bytes(803), cwd=phalanx.folder))
        os.utime(phalanx.folder / "old" / name, (1.4e9, 1.4e9))
    options = "--strip-suffix .des3 --from-auto --from-cipher des3 --from-passphrase-file old-pass --key-file new.key"
    phalanx.run(*f"migrate --manifest moved.jsonl --from-tree old --to-tree new {options}".split(), check=7)
    return phalanx


def blocks_below(heading):
    section = PAGE.read_text(encoding="utf-8").partition(f"\n{heading}\n")[2].partition("\n### ")[0]
    return re.findall(r"^```\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


def old_files(files):
    return {os.fsdecode(path.relative_to(files.folder / "old")) for path in (files.folder / "old").rglob("*.des3")}


def test_the_pages_lines_remove_doubtful_files_that_were_looked_at(doubtful):
    """As they stand, and a second time, when a report is there already."""
    remove, _ = blocks_below("### What is doubtful")
    for _ in range(2):
        done = shell(doubtful, remove)
        assert done.returncode == 7, done.stderr
        assert old_files(doubtful) == set(NAMED_BADLY)
    again = doubtful.run(*"migrate --manifest moved.jsonl --report moved.csv".split())
    doubtful.assert_refused(again, 2, "moved.csv", "--force")


def test_the_pages_lines_take_any_name_from_the_manifest(doubtful):
    _, names = blocks_below("### What is doubtful")
    assert shell(doubtful, names).returncode == 0
    listed = [os.fsdecode(name) for name in doubtful.read("doubtful").split(b"\0")]
    assert listed.pop() == "" and sorted(listed) == sorted(old_files(doubtful))
    options = "--from-list doubtful --null --delete-source --delete-doubtful --from-auto --from-cipher des3 --from-passphrase-file old-pass"
    doubtful.run(*f"migrate --manifest moved.jsonl --from-tree old --to-tree new {options} --key-file new.key".split(), check=7)
    assert old_files(doubtful) == set()
    assert shell(doubtful, names).returncode == 0 and doubtful.read("doubtful") == b""


def test_what_is_counted_after_a_kill(phalanx):
    """A run that was killed after two removals, the second of which has no line yet: what the page says of the last line and the report."""
    phalanx.write("new", random_bytes(32, seed=3))
    phalanx.write("pass1", b"correct horse\n")
    (phalanx.folder / "old").mkdir()
    for name in ("a", "b", "c", "d"):
        seal(phalanx, name, b"a text that anybody can read, in any case\n", "-des3 -md md5", "pass1")
    phalanx.run(*TREE, *DES, *NEW, check=0)
    phalanx.write("L", b"a\nb\n")
    phalanx.run(*TREE, *DES, *NEW, "--from-list", "L", "--delete-source", "--jobs", 1, check=0)
    lines = phalanx.read("M").splitlines(keepends=True)
    assert json.loads(lines[-1])["name"] == "b" and json.loads(lines[-1])["deleted"]
    phalanx.write("M", b"".join(lines[:-1]))
    phalanx.run(*"migrate --report r.csv --manifest M".split(), check=0)
    fates = {row[0]: row[-1] for row in table_of(phalanx)}
    assert fates == {"old file": "what became of the old file", "a": "removed", "b": "perhaps removed: the run was stopped there", "c": "kept", "d": "kept"}
    assert b"2 done, 0 done before, 0 failed, 0 skipped, 0 doubtful, 2 deleted" in phalanx.run(*TREE, *DES, *NEW, "--delete-source", check=0).stderr
    done = phalanx.run(*"migrate --report r.csv --force --manifest M".split(), check=0)
    assert b"4 done, 0 doubtful, 0 failed, 0 skipped, 3 of the old files removed" in done.stdout + done.stderr
    assert b"0 done, 2 done before" in phalanx.run(*TREE, *DES, *NEW, "--from-list", "L", "--delete-source", check=0).stderr
