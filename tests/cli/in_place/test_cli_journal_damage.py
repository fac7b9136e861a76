"""raw --in-place: a journal in which nothing is whole is an unused one, or damaged; no piece is crypted twice because of it."""

import os
import random
import signal

import pytest
from conftest import CHUNK, RAW_CTR, random_bytes
from earlier_journals import EarlierJournal

JOURNAL, MARK = "FILE.phalanx-journal", "user.phalanx.in-place"
ON = ["raw", "encrypt", *RAW_CTR, "--in-place", "FILE"]
PIECES = 4
SIZE = (PIECES - 1) * CHUNK + 5000
SLOTS, RECORD = 4096, 232
SLOT = RECORD + CHUNK + 16


class Stopped:
    """FILE as a run was stopped on it, with its journal and its mark, to be put there again and again."""

    def __init__(self, files, faults, rule, direction="encrypt", actor=None):
        self.files, self.before = files, random_bytes(SIZE, seed=11)
        files.write("FILE", self.before)
        self.after = files.run("raw", direction, *RAW_CTR, "FILE", check=0).stdout
        self.command = ["raw", direction, *RAW_CTR, "--in-place", "FILE"]
        assert files.run(*self.command, env=faults(rule, actor=actor)).returncode == -signal.SIGKILL
        self.left, self.journal = files.read("FILE"), files.read(JOURNAL)
        self.mark = os.getxattr(files.folder / "FILE", MARK) if MARK in os.listxattr(files.folder / "FILE") else None

    def put(self, journal, left=None):
        with open(self.files.folder / "FILE", "r+b") as file:
            file.write(self.left if left is None else left)
        if self.mark is not None:
            os.setxattr(self.files.folder / "FILE", MARK, self.mark)
        self.files.write(JOURNAL, journal)

    def run(self, journal, left=None):
        """The exit code. Where it is 0, all is done; else the file is as it was."""
        self.put(journal, left)
        done = self.files.run(*self.command)
        expected = self.after if done.returncode == 0 else self.left if left is None else left
        assert self.files.read("FILE") == expected, done.stderr
        if done.returncode != 0:
            assert self.files.read(JOURNAL) == journal
        return done

    def assert_damaged(self, journal, left=None):
        done = self.run(journal, left)
        self.files.assert_refused(done, 1, JOURNAL, "damaged", "untouched copy", "remove")
        assert b"resumes" not in done.stderr, "nothing does"


def flipped(journal, *positions):
    changed = bytearray(journal)
    for position in positions:
        changed[position] ^= 4
    return bytes(changed)


def zeroed(journal, begin, end):
    return journal[:begin] + bytes(end - begin) + journal[end:]


BOTH_DIRECTIONS = pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
# With the first piece at work, torn; with it done; and with two of them done, and both slots in use.
STATES = {"torn": "pwrite:FILE@1=tear", "one": "fdatasync:/FILE@1=kill-after", "two": "fdatasync:/FILE@2=kill-after"}


@BOTH_DIRECTIONS
@pytest.mark.parametrize("state", STATES)
def test_a_journal_without_a_whole_record_is_damaged(files, faults, direction, state):
    stopped = Stopped(files, faults, STATES[state], direction)
    journal, slots = stopped.journal, [SLOTS, SLOTS + SLOT]
    in_headers, in_content = flipped(journal, *[slot + 9 for slot in slots]), flipped(journal, *[slot + 5000 for slot in slots])
    sectors = zeroed(zeroed(journal, slots[0], slots[0] + 512), slots[1], slots[1] + 512)
    cut = [journal[:end] for end in (SLOTS, SLOTS + 100, SLOTS + RECORD + 700, 192)]
    for damaged in (in_headers, sectors, zeroed(journal, SLOTS, len(journal)), in_headers + b"more", *cut):
        stopped.assert_damaged(damaged)
    if state == "two":  # else the other slot is unused, and no bit of it is a record's
        stopped.assert_damaged(in_content)
    assert stopped.run(journal).returncode == 0


@pytest.mark.parametrize("state", ["torn", "two"])
def test_a_journal_that_lost_its_beginning_is_not_begun_anew(files, faults, state):
    stopped = Stopped(files, faults, STATES[state])
    if stopped.mark is None:
        pytest.skip("no extended attributes here: nothing tells")
    for blank in (b"", bytes(100), bytes(len(stopped.journal))):
        stopped.assert_damaged(blank)
    files.assert_refused(stopped.run(zeroed(stopped.journal, 0, 512)), 2, "not a journal")
    (files.folder / JOURNAL).unlink()  # as it was told
    assert files.run(*ON).returncode == 0
    assert files.read("FILE") == files.run("raw", "encrypt", *RAW_CTR, "-", stdin=stopped.left, check=0).stdout


def test_a_run_that_begins_anew_may_be_killed_at_every_call(files, faults):
    """Where the user removed the journal, the mark of the run before it is still there."""
    stopped = Stopped(files, faults, STATES["two"])
    for call in range(1, 100):
        stopped.put(b"", stopped.before)
        (files.folder / JOURNAL).unlink()
        code = files.run(*ON, env=faults(f"change@{call}=tear")).returncode
        if code == 0:
            break
        assert code == -signal.SIGKILL
        if files.read("FILE") != stopped.after:
            files.run(*ON, check=0)
        assert files.read("FILE") == stopped.after, call
    assert 15 < call < 99


@BOTH_DIRECTIONS
def test_an_unused_journal_is_begun_anew(files, faults, direction):
    """Its first slot may be torn; but the file, the length and the second slot are as the run before left them."""
    stopped = Stopped(files, faults, f"pwrite:{JOURNAL}@3=kill", direction)
    journal = stopped.journal
    assert stopped.left == stopped.before and not any(journal[SLOTS:])
    torn = journal[:SLOTS] + random_bytes(SLOT // 2, seed=3) + journal[SLOTS + SLOT // 2 :]
    for unused in (journal, torn):
        assert stopped.run(unused).returncode == 0
        for damaged in (unused[:-1], unused + b"\0", flipped(unused, SLOTS + SLOT), flipped(unused, len(unused) - 1)):
            stopped.assert_damaged(damaged)
        for at in (0, CHUNK - 1, SIZE - 5000, SIZE - 1):
            stopped.assert_damaged(unused, flipped(stopped.before, at))


def changed_somehow(journal, chance):
    at = chance.randrange(len(journal))
    length = chance.choice([1, 16, 512, 4096, SLOT])
    kind = chance.randrange(7)
    if kind == 0:
        return flipped(journal, at)
    if kind == 1:
        return flipped(journal, *[SLOTS + slot * SLOT + chance.randrange(RECORD) for slot in (0, 1)])
    if kind == 2:
        at -= at % 512
        return zeroed(journal, at, min(at + length, len(journal)))
    if kind == 3:
        return journal[:at]
    if kind == 4:
        return journal[:at] + random_bytes(length, seed=at)[: len(journal) - at] + journal[at + length :]
    if kind == 5:
        return zeroed(zeroed(journal, SLOTS, SLOTS + 512), SLOTS + SLOT, SLOTS + SLOT + 512)
    return journal[: chance.choice([0, 16, 192, SLOTS, SLOTS + SLOT])]


@pytest.mark.parametrize("state", STATES)
def test_mutations_of_a_journal(files, faults, state):
    stopped = Stopped(files, faults, STATES[state])
    chance = random.Random(f"mutations {state}")
    if stopped.mark is None:
        pytest.skip("no extended attributes here: nothing tells an empty journal from a new one")
    codes = [stopped.run(changed_somehow(stopped.journal, chance)).returncode for _ in range(40)]
    assert set(codes) <= {0, 1, 2, 4} and codes.count(1) > 3 and codes.count(0) > 3, codes


@BOTH_DIRECTIONS
def test_older_copies_of_a_journal(files, faults, direction):
    """As a backup might have them, of this run or of one before: they go on where that is right, or are refused."""
    for folder in ("of_this_run", "of_another"):
        (files.folder / folder).mkdir()
    copy_to = "cp FILE.phalanx-journal {0}/$(ls {0} | wc -l)"
    files.write("FILE", random_bytes(SIZE, seed=11))
    rule = f"fdatasync:{JOURNAL}@every=run"
    files.run("raw", direction, *RAW_CTR, "--in-place", "FILE", env=faults(rule, actor=copy_to.format("of_another")), check=0)
    stopped = Stopped(files, faults, f"{rule};pwrite:FILE@4=tear", direction, actor=copy_to.format("of_this_run"))
    codes = {folder: [stopped.run(copy.read_bytes()).returncode for copy in sorted((files.folder / folder).iterdir())] for folder in ("of_this_run", "of_another")}
    of_this_run, of_another = codes["of_this_run"], codes["of_another"]
    assert len(of_this_run) == len(of_another) == 2 + PIECES and of_this_run[-1] == 0, codes
    assert set(of_this_run[:-1] + of_another[:-1]) <= {1, 2} and of_this_run.count(1) >= 1, codes


@BOTH_DIRECTIONS
@pytest.mark.parametrize("num_records, num_done, torn", [(0, 0, False), (1, 0, "record"), (1, 0, "file"), (2, 2, False), (3, 2, "file"), (4, 3, "record")])
def test_a_journal_of_an_earlier_version_goes_on(files, direction, num_records, num_done, torn):
    before = random_bytes(SIZE, seed=11)
    files.write("FILE", before)
    after = files.run("raw", direction, *RAW_CTR, "FILE", check=0).stdout
    journal = EarlierJournal(files.folder / "FILE", direction, files.read("key"), before, after)
    with open(files.folder / "FILE", "r+b") as file:
        file.write(journal.file(num_done, torn == "file"))
    files.write(JOURNAL, journal.content(num_records, torn == "record"))
    files.run("raw", direction, *RAW_CTR, "--in-place", "FILE", check=0)
    assert files.read("FILE") == after and JOURNAL not in files.names()


def test_damage_of_a_journal_of_an_earlier_version(files):
    """Its header says nothing of the pieces; but what no kill leaves is told."""
    before = random_bytes(SIZE, seed=11)
    files.write("FILE", before)
    after = files.run("raw", "encrypt", *RAW_CTR, "FILE", check=0).stdout
    earlier = EarlierJournal(files.folder / "FILE", "encrypt", files.read("key"), before, after)
    left, journal = earlier.file(2), earlier.content(2)
    with open(files.folder / "FILE", "r+b") as file:
        file.write(left)
    for damaged in (journal[:SLOTS], flipped(journal, SLOTS + 9, SLOTS + SLOT + 9), zeroed(journal, SLOTS, SLOTS + 512)[: SLOTS + SLOT]):
        files.write(JOURNAL, damaged)
        files.assert_refused(files.run(*ON), 1, JOURNAL, "damaged")
        assert files.read("FILE") == left and files.read(JOURNAL) == damaged
    assert b"give that command again" in files.run("inspect", JOURNAL, check=0).stdout
    files.write(JOURNAL, journal)
    files.run(*ON, check=0)
    assert files.read("FILE") == after
