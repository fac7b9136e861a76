"""raw --in-place: a journal is of one file, in one state."""

import os
import signal

import pytest
from conftest import CHUNK, NOBODY, RAW_CTR, is_root, random_bytes


def killed_in_place(files, faults, pieces, piece, direction="encrypt", tear=True):
    """FILE, torn within that piece or with that piece done, and its journal. Returns what it was and what it is to become."""
    before = random_bytes((pieces - 1) * CHUNK + 5000, seed=11)
    files.write("FILE", before)
    after = files.run("raw", direction, *RAW_CTR, "FILE", check=0).stdout
    rule = f"pwrite:FILE@{piece + 1}=tear" if tear else f"fdatasync:FILE@{piece + 1}=kill-after"
    done = files.run("raw", direction, *RAW_CTR, "--in-place", "FILE", env=faults(rule))
    assert done.returncode == -signal.SIGKILL and "FILE.phalanx-journal" in files.names()
    return before, after


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("pieces, piece, tear", [(1, 0, True), (4, 0, True), (4, 2, True), (4, 2, False), (4, 3, True)])
def test_a_journal_goes_on_with_its_own_file_only(files, faults, direction, pieces, piece, tear):
    before, after = killed_in_place(files, faults, pieces, piece, direction, tear)
    command = ["raw", direction, *RAW_CTR, "--in-place", "FILE"]
    left, journal = files.read("FILE"), files.read("FILE.phalanx-journal")
    others = {
        "another file of that length": random_bytes(len(before), seed=12),
        "the first byte": bytes([left[0] ^ 1]) + left[1:],
        "the last byte": left[:-1] + bytes([left[-1] ^ 1]),
    }
    if piece > 0:
        others["the one before"] = before  # as from a backup
    for what, content in others.items():
        with open(files.folder / "FILE", "r+b") as file:
            file.write(content)
        files.assert_refused(files.run(*command), 2, "FILE.phalanx-journal", "begin anew")
        assert files.read("FILE") == content and files.read("FILE.phalanx-journal") == journal, what
    files.write("copy", left)
    os.replace(files.folder / "copy", files.folder / "FILE")
    advice = "begin anew" if pieces == 1 else "this file's content is what it names"
    files.assert_refused(files.run(*command), 2, "--trust-journal", advice)
    assert files.read("FILE") == left
    files.run(*command, "--trust-journal", check=0)
    assert files.read("FILE") == after and "FILE.phalanx-journal" not in files.names()


def test_inspect_knows_a_journal(files, faults):
    """And says so of its beginning alone, which a crash may have left."""
    killed_in_place(files, faults, 2, 1)
    beginning = files.read("FILE.phalanx-journal")[:16]
    for done in (files.run("inspect", "FILE.phalanx-journal", check=0), files.run("inspect", "-", stdin=beginning, check=0)):
        assert b"the journal of a `raw --in-place`" in done.stdout and b"give that command again" in done.stdout
    files.assert_refused(files.run("inspect", "-", stdin=b"phalanx journalX"), 2, "it may be text")


def test_to_begin_anew_the_journal_is_removed(files, faults):
    before, after = killed_in_place(files, faults, 3, 1)
    with open(files.folder / "FILE", "r+b") as file:
        file.write(before)
    command = ["raw", "encrypt", *RAW_CTR, "--in-place", "FILE"]
    files.assert_refused(files.run(*command), 2, "remove")
    (files.folder / "FILE.phalanx-journal").unlink()
    files.run(*command, check=0)
    assert files.read("FILE") == after


def test_a_journal_is_never_adopted_from_others(files):
    for content in (b"my notes", bytes(5000) + b"my notes", b"phalanx journal"[:9] + b"my notes"):
        files.write("IN.phalanx-journal", content)
        files.assert_refused(files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN"), 2, "not a journal")
        assert files.read("IN.phalanx-journal") == content
    if is_root():
        files.write("IN.phalanx-journal", b"")
        os.chown(files.folder / "IN.phalanx-journal", NOBODY, NOBODY)
        files.assert_refused(files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN"), 2, "move it away")


def test_a_file_that_grows_meanwhile_is_told(files, faults):
    done = files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN", env=faults("pwrite:IN@1=run", actor="echo more >> IN"))
    files.assert_refused(done, 1, "changed its size")
    assert files.read("IN").endswith(b"more\n")
