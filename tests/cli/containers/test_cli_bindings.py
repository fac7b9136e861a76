"""Containers that are bound: to a context, which opens them as a key does, and to their names, which are compared. What was put
in the place of another is told, and so is every option that does not fit."""

import json
import os
import shutil

import pytest
from conftest import CHUNK, KEY, OLD, random_bytes, run_on_terminal, seal_old
from sealed_runs import PARTIAL, RECORD, run_with

CONTEXT = ["--context-text", "diary"]
IN_HEX = ["--context", b"diary".hex()]
OTHER = ["--context-text", "diarx"]
NAME = ["--bind-name"]
ELSEWHERE = "it was moved, or stands for another"


def put(files, name, content):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def swap(files, one, two):
    one, two = files.folder / one, files.folder / two
    held = one.with_name("held")
    os.rename(one, held)
    os.rename(two, one)
    os.rename(held, two)


@pytest.fixture
def bound(files):
    """To a context, to a name, to both, and to nothing: C, N, B and BOX."""
    files.run("encrypt", *KEY, *CONTEXT, "IN", "C", check=0)
    files.run("encrypt", *KEY, *NAME, "--name", "N", "IN", "N.phalanx", check=0)
    files.run("encrypt", *KEY, *CONTEXT, *NAME, "--name", "B", "IN", "B.phalanx", check=0)
    return files


def opens(files, *arguments, stdin=b""):
    for command in ("decrypt", "verify"):
        done = files.run(command, *KEY, *arguments, stdin=stdin, check=0)
    return files.run("decrypt", *KEY, *arguments, stdin=stdin).stdout == files.read("IN") and done.returncode == 0


def refused(files, code, *words, arguments, stdin=b""):
    """By what reads a container; verify names the file before the words."""
    commands = [["decrypt"], ["verify"]] + ([["recipients", "add", "--add-key-file", "key2"]] if not stdin else [])
    for command in commands:
        done = files.run(*command, *KEY, *arguments, stdin=stdin)
        files.assert_refused(done, code, *words) if command[0] == "decrypt" else None
        assert done.returncode == code and all(word.encode() in done.stderr for word in words), (command, done)
        assert done.stdout == b""


def test_a_context_opens_as_a_key_does(bound):
    bound.write("key2", random_bytes(32, seed=9))
    for context in (CONTEXT, IN_HEX):
        assert opens(bound, *context, "C")
        assert opens(bound, *context, stdin=bound.read("C"))
    part = bound.run("decrypt", *KEY, *CONTEXT, "--range", "70000:7", "C", check=0).stdout
    assert part == bound.read("IN")[70000:70007]
    refused(bound, 4, "wrong context, or changed", arguments=[*OTHER, "C"])
    refused(bound, 2, "--context or --context-text", arguments=["C"])
    refused(bound, 2, "bound to no context", arguments=[*CONTEXT, "BOX"])
    refused(bound, 2, "bound to no context", arguments=[*CONTEXT, "N.phalanx"])
    bound.assert_refused(bound.run("decrypt", *KEY, *OTHER, "--range", "1:1", "C"), 4, "wrong context, or changed")
    bound.assert_refused(bound.run("decrypt", "--key-file", "key2", *CONTEXT, "C"), 4, "wrong key")
    for options, words in (
        (["--context", ""], ["--context is empty"]),
        (["--context", "0"], ["--context"]),
        ([*CONTEXT, *IN_HEX], ["--context"]),
        (["--context-text", ""], ["--context-text is empty"]),
    ):
        bound.assert_refused(bound.run("encrypt", *KEY, *options, "IN", "OUT"), 2, *words)


def test_what_is_bound_shows_without_a_key(bound):
    for name, version, context, named in (("C", 2, True, False), ("N.phalanx", 2, False, True), ("B.phalanx", 2, True, True), ("BOX", 1, False, False)):
        shown = json.loads(bound.run("inspect", "--json", name, check=0).stdout)
        assert (shown["version"], shown["needs_context"], shown["bound_to_name"]) == (version, context, named)
        assert len(shown["recipients"]) == 1
        text = bound.run("inspect", name, check=0).stdout
        assert (b"a context, which" in text, b"its name, which" in text) == (context, named)


def test_nobody_is_asked_for_a_passphrase_in_vain(files):
    passphrase = ["--passphrase-file", "pass", "--scrypt-log-n", "10"]
    files.run("encrypt", *passphrase, *CONTEXT, "IN", "C", check=0)
    files.run("encrypt", *passphrase, *NAME, "IN", "N", "-q", check=0)
    files.run("encrypt", *passphrase, "IN", "U", check=0)
    for options, words in ((["C"], b"none is given"), ([*CONTEXT, "U"], b"leave"), ([*CONTEXT, "N"], b"leave")):
        code, shown = run_on_terminal(["decrypt", *options], files.folder)
        assert code == 2 and words in shown and b"assphrase:" not in shown
    with open(files.folder / "N", "rb") as stdin:
        code, shown = run_on_terminal(["decrypt"], files.folder, stdin=stdin)
    assert code == 2 and b"--any-name" in shown and b"assphrase:" not in shown
    code, shown = run_on_terminal(["decrypt", *CONTEXT, "C", "OUT"], files.folder, [b"open sesame\n"])
    assert code == 0 and files.read("OUT") == files.read("IN")


def test_a_name_is_compared_and_shown(bound):
    bound.write("key2", random_bytes(32, seed=9))
    assert opens(bound, "N.phalanx") and opens(bound, *CONTEXT, "B.phalanx")
    shutil.copy(bound.folder / "N.phalanx", bound.folder / "M.phalanx")
    refused(bound, 3, "'N'", "'M'", ELSEWHERE, arguments=["M.phalanx"])
    refused(bound, 3, "'N'", "'a/N'", arguments=["--below", "a", "N.phalanx"])
    refused(bound, 3, "'N'", "'X'", arguments=["--name", "X", "N.phalanx"])
    for options in (["--any-name"], ["--name", "N"]):
        assert opens(bound, *options, "M.phalanx")
        assert opens(bound, *options, stdin=bound.read("N.phalanx"))
    with open(bound.folder / "N.phalanx", "rb") as file:
        os.set_inheritable(file.fileno(), True)
        named = f"/dev/fd/{file.fileno()}"
        done = bound.run("decrypt", *KEY, named, pass_fds=[file.fileno()])
    assert done.returncode == 2 and b"--any-name" in done.stderr
    refused(bound, 2, "--name or --any-name", arguments=[], stdin=bound.read("N.phalanx"))
    refused(bound, 2, "bound to no name", arguments=["--name", "BOX", "BOX"])
    refused(bound, 2, "bound to no name", arguments=["--require-name", "BOX"])
    assert opens(bound, "--require-name", "N.phalanx")
    refused(bound, 2, "--any-name", arguments=["--name", "N", "--any-name", "N.phalanx"])
    # OUT's name is never compared.
    bound.run("decrypt", *KEY, "N.phalanx", "Z", check=0)


def test_what_is_sealed_has_the_name_of_in(files):
    put(files, "a/b", b"content")
    done = files.run("encrypt", *KEY, *NAME, "a/b", "b.phalanx", check=0)
    assert done.stderr == b""
    assert files.run("decrypt", *KEY, "b.phalanx", check=0).stdout == b"content"
    done = files.run("encrypt", *KEY, *NAME, "a/b", "c.phalanx", check=0)
    assert b"bound to the name 'b', and is called 'c'" in done.stderr
    files.run("encrypt", *KEY, *NAME, "--below", "x/a", "a/b", "b.phalanx", "--force", check=0)
    assert files.run("decrypt", *KEY, "--name", "x/a/b", "b.phalanx", check=0).stdout == b"content"
    for options, stdin, words in (
        (["--name", "x"], b"", ["--bind-name"]),
        (["--below", "x"], b"", ["--bind-name"]),
        (["--bare", "--bind-name"], b"", ["--bind-name", "bare"]),
        (["--bind-name", "--name", ""], b"", ["--name"]),
    ):
        files.assert_refused(files.run("encrypt", *KEY, *options, "IN", "OUT"), 2, *words)
    files.assert_refused(files.run("encrypt", *KEY, *NAME, stdin=b"x"), 2, "--name")
    piped = files.run("encrypt", *KEY, *NAME, "--name", "x", stdin=b"piped", check=0).stdout
    assert files.run("decrypt", *KEY, "--name", "x", stdin=piped, check=0).stdout == b"piped"
    files.assert_refused(files.run("decrypt", *KEY, "--bare", "--any-name", "IN"), 2, "--any-name")


def test_names_of_any_bytes_do_nothing_on_a_terminal(files):
    hostile = b"a\x1b[31m\xff\n"
    put(files, os.fsdecode(hostile), b"content")
    files.run("encrypt", *KEY, *NAME, os.fsdecode(hostile), os.fsdecode(hostile) + ".phalanx", check=0)
    assert files.run("decrypt", *KEY, os.fsdecode(hostile) + ".phalanx", check=0).stdout == b"content"
    shutil.copy(os.path.join(os.fsencode(files.folder), hostile + b".phalanx"), files.folder / "m.phalanx")
    done = files.run("decrypt", *KEY, "m.phalanx")
    assert done.returncode == 3 and b"'a?[31m\xff?'" in done.stderr and done.stderr.count(b"\n") == 1


def test_a_run_goes_on_under_the_same_binding_alone(files, faults):
    files.write("IN", random_bytes(5 * CHUNK + 7))
    files.write("other", random_bytes(32, seed=2))
    begun = ["encrypt", *KEY, *CONTEXT, *NAME, "-q", "--resume", "IN", "OUT"]
    assert run_with(files, faults, f"pwrite:{PARTIAL}@5=tear", *begun).returncode < 0
    left = files.read(PARTIAL), files.read(RECORD)
    named = [*NAME, "--name"]
    for other, code, words in (
        ([*OTHER, *NAME], 4, ["wrong context, or changed"]),
        (NAME, 2, ["another binding"]),
        (CONTEXT, 2, ["another binding"]),
        ([], 2, ["another binding"]),
        ([*CONTEXT, *named, "OTHER"], 3, ["'IN'", "'OTHER'"]),
    ):
        files.assert_refused(files.run("encrypt", *KEY, *other, "-q", "--resume", "IN", "OUT"), code, *words)
        assert (files.read(PARTIAL), files.read(RECORD)) == left
    files.run(*begun, check=0)
    begun = ["decrypt", *KEY, *CONTEXT, "--any-name", "-q", "--resume", "OUT", "BACK"]
    assert run_with(files, faults, "pwrite:BACK.phalanx-partial@3=tear", *begun).returncode < 0
    files.assert_refused(files.run("decrypt", *KEY, *OTHER, "--any-name", "--resume", "OUT", "BACK"), 4, "wrong context")
    files.run(*begun, check=0)
    assert files.read("BACK") == files.read("IN")


NUM_FILES = 40


@pytest.fixture
def tree(files):
    for number in range(NUM_FILES):
        put(files, f"src/{number % 4}/{number}", b"content %3d" % number)
    files.run("encrypt", "--each", *KEY, *NAME, "src", "--to-tree", "bk", check=0)
    return files


def told(done):
    """The files that failed, and all as others'."""
    lines = [line for line in done.stderr.decode().splitlines() if ELSEWHERE in line]
    return {line.split(": ")[1].removeprefix("bk/").removesuffix(".phalanx") for line in lines}


def test_what_was_swapped_in_a_tree_is_told_file_by_file(tree):
    restore = ["decrypt", "--each", *KEY, "bk", "--to-tree", "back"]
    verify = ["verify", *KEY, "bk"]
    tree.run(*verify, check=0)
    swapped = set()
    for one, two in ((0, 4), (1, 2), (7, 39)):
        names = f"{one % 4}/{one}", f"{two % 4}/{two}"
        swap(tree, *(f"bk/{name}.phalanx" for name in names))
        swapped.update(names)
    for command in (verify, restore):
        done = tree.run(*command)
        assert done.returncode == 3 and told(done) == swapped
    restored = {str(path.relative_to(tree.folder / "back")) for path in (tree.folder / "back").rglob("*") if path.is_file()}
    assert len(restored) == NUM_FILES - len(swapped) and not restored & swapped
    tree.run(*verify, "--any-name", check=0)
    # By content the next night mends it; neither the length nor the time says so.
    tree.run("encrypt", "--each", "--update=content", *KEY, *NAME, "src", "--to-tree", "bk", check=0)
    tree.run(*verify, "--require-name", check=0)


def test_a_part_of_a_tree_is_opened_below_its_place(tree):
    part = ["decrypt", "--each", *KEY, "bk/1", "--to-tree", "part"]
    done = tree.run(*part)
    assert done.returncode == 3 and b"with --below '1'; else " + ELSEWHERE.encode() in done.stderr
    tree.run(*part, "--below", "1", check=0)
    assert tree.read("part/5") == b"content   5"
    assert tree.run("decrypt", *KEY, "--below", "1/", "bk/1/5.phalanx", check=0).stdout == b"content   5"
    assert tree.run("decrypt", *KEY, "bk/1/5.phalanx").returncode == 3
    # And sealed: with the same names as by the whole.
    os.utime(tree.folder / "src/1/5", ns=(10**18, 10**18))
    night = ["encrypt", "--each", "--update", *KEY, *NAME, "--below", "1", "src/1", "--to-tree", "bk/1"]
    assert b"1 encrypted" in tree.run(*night, check=0).stderr
    tree.run("verify", *KEY, "--require-name", "bk", check=0)
    tree.assert_refused(tree.run(*part, "--name", "x"), 2, "--name")
    tree.assert_refused(tree.run("encrypt", "--each", *KEY, *NAME, "--name", "x", "src", "--to-tree", "bk2"), 2, "--name")
    tree.assert_refused(tree.run("verify", *KEY, "--name", "x", "bk"), 2, "--name")


def test_a_tree_becomes_bound_where_that_is_asked_for(files):
    put(files, "src/a", b"content")
    seal = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk"]
    files.run(*seal, check=0)
    assert files.run("verify", *KEY, "--require-name", "bk").returncode == 2
    assert b"another size, time or binding now" in files.run(*seal, *NAME, check=7).stderr
    assert b"1 encrypted" in files.run(*seal, "--update", *NAME, *CONTEXT, check=0).stderr
    for update in ("--update", "--update=content"):
        assert b"1 unchanged" in files.run(*seal, update, *NAME, *CONTEXT, check=0).stderr
    assert b"1 unchanged" in files.run(*seal, "--update", check=7).stderr  # other than it was asked for before
    assert files.run("verify", *KEY, "bk").returncode == 2
    files.run("verify", *KEY, *CONTEXT, "--require-name", "bk", check=0)


def test_other_recipients_get_the_same_binding(bound):
    bound.write("key2", random_bytes(32, seed=9))
    change = ["recipients", "replace", *KEY, "--add-key-file", "key2", "--remove-key-file", "key"]
    bound.run(*change, *CONTEXT, "B.phalanx", check=0)
    theirs = ["--key-file", "key2"]
    assert bound.run("decrypt", *theirs, *CONTEXT, "B.phalanx", check=0).stdout == bound.read("IN")
    assert bound.run("decrypt", *theirs, "B.phalanx").returncode == 2
    os.rename(bound.folder / "B.phalanx", bound.folder / "A.phalanx")
    assert bound.run("decrypt", *theirs, *CONTEXT, "A.phalanx").returncode == 3
    add = ["recipients", "add", *theirs, "--add-key-file", "key", *CONTEXT]
    bound.assert_refused(bound.run(*add, "A.phalanx"), 3, "'B'", "'A'")
    bound.run(*add, "--any-name", "A.phalanx", check=0)
    assert bound.run("recipients", "list", "A.phalanx", check=0).stdout.count(b"a key") == 2
    bound.run("recipients", "add", "--each", *KEY, "--add-key-file", "key2", "N.phalanx", check=0)
    assert bound.run("decrypt", *theirs, "N.phalanx", check=0).stdout == bound.read("IN")


def test_migrate_binds_and_compares(files):
    content = b"a text that anybody can read, long enough to be one\n"
    seal_old(files, "old/a/text", content)
    seal_old(files, "old/b/text", content)
    migrate = ["migrate", *OLD, *KEY, "--manifest", "M", "--from-tree", "old", "--to-tree", "new", *NAME, *CONTEXT]
    files.run(*migrate, check=0)
    looked = files.run(*migrate, "--verify-only")
    assert looked.returncode == 0 and looked.stdout.count(b"same") == 2
    files.run("verify", *KEY, *CONTEXT, "--require-name", "new", check=0)
    swap(files, "new/a/text.phalanx", "new/b/text.phalanx")
    looked = files.run(*migrate, "--verify-only")
    assert looked.returncode == 3 and b"'a/text'" in looked.stdout and b"'b/text'" in looked.stdout
    os.unlink(files.folder / "M")
    assert files.run(*migrate).returncode == 2, "what is there is bound to another name"
    one = ["migrate", *OLD, *KEY, "old/a/text", "one.phalanx"]
    files.run(*one, *NAME, check=0)
    assert files.run("decrypt", *KEY, "--name", "one", "one.phalanx", check=0).stdout == content
    assert files.run(*one, "--verify-only", *NAME).returncode == 0
    os.rename(files.folder / "one.phalanx", files.folder / "two.phalanx")
    two = ["migrate", *OLD, *KEY, "old/a/text", "two.phalanx", "--verify-only"]
    assert files.run(*two).returncode == 3
    files.assert_refused(files.run("migrate", *OLD, *KEY, *NAME, "--no-verify", "old/a/text"), 2, "--name")
    wrong = files.run("migrate", *OLD, *KEY, *OTHER, *NAME, "--manifest", "M2", "--from-tree", "old", "--to-tree", "new")
    assert wrong.returncode == 2
