"""The index of a folder of containers: what was swapped, renamed, removed, put back or added is told, file by file, under a secret
and under a signature; generations count the runs; and what is refused."""

import os
import pathlib
import shutil
import subprocess
import tempfile

import indexed_trees
import pytest
from conftest import KEY, OLD, TREE, Phalanx, openssl
from indexed_trees import AUTHENTICATORS, generations_of, index_files, put, told_by, verify, write

NUM_FILES = 1000


@pytest.fixture(params=AUTHENTICATORS)
def how(request):
    return AUTHENTICATORS[request.param]


@pytest.fixture
def tree(phalanx):
    return index_files(phalanx)


@pytest.fixture
def tree_in_memory():
    """Where the system has such a place: making a thousand files durable takes long on a busy disk."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield index_files(Phalanx(pathlib.Path(folder)))


@pytest.fixture
def small(tree):
    for name in ("one", "two", "a/three", "a/four"):
        put(tree, f"src/{name}", name.encode() * 100)
    return tree


def test_what_became_of_a_thousand_files_is_told_file_by_file(tree_in_memory):
    tree = tree_in_memory
    secret, signed = AUTHENTICATORS["secret"], AUTHENTICATORS["signature"].named("signed")
    names = [f"{number % 7}/{number}" for number in range(NUM_FILES)]
    for name in names:
        put(tree, f"src/{name}", f"{name} is the content".encode())
    write(tree, secret, check=0)
    write(tree, signed, check=0)
    shutil.copytree(tree.folder / "bk", tree.folder / "before")
    for name in names[:300]:
        put(tree, f"src/{name}", f"{name} is another content".encode())
    write(tree, secret, check=0)
    write(tree, signed, check=0)
    assert verify(tree, signed, check=0).stderr.count(b"\n") == 1  # the summary
    at = lambda name, folder="bk": tree.folder / folder / f"{name}.phalanx"  # noqa: E731
    expected = {}
    for one, other in zip(names[300:400], names[400:500]):  # swapped
        at(one).rename(tree.folder / "aside")
        at(other).rename(at(one))
        (tree.folder / "aside").rename(at(other))
        expected |= {one: f"swapped: it is the container of {other}.phalanx", other: f"swapped: it is the container of {one}.phalanx"}
    for name in names[500:600]:
        at(name).unlink()
        expected[name] = "removed"
    for name in names[:100]:  # rolled back
        shutil.copy2(at(name, "before"), at(name))
        expected[name] = "older: it is the container of generation 1"
    for name in names[600:700]:
        at(name).rename(at(f"{name} by another name"))
        expected[name] = f"renamed: its container is called {name} by another name.phalanx"
    for name in names[700:750]:  # of the same key
        put(tree, "IN", b"forged")
        tree.run("encrypt", *KEY, "IN", "--force", at(name), check=0)
        expected[name] = "changed: it is no container that was ever in the index"
    for name in names[750:800]:
        shutil.copy2(at(name), at(f"{name} copy"))
        expected[f"{name} copy"] = f"added: it is a copy of {name}.phalanx"
    for name in names[100:150]:
        shutil.copy2(at(name, "before"), at(f"{name} old"))
        expected[f"{name} old"] = f"added: it is the container of {name}.phalanx of generation 1"
    for name in names[800:850]:
        shutil.copy2(at(names[700]), at(f"{name} new"))
        expected[f"{name} new"] = "added: it is not in the index"
    for how in (secret, signed):
        done = verify(tree, how, check=3)
        assert told_by(done) == expected
        assert b"phalanx: 450 as the index has them" in done.stderr and b"550 wrong, 150 added" in done.stderr
    verify(tree, secret, *KEY, check=3)


def test_added_containers_are_errors_only_where_that_is_asked_for(small, how):
    write(small, how, check=0)
    small.run("encrypt", *KEY, "src/one", "bk/more.phalanx", check=0)
    assert told_by(verify(small, how, check=0)) == {"more": "added: it is not in the index"}
    assert told_by(verify(small, how, "--strict", check=3)) == {"more": "added: it is not in the index"}


def test_content_is_authentic_by_a_key_or_by_a_digest(small, how):
    write(small, how, check=0)
    path = small.folder / "bk/one.phalanx"
    content = bytearray(path.read_bytes())
    content[len(content) // 2 + 80] ^= 1  # within the only chunk, before its tag
    path.write_bytes(content)
    has_digest = "--index-digest" in how.write
    done = verify(small, how, check=3 if has_digest else 0)
    assert (b"3 by their digests" in done.stderr) == has_digest and (b"4 not opened" in done.stderr) != has_digest
    assert ("changed: its bytes" in told_by(done).get("one", "")) == has_digest
    done = verify(small, how, *KEY, check=3)
    assert b"bk/one.phalanx: " in done.stderr and b"3 opened" in done.stderr


def test_a_recipient_who_writes_other_chunks_is_found_by_the_digest_alone(tree):
    """The same data key, salt and last chunk: only another first one, which opens."""
    put(tree, "src/large", bytes(20_000))
    for how, code in ((AUTHENTICATORS["secret"], 0), (AUTHENTICATORS["secret_with_digest"], 3)):
        shutil.rmtree(tree.folder / "bk", ignore_errors=True)
        (tree.folder / "index").unlink(missing_ok=True)
        write(tree, how, check=0)
        indexed_trees.forge_first_chunk(tree.folder / "bk/large.phalanx", tree.read("key"))
        assert tree.run("decrypt", *KEY, "bk/large.phalanx", check=0).stdout[:6] == b"forged"
        verify(tree, how, *KEY, check=code)


def test_a_run_that_changes_nothing_counts_and_takes_few_bytes(small, how):
    write(small, how, check=0)
    size = len(small.read("index"))
    for number in (2, 3, 4):
        done = write(small, how, check=0)
        assert done.stdout.startswith(f"index: generation {number}, digest ".encode())
    assert len(small.read("index")) == size + 3 * 156
    generations = generations_of(small, how)
    assert [(one.number, one.is_whole, len(one.tree)) for one in generations] == [(1, True, 4)] + [(n, False, 4) for n in (2, 3, 4)]
    assert generations[-1].digest.hex() in done.stdout.decode()
    assert verify(small, how, check=0).stdout == done.stdout


def test_lists_are_whole_again_once_changes_take_as_much(small, how):
    for number in range(12):
        put(small, "src/one", f"night {number}".encode())
        put(small, "src/two", f"night {number}".encode())
        write(small, how, check=0)
    generations = generations_of(small, how)
    assert 2 <= sum(one.is_whole for one in generations) <= 6
    assert set(generations[-1].tree) == {b"one.phalanx", b"two.phalanx", b"a/three.phalanx", b"a/four.phalanx"}
    shutil.copy2(small.folder / "bk/one.phalanx", small.folder / "last")
    verify(small, how, check=0)


def test_an_older_index_and_tree_together_are_found_by_the_generation(small, how):
    write(small, how, check=0)
    shutil.copytree(small.folder / "bk", small.folder / "bk1")
    shutil.copy(small.folder / "index", small.folder / "index1")
    put(small, "src/one", b"another")
    write(small, how, check=0)
    shutil.rmtree(small.folder / "bk")
    (small.folder / "bk1").rename(small.folder / "bk")
    (small.folder / "index1").rename(small.folder / "index")
    verify(small, how, check=0)
    small.assert_refused(verify(small, how, "--at-least", "2"), 3, "generation 1", "2 was there")
    small.assert_refused(write(small, how, "--at-least", "2"), 3, "generation 1")
    verify(small, how, "--at-least", "1", check=0)
    (small.folder / "index").unlink()
    small.assert_refused(write(small, how, "--at-least", "1"), 3, "it was removed")
    small.assert_refused(verify(small, how, "--at-least", "1"), 3, "it was removed")
    assert not (small.folder / "index").exists()


def test_every_changed_byte_of_an_index_is_found(small, how):
    write(small, how, check=0)
    put(small, "src/one", b"another")
    write(small, how, check=0)
    good, first = small.read("index"), len(small.read("index")) // 2
    codes = set()
    for place in [*range(0, 92), *range(92, len(good), 37), len(good) - 1]:
        changed = bytearray(good)
        changed[place] ^= 4
        small.write("index", bytes(changed))
        done = verify(small, how)
        codes.add(done.returncode)
        assert done.returncode in (2, 3, 4), place
    assert 3 in codes
    for size in (0, 1, 60, 91, first // 2, len(good) - 1):  # cut: the half segment counts as not there
        small.write("index", good[:size])
        done = verify(small, how)
        assert done.returncode == 3, size
    small.write("index", good + bytes(500))
    assert b"500 bytes of a run that was killed" in verify(small, how, check=0).stderr
    small.write("index", good + b"something else")
    assert verify(small, how).returncode == 3


def test_another_key_is_told_from_a_changed_index(small, how):
    write(small, how, check=0)
    small.run("keygen", "--force", "secret", check=0)
    small.run("keygen", "--index-keys", "--force", "sign", check=0)
    small.assert_refused(verify(small, how), 4, "of another key than the one that is given")
    small.assert_refused(write(small, how), 4, "of another key than the one that is given")


def test_half_a_segment_is_cut_off_and_told(small, how):
    write(small, how, check=0)
    whole = small.read("index")
    put(small, "src/one", b"another")
    write(small, how, check=0)
    small.write("index", small.read("index")[:-30])
    (small.folder / "bk/one.phalanx").unlink()
    done = write(small, how, check=0)
    assert b"of a run that was killed were cut off" in done.stderr and b"generation 2" in done.stdout
    assert small.read("index").startswith(whole)
    verify(small, how, check=0)


def test_a_second_run_is_refused_while_one_is_at_work(small, how):
    write(small, how, check=0)
    with open(small.folder / "index", "rb") as index:
        subprocess.run(["flock", "-n", "-x", str(index.fileno())], pass_fds=[index.fileno()], check=True)
        small.assert_refused(write(small, how), 2, "another run is at work")
    write(small, how, check=0)


def test_pruned_containers_leave_and_missing_ones_show(small, how):
    write(small, how, check=0)
    (small.folder / "src/two").unlink()
    write(small, how, check=0)
    assert len(generations_of(small, how)[-1].tree) == 4  # it is there still
    write(small, how, "--prune", check=0)
    assert len(generations_of(small, how)[-1].tree) == 3
    verify(small, how, check=0)
    (small.folder / "src/a/three").unlink()
    (small.folder / "bk/a/three.phalanx").unlink()  # by somebody else, without --prune
    write(small, how, check=0)
    assert told_by(verify(small, how, check=3)) == {"a/three": "removed"}
    write(small, how, "--index-forget", check=0)
    verify(small, how, check=0)


def test_a_container_that_was_put_back_is_sealed_anew_though_size_and_time_fit(small, how):
    write(small, how, check=0)
    shutil.copy2(small.folder / "bk/one.phalanx", small.folder / "old")
    put(small, "src/one", b"eno" * 100)
    write(small, how, check=0)
    time = (small.folder / "src/one").stat().st_mtime_ns
    shutil.copy2(small.folder / "old", small.folder / "bk/one.phalanx")
    os.utime(small.folder / "bk/one.phalanx", ns=(time, time))
    assert b"0 encrypted, 4 unchanged" in small.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--update", check=0).stderr
    assert b"1 encrypted, 3 unchanged" in write(small, how, check=0).stderr
    assert small.run("decrypt", *KEY, "bk/one.phalanx", check=0).stdout == b"eno" * 100


def test_a_folder_that_has_containers_already_gets_an_index(small, how):
    plain = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk"]
    small.run(*plain, check=0)
    before = {path: path.stat().st_ino for path in (small.folder / "bk").rglob("*.phalanx")}
    assert b"0 encrypted, 4 unchanged" in write(small, how, check=0).stderr  # opened and compared
    verify(small, how, *KEY, check=0)
    assert {path: path.stat().st_ino for path in before} == before
    (small.folder / "index").unlink()
    small.run(*plain, *how.write, check=0)
    verify(small, how, *KEY, check=0)


def test_containers_beside_their_files_have_an_index_too(small, how):
    small.run("encrypt", "--each", *KEY, "src", *how.write, check=0)
    small.run("verify", "src", *how.verify, check=0)
    assert set(generations_of(small, how)[-1].tree) == {f"{name}.phalanx".encode() for name in ("one", "two", "a/three", "a/four")}
    small.assert_refused(small.run("encrypt", "--each", *KEY, "src/one", *how.write), 2, "--index is for the containers of one folder")


def test_migrated_containers_have_an_index(tree, how):
    tree.write("pass", b"open sesame\n")
    for name, plain in (("one", b"a text of one\n" * 20), ("a/two", b"a text of two\n" * 20)):
        put(tree, f"old/{name}", openssl("enc", "-des3", "-md", "sha256", "-pass", "file:pass", stdin=plain, cwd=tree.folder))
    run = [*TREE, *OLD, *KEY]
    done = tree.run(*run, *how.write, check=0)
    assert b"index: generation 1, digest " in done.stdout
    check = ["verify", "new", *how.verify]
    tree.run(*check, *KEY, check=0)
    tree.run(*run, *how.write, check=0)
    assert [len(one.tree) for one in generations_of(tree, how)] == [2, 2]
    (tree.folder / "new/one.phalanx").rename(tree.folder / "new/x")
    (tree.folder / "new/a/two.phalanx").rename(tree.folder / "new/one.phalanx")
    (tree.folder / "new/x").rename(tree.folder / "new/a/two.phalanx")
    assert told_by(tree.run(*check, check=3), "new") == {"one": "swapped: it is the container of a/two.phalanx", "a/two": "swapped: it is the container of one.phalanx"}
    (tree.folder / "index").unlink()
    shutil.rmtree(tree.folder / "new")
    (tree.folder / "M").unlink()
    tree.run(*run, "--delete-source", check=0)
    done = tree.run(*run, *how.write, "--json", check=0)  # over an earlier run's, whose old files are gone
    assert b"2 of earlier runs are in it from now on" in done.stderr and b'"index_generation":1' in done.stdout
    tree.run(*check, *KEY, check=0)
    (tree.folder / "new/one.phalanx").rename(tree.folder / "new/x")
    (tree.folder / "new/a/two.phalanx").rename(tree.folder / "new/one.phalanx")
    (tree.folder / "new/x").rename(tree.folder / "new/a/two.phalanx")
    assert b"2 that the manifest has are gone, do not open, or are not" in tree.run(*run, *how.write, check=3).stderr
    assert len(told_by(tree.run(*check, check=3), "new")) == 2  # a run takes no swapped ones in


def test_hostile_names_are_compared_and_shown_as_one_line(tree, how):
    names = ["a\nb", "\x1b[31mred", "..x", "x..", "  ", "-", "\udcff\udcfe"]
    for name in names:
        put(tree, f"src/{name}", name.encode(errors="surrogateescape"))
    write(tree, how, check=0)
    verify(tree, how, *KEY, check=0)
    for name in names:
        os.unlink(tree.folder / f"bk/{name}.phalanx")
    done = verify(tree, how, check=3)
    assert done.stderr.count(b": removed\n") == len(names)
    assert not set(done.stderr) & (set(range(32)) - {10}) and done.stderr.count(b"\n") == len(names) + 1


def test_what_stands_at_a_name_may_be_anything(small, how):
    write(small, how, check=0)
    box = small.folder / "bk"
    (box / "one.phalanx").unlink()
    os.mkfifo(box / "one.phalanx")
    (box / "two.phalanx").rename(small.folder / "elsewhere")
    (box / "two.phalanx").symlink_to(small.folder / "elsewhere")
    (box / "a/three.phalanx").write_bytes(b"no container")
    (box / "a/four.phalanx").write_bytes((box / "a/four.phalanx").read_bytes()[:40])
    told = told_by(verify(small, how, check=3))
    assert set(told) == {"one", "two", "a/three", "a/four"} and all(why.startswith("changed: ") for why in told.values())


def test_an_index_that_would_prove_nothing_is_refused(small, how):
    encrypt = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--index", "index"]
    small.assert_refused(small.run(*encrypt), 2, "it proves nothing, since anyone could have written it")
    small.assert_refused(small.run(*encrypt, "--index-signing-key", "sign"), 2, "--index-signing-key needs --index-digest")
    small.assert_refused(small.run(*encrypt, "--index-key-file", "secret", "--index-signing-key", "sign", "--index-digest"), 2, "one of")
    small.assert_refused(small.run(*encrypt, "--index-digest", "--index-signing-key", "sign.pub"), 2, "holds no key that signs an index")
    small.assert_refused(small.run("verify", "bk", "--index", "index"), 2, "--index-public-key")
    small.assert_refused(small.run("verify", "bk", "--index", "index", "--index-public-key", "sign"), 2, "holds no public key")
    small.assert_refused(small.run("verify", "bk", "--at-least", "3"), 2, "--at-least goes with --index")
    small.assert_refused(small.run("encrypt", *KEY, "src/one", "x", *how.write), 2, "--index goes with --each")
    assert not (small.folder / "bk").exists() and not (small.folder / "index").exists()
    write(small, how, check=0)
    small.assert_refused(small.run("verify", "bk", "src", *how.verify), 2, "--index is of one folder")


def test_keys_of_signatures_come_from_a_pipe_as_other_keys_do(small):
    small.run("keygen", "--index-keys", "pair", check=0)
    sign = ["--index", "index", "--index-digest", "--index-signing-key", "/dev/stdin"]
    small.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", *sign, stdin=small.read("pair"), check=0)
    check = ["--index", "index", "--index-public-key", "/dev/stdin"]
    small.run("verify", "bk", *check, stdin=small.read("pair.pub"), check=0)
    small.assert_refused(small.run("verify", "bk", *check, stdin=small.read("pair")), 2, "holds no public key")


def test_the_pair_of_keys(phalanx):
    phalanx.run("keygen", "--index-keys", "sign", check=0)
    assert phalanx.names() == ["sign", "sign.pub"]
    assert (phalanx.folder / "sign").stat().st_mode & 0o777 == 0o600
    public = indexed_trees.read_index.key_of_line(phalanx.read("sign.pub").decode())
    private = indexed_trees.read_index.key_of_line(phalanx.read("sign").decode(), "phalanx-index-signing-key-1")
    assert indexed_trees.public_key_of(private) == public
    phalanx.assert_refused(phalanx.run("keygen", "--index-keys", "sign"), 2, "exists")
    phalanx.assert_refused(phalanx.run("keygen", "--index-keys"), 2, "name OUT")
    phalanx.run("keygen", "--index-keys", "--force", "sign", check=0)
    assert phalanx.read("sign.pub") != public


def test_half_a_pair_is_completed_and_no_other_file_is(phalanx):
    phalanx.run("keygen", "--index-keys", "sign", check=0)
    public = phalanx.read("sign.pub")
    (phalanx.folder / "sign.pub").unlink()
    phalanx.write("sign.pub.phalanx-partial", b"of a killed run")
    assert b"sign.pub was made from it" in phalanx.run("keygen", "--index-keys", "sign", check=0).stderr
    assert phalanx.read("sign.pub") == public and phalanx.names() == ["sign", "sign.pub"]
    phalanx.write("other", b"something else")
    phalanx.assert_refused(phalanx.run("keygen", "--index-keys", "other"), 2, "other exists")
    assert phalanx.names() == ["other", "sign", "sign.pub"] and phalanx.read("other") == b"something else"


def test_killed_at_every_call_that_changes_a_file(small, faults):
    """The index stays readable at the generation it had, or has the new one; the next run goes on."""
    how = AUTHENTICATORS["secret"]
    write(small, how, check=0)
    shutil.copytree(small.folder / "bk", small.folder / "bk1")
    put(small, "src/one", b"another one")
    (small.folder / "src/two").unlink()
    index, at, killed = small.read("index"), 0, True
    while killed:
        at += 1
        shutil.rmtree(small.folder / "bk")
        shutil.copytree(small.folder / "bk1", small.folder / "bk")
        small.write("index", index)
        what = ("kill", "tear", "kill-after")[at % 3]
        killed = write(small, how, "--prune", env=faults(f"change@{at}={what}")).returncode < 0
        generations = generations_of(small, how, may_be_torn=True)
        assert len(generations) in (1, 2) and small.read("index").startswith(index), (at, what)
        write(small, how, "--prune", check=0)
        assert generations_of(small, how)[-1].number == len(generations) + 1
        assert verify(small, how, *KEY, check=0).stdout.endswith(b"3 containers\n"), (at, what)
    assert at > 10
