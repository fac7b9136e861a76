"""encrypt and decrypt that are continued: only where all agrees, and no chunk is sealed twice with different content."""

import os
import signal
import sys

import pytest
from conftest import CHUNK, MOST_SECONDS, random_bytes, wait_for
from sealed_runs import KEY, PARTIAL, PREFIX, RECORD, RECORD_PLACE, SEALED_CHUNK, SEALED_PIECE, check_sealed, files, first_place  # noqa: F401
from sealed_runs import header_bytes, plain, recorded_pieces, run_with  # noqa: F401

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "container"))


def leave_partial(files, faults, *options, piece=2):
    """The partial file and the record file of an encrypt that was killed when it wrote the piece-th of its pieces, whichever that is. The
    first two writes there are of the beginning."""
    command = ["encrypt", *KEY, *options, "-q", "--resume", "IN", "OUT"]
    done = run_with(files, faults, f"pwrite:{PARTIAL}@{piece + 3}=tear", *command)
    assert done.returncode == -signal.SIGKILL
    return files.read(PARTIAL), files.read(RECORD)


def put_back(files, left):
    for name in ("OUT", PARTIAL, RECORD):
        (files.folder / name).unlink(missing_ok=True)
    for name, content in zip((PARTIAL, RECORD), left):
        if content is not None:
            files.write(name, content)



@pytest.mark.parametrize("options", [[], ["--resume"]])
def test_a_signal_after_the_renaming_says_that_all_is_there(files, faults, options, plain):
    done = run_with(files, faults, f"rename:{PARTIAL}@1=int", "encrypt", *KEY, *options, "IN", "OUT")
    files.assert_refused(done, 128 + signal.SIGINT, "interrupted; OUT has its name, and is complete")
    check_sealed(files, plain)

def assert_untouched(files, left):
    assert "OUT" not in files.names()
    for name, content in zip((PARTIAL, RECORD), left):
        assert (files.read(name) if name in files.names() else None) == content, name


def test_resume_goes_on_with_the_same_keys(files, faults, plain):
    left, _ = leave_partial(files, faults)
    done = files.run("encrypt", *KEY, "--resume", "IN", "OUT", check=0)
    assert b"are done" in done.stderr and files.read("OUT")[: header_bytes(left) + PREFIX] == left[: header_bytes(left) + PREFIX]
    check_sealed(files, plain)
    assert files.names() == ["BOX", "IN", "OUT", "key", "other"]


def test_resume_with_another_content_is_refused(files, faults, plain):
    """In any piece that was recorded: nothing is written, and only a fresh start seals the new content."""
    left = leave_partial(files, faults)
    numbers = recorded_pieces(left[1])
    assert len(numbers) >= 3
    for place in [number * CHUNK + chance for number in numbers for chance in (0, 77, 12_000)]:
        changed = bytearray(plain)
        changed[place] ^= 1
        files.write("IN", bytes(changed))
        files.assert_refused(files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT"), 2, "another content", "--force")
        assert_untouched(files, left)
    for shorter in (plain[: 2 * CHUNK], plain[: 2 * CHUNK + 100], plain[:100], b""):
        files.write("IN", shorter)
        files.assert_refused(files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT"), 2, "another content")
        assert_untouched(files, left)
    files.write("IN", bytes(changed))
    files.run("encrypt", *KEY, "--force", "IN", "OUT", check=0)
    out = files.read("OUT")
    assert out[: header_bytes(out)] != left[0][: header_bytes(left[0])]
    check_sealed(files, bytes(changed))
    assert files.names() == ["BOX", "IN", "OUT", "key", "other"]


def test_a_small_message_is_recorded_too(files, faults):
    """The rule does not depend on the size of the file."""
    files.write("IN", b"a few bytes")
    left = leave_partial(files, faults, piece=0)
    files.write("IN", b"other bytes")
    files.assert_refused(files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT"), 2, "another content")
    assert_untouched(files, left)
    files.write("IN", b"a few bytes")
    files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", check=0)
    check_sealed(files, b"a few bytes")


def test_every_write_of_ciphertext_comes_after_its_durable_record(files, faults, plain):
    """In the order of the calls: records are written and synchronised, and only then pieces; never a piece that is not recorded."""
    log = files.folder.parent / "log"
    assert files.run("encrypt", *KEY, "IN", "OUT", env=faults(log=log)).returncode == 0
    lines = [line.split(" ", 2) for line in log.read_text().splitlines()]  # not every call has a path
    calls = [(line[0], line[-1]) for line in lines if line[0] in ("pwrite", "fdatasync")]
    num_written = num_recorded = num_durable = 0
    assert [calls.pop(0)[1].rsplit("/")[-1] for _ in range(3)] == [RECORD, PARTIAL, PARTIAL]  # the beginning
    for name, path in calls:
        num_recorded += name == "pwrite" and path.endswith(RECORD)
        num_written += name == "pwrite" and path.endswith(PARTIAL)
        num_durable = num_recorded if name == "fdatasync" and path.endswith(RECORD) else num_durable
        assert num_written <= num_durable
    assert num_written == num_recorded == 6


def test_a_record_with_a_huge_hole_costs_no_time(files, faults, plain):
    """Somebody may have made it longer: nothing is searched where nothing was written."""
    leave_partial(files, faults)
    os.truncate(files.folder / RECORD, 1 << 42)
    files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", check=0)
    check_sealed(files, plain)


def test_resume_after_lost_and_torn_writes(files, faults, plain):
    """What a power cut may leave: ciphertext and a beginning that are not there, and a newest record that is torn."""
    left = leave_partial(files, faults)
    partial, record = left
    start = header_bytes(partial) + PREFIX
    files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", check=0)
    finished = files.read("OUT")
    newest = first_place(record) + max(recorded_pieces(record)) * RECORD_PLACE
    for damaged, torn in [
        (partial[:start] + bytes(SEALED_CHUNK * 200) + partial[start + SEALED_CHUNK * 200 :], record),
        (partial[: start + 5000] + bytes(50_000) + partial[start + 55_000 :], record),
        (partial[: start + SEALED_PIECE], record),
        (bytes(len(partial)), record),
        (partial[:20], record),
        (partial + bytes(SEALED_PIECE), record),
        (partial[: start + 2 * SEALED_PIECE], record[:newest]),
        (partial[: start + 2 * SEALED_PIECE], record[: newest + 100]),
        (partial[: start + 2 * SEALED_PIECE], record[: newest + 50] + bytes(len(record) - newest - 50)),
    ]:
        put_back(files, (damaged, torn))
        files.run("encrypt", *KEY, "--resume", "-q", "IN", "OUT", check=0)
        assert files.read("OUT") == finished and RECORD not in files.names()


def test_resume_begins_afresh_where_nothing_was_sealed(files, faults, plain):
    partial, record = leave_partial(files, faults)
    start = header_bytes(partial) + PREFIX
    for damaged in (b"", partial[:3], partial[:50], partial[: start - 1], partial[:start]):
        for torn in (None, b"", record[:7], record[:20], record[:100]):
            put_back(files, (damaged, torn))
            done = files.run("encrypt", *KEY, "--resume", "IN", "OUT", check=0)
            assert (b"afresh" in done.stderr) == (damaged != b"") and files.read("OUT")[:start] != partial[:start]
            check_sealed(files, plain)


def test_resume_refuses_what_is_not_ours(files, faults, plain):
    """And changes nothing in it."""
    partial, record = leave_partial(files, faults)
    other = bytes([partial[0] ^ 1]) + partial[1:]
    for damaged, torn in [
        (partial, None), (partial, b""), (partial, record[:100]), (b"my diary", None), (b"my diary" * 10_000, None),
        (b"my diary" * 10_000, record), (other, record), (random_bytes(40), None), (b"my diary", b"my notes"), (b"", b"my notes"),
        (partial, b"my notes" * 1000),
    ]:  # fmt: skip
        put_back(files, (damaged, torn))
        files.assert_refused(files.run("encrypt", *KEY, "--resume", "IN", "OUT"), 2, "move it away")
        assert_untouched(files, (damaged or None, torn) if damaged == b"" and PARTIAL not in files.names() else (damaged, torn))
        files.assert_refused(files.run("encrypt", *KEY, "--bare", "--resume", "IN", "OUT"), 2)


def test_resume_wants_the_same_command(files, faults, plain):
    left = leave_partial(files, faults)
    files.write("key16", random_bytes(16))
    for options, code, word in [
        (["--key-file", "other"], 4, ""),
        ([*KEY, "--key-file", "other"], 2, "recipients"),
        (["--key-file", "key16", "--cipher", "aes-128"], 2, "aes-256"),
        ([*KEY, "--bare"], 2, "as a container"),
    ]:
        files.assert_refused(files.run("encrypt", *options, "--resume", "IN", "OUT"), code, word)
        assert_untouched(files, left)
    files.assert_refused(files.run("encrypt", *KEY, "IN", "OUT"), 2, PARTIAL, "--resume", "--force")
    assert_untouched(files, left)


def test_a_bare_message_resumes_too(files, faults, plain):
    bare = ["encrypt", *KEY, "--bare", "--context", "0102", "--resume", "-q"]
    left = leave_partial(files, faults, "--bare", "--context", "0102")
    for other, code in [([*KEY, "--bare"], 4), (["--key-file", "other", "--bare", "--context", "0102"], 4), (KEY, 2)]:
        files.assert_refused(files.run("encrypt", *other, "--resume", "-q", "IN", "OUT"), code)
        assert_untouched(files, left)
    files.run(*bare, "IN", "OUT", check=0)
    assert files.read("OUT")[:PREFIX] == left[0][:PREFIX]
    assert files.run("decrypt", *KEY, "--bare", "--context", "0102", "OUT", check=0).stdout == plain


def tags_of(plain, container, key):
    """Of the chunks that `plain` makes under the keys of a container, by a reader of our format that knows nothing of the program."""
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    import read_container as reader

    suite, _, records, size = reader.parse_header(container)
    fixed = container[:10]
    data_key = reader.open_record(fixed, suite, records[0][1], 1, key)
    chunk_key, base_nonce, _ = reader.message_keys(suite, data_key, fixed + b"body", container[size : size + 24])
    aead = reader.AESGCM(chunk_key)
    chunks = [plain[place : place + 16384] for place in range(0, len(plain) + 1, 16384)]
    return [aead.encrypt(reader.chunk_nonce(base_nonce, i), chunk, None)[-16:] for i, chunk in enumerate(chunks)]


def test_two_copies_of_the_disk_show_no_two_tags_of_a_chunk(files, faults):
    """The attacker of two looks: a record of one content that became torn, and then another content under the same keys. Whoever has
    two tags of one chunk can compute GCM's hash key; a record must not show any."""
    first, second = random_bytes(3 * 16384 + 5, seed=31), random_bytes(3 * 16384 + 5, seed=32)
    files.write("IN", first)
    done = run_with(files, faults, f"fdatasync:{RECORD}@2=kill", "encrypt", *KEY, "-q", "--resume", "IN", "OUT")
    assert done.returncode == -signal.SIGKILL
    whole_record = files.read(RECORD)
    files.write(RECORD, whole_record[:-5])  # its end was not durable
    looks = [files.read(PARTIAL), whole_record]
    files.write("IN", second)
    done = run_with(files, faults, f"fchmod:{PARTIAL}@1+=kill", "encrypt", *KEY, "-q", "--resume", "IN", "OUT")
    assert done.returncode == -signal.SIGKILL
    looks += [files.read(PARTIAL), files.read(RECORD)]
    files.run("encrypt", *KEY, "-q", "--resume", "IN", "OUT", check=0)
    out = files.read("OUT")
    key = files.read("key")
    for tag in tags_of(first, out, key):
        assert not any(tag in look for look in [*looks, out])
    for number, tag in enumerate(tags_of(second, out, key)):
        assert tag in out and not any(tag in record for record in (looks[1], looks[3])), number


def leave_opened(files):
    """The partial file and the record file of a decrypt that was killed when it had recorded what it wrote so far: five seconds after it
    began, with the next piece that came."""
    process = files.start("decrypt", *KEY, "--resume", "-q", "-", "OUT")
    sealed = files.read("BOX")
    process.stdin.write(sealed[: 3 * SEALED_PIECE])
    process.stdin.flush()

    rest = iter(range(3 * SEALED_PIECE, 5 * SEALED_PIECE, 512))

    def feed_until_recorded():
        place = next(rest)
        process.stdin.write(sealed[place : place + 512])
        process.stdin.flush()
        return (files.folder / RECORD).exists() and (files.folder / RECORD).stat().st_size > 4096

    wait_for(feed_until_recorded)
    process.kill()
    process.wait()
    return files.read(PARTIAL), files.read(RECORD)


def test_decrypt_goes_on_with_what_is_recorded(files, plain):
    """A piece that is recorded is read back and left; what a crash made of the others does not matter. Where one of those is not as it
    was recorded, the disk has lost what it said it had, and nothing of the file is believed."""
    partial, record = leave_opened(files)
    assert recorded_pieces(record)[0] == 0 and len(recorded_pieces(record)) >= 2
    place = first_place(record)
    for damaged, torn, is_lost in [
        (partial, record, False), (bytes(len(partial)), record, True), (partial[:CHUNK] + bytes(len(partial) - CHUNK), record, True),
        (b"?" + partial[1:], record, True), (partial[:5], record, True), (partial + bytes(30 * CHUNK), record, False),
        (partial, record[: place + 3], False), (partial, record[:place] + bytes(100) + record[place + 100 :], False),
    ]:  # fmt: skip
        inode = files.write(PARTIAL, damaged).stat().st_ino.to_bytes(8, "little")
        files.write(RECORD, torn[: 24 + PREFIX] + inode + torn[24 + PREFIX + 8 :])
        done = files.run("decrypt", *KEY, "--resume", "BOX", "OUT", check=0)
        assert (b"began afresh" in done.stderr) == is_lost == (b"are done" not in done.stderr) and files.read("OUT") == plain
        assert PARTIAL not in files.names() and RECORD not in files.names()
        (files.folder / "OUT").unlink()


def test_decrypt_goes_on_with_nothing_else(files, plain):
    partial, record = leave_opened(files)
    files.write("IN2", plain[:-1])
    files.run("encrypt", *KEY, "-f", "IN2", "BOX2", check=0)
    files.assert_refused(files.run("decrypt", *KEY, "--resume", "-q", "BOX2", "OUT"), 2, "another IN", "--force")
    assert_untouched(files, (partial, record))
    for damaged, torn, why in [
        (b"another beginning", None, "record is missing"), (partial, None, "record is missing"), (partial, b"my notes", "no"),
        (partial, record[:20], "record is missing"),
    ]:  # fmt: skip
        put_back(files, (damaged, torn))
        files.assert_refused(files.run("decrypt", *KEY, "--resume", "-q", "BOX", "OUT"), 2, "move it away", why)
        assert_untouched(files, (damaged, torn))
    put_back(files, (partial, record))  # a copy of it, as another file
    (files.folder / PARTIAL).rename(files.folder / "other")
    files.write(PARTIAL, partial)
    files.assert_refused(files.run("decrypt", *KEY, "--resume", "-q", "BOX", "OUT"), 2, "not the file")
    files.run("decrypt", *KEY, "--force", "-q", "BOX", "OUT", check=0)
    assert files.read("OUT") == plain and RECORD not in files.names()


def test_decrypt_begins_afresh_where_nothing_was_written(files, plain):
    files.write(PARTIAL, b"")
    files.run("decrypt", *KEY, "--resume", "-q", "BOX", "OUT", check=0)
    assert files.read("OUT") == plain and PARTIAL not in files.names() and RECORD not in files.names()


def test_signals_keep_the_partial_file_only_for_resume(files):
    for option, left in [([], False), (["--resume"], True)]:
        process = files.start("encrypt", *KEY, *option, "-", "OUT")
        process.stdin.write(bytes(3 * CHUNK))
        process.stdin.flush()
        wait_for(lambda: (files.folder / PARTIAL).exists() and (files.folder / PARTIAL).stat().st_size > CHUNK)
        busy = files.run("encrypt", *KEY, "--resume", "IN", "OUT")
        files.assert_refused(busy, 2, "in use")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=MOST_SECONDS) == 143
        assert (PARTIAL in files.names()) == (RECORD in files.names()) == left and (b"continues" in process.stderr.read()) == left
