"""An archive of ten years: old files of every kind, good and bad, are migrated by one command that is killed again and again.

PHALANX_OLD_FILES=500 makes it that many; PHALANX_KILLS_SEED repeats what is random: when it is killed. The files are always the
same: of random ones, some would open by chance under a wrong candidate, with more padding than under the right one."""

import itertools
import json
import os
import random
import signal
import stat

from conftest import KEY, openssl

NUM_FILES = int(os.environ.get("PHALANX_OLD_FILES", "60"))
SEED = os.environ.get("PHALANX_KILLS_SEED", str(random.SystemRandom().randrange(1 << 32)))
NUM_KILLS = 10
COMMAND = "migrate --manifest M --from-tree old --to-tree new --jobs 2 --keep-going --from-auto".split()
COMMAND += "--from-cipher des3,aes-256-cbc,aes-128-cbc --from-iter 1000".split()
COMMAND += "--from-passphrase-file pass1 --from-passphrase-file pass2".split() + KEY
CIPHERS = ["des3", "aes-256-cbc", "aes-128-cbc"]
DIGESTS = ["md5", "sha1", "sha256", "sha512"]
FORMS = ["", "-a", "-nosalt", "-a -nosalt", "-pbkdf2 -iter 1000", "-a -A"]
NAMES = ["plain name", "new\nline", "-dash", "ünïcödé", "\udcff\udcfe not UTF-8", "x" * 240, "dir ectory/in/side", ".hidden", "a.phalanx"]


class Archive:
    """What is in `old`, and what must become of it."""

    def __init__(self, files):
        self.files = files
        self.chance, self.kills = random.Random("an archive"), random.Random(SEED)
        self.plains = {}  # of the files that open, by name
        self.proven = set()  # those whose plaintext is vouched for
        self.others = set()  # what fails or is skipped
        for name, content in {"pass1": b"correct horse\n", "pass2": b"battery staple\n"}.items():
            files.write(name, content)

    def write(self, name, content):
        path = self.files.folder / "old" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.chmod(path, self.chance.choice([0o600, 0o640, 0o444, 0o755]))
        time = self.chance.randrange(10**18, 1_500_000_000 * 10**9)
        os.utime(path, ns=(time, time))

    def seal(self, plain, number):
        """Every cipher, digest and form, and both passphrases, in turns that do not keep step."""
        turn = list(itertools.product(CIPHERS, DIGESTS, FORMS, ["pass1", "pass2"]))[number * 37 % 144]
        cipher, digest, form, passphrase = turn
        options = [f"-{cipher}", "-md", digest, *form.split(), "-pass", f"file:{passphrase}"]
        return openssl("enc", *options, stdin=plain, cwd=self.files.folder), form

    def add_good(self, name, number):
        """A third is text; of the others nothing is recognised. The padding is beyond chance, and the first block shows the iv; or
        the padding is a single byte, and the first block is noise."""
        size = self.chance.randrange(1, 300) * 16
        kind = number % 3
        if kind == 0:
            plain = (b"Chapter %d, in which nothing is lost.\n" % number) * (1 + size // 30)
        else:
            plain = self.chance.randbytes(size if kind == 1 else size - 1)
            plain = bytes(16) + plain[16:] if kind == 1 else plain
        self.write(name, self.seal(plain, number)[0])
        self.plains[name] = plain
        if kind != 2:
            self.proven.add(name)

    def add_bad(self, name, number):
        sealed, form = self.seal(self.chance.randbytes(400), number)
        if number % 2 == 0:
            sealed = sealed[:-3]
        elif "-a" in form:
            sealed = sealed[:50] + b"!" + sealed[51:]
        else:
            sealed = sealed[:-1] + bytes([sealed[-1] ^ 1])
        self.write(name, sealed)
        self.others.add(name)

    def fill(self):
        for number in range(NUM_FILES):
            name = f"{number % 7}/{NAMES[number]}" if number < len(NAMES) else f"{number % 7}/{number}.enc"
            self.add_bad(name, number) if number % 6 == 5 else self.add_good(name, number)
        self.write("0/notes.txt", b"a plain file that somebody left between the others\n")
        self.write("1/paper.pdf", b"%PDF-1.5\n" + self.chance.randbytes(3000))
        self.files.run("encrypt", *KEY, "pass1", "old/2/box", check=0)
        (self.files.folder / "old/3/link").symlink_to("../0/notes.txt")
        (self.files.folder / "old/3/dangling").symlink_to("nowhere")
        self.others |= {"0/notes.txt", "1/paper.pdf", "2/box", "3/link", "3/dangling"}
        twin = sorted(self.proven)[0]
        os.link(self.files.folder / "old" / twin, self.files.folder / "old/4/twin")
        self.plains["4/twin"] = self.plains[twin]
        self.proven.add("4/twin")

    def run(self, *extra, **options):
        return self.files.run(*COMMAND, *extra, **options)

    def run_killed(self, faults, *extra):
        """Ten runs, each of which ends at one of the first calls that change the disk."""
        for _ in range(NUM_KILLS):
            rule = f"change@{self.kills.randrange(1, NUM_FILES + 30)}={self.kills.choice(['kill', 'tear', 'kill-after'])}"
            assert self.run(*extra, env=faults(rule)).returncode == -signal.SIGKILL, f"PHALANX_KILLS_SEED={SEED} {rule}"

    def names(self):
        """All names below `old`."""
        top = self.files.folder / "old"
        return {os.path.relpath(os.path.join(where, name), top) for where, _, names in os.walk(top) for name in names}

    def assert_containers(self, before):
        """Each opens to its plaintext, and is as old as its file. A single byte of padding may fit by chance under another
        candidate, which is said; then nobody can know."""
        records = self.records()
        for name in self.plains:
            if name in self.proven or "also_fits" not in records[name]:
                self.assert_container(name, before[name][0])

    def assert_container(self, name, status):
        path = self.files.folder / "new" / (name + ".phalanx")
        assert self.files.run("decrypt", *KEY, path, check=0).stdout == self.plains[name], name
        made = path.stat()
        assert (made.st_mtime_ns, stat.S_IMODE(made.st_mode)) == (status.st_mtime_ns, stat.S_IMODE(status.st_mode)), name

    def records(self):
        newest = {}
        for line in map(json.loads, self.files.read("M").decode().splitlines()[1:]):
            name = bytes.fromhex(line["name_hex"]).decode(errors="surrogateescape") if "name_hex" in line else line["name"]
            newest[name] = line
        return newest


def test_an_archive_is_migrated_and_nothing_is_lost(files, faults):
    print(f"PHALANX_KILLS_SEED={SEED}")
    archive = Archive(files)
    archive.fill()
    before = {name: (os.lstat(files.folder / "old" / name), os.path.islink(files.folder / "old" / name)) for name in archive.names()}
    contents = {name: (files.folder / "old" / name).read_bytes() for name, (_, is_link) in before.items() if not is_link}

    archive.run_killed(faults)
    archive.run()
    archive.assert_containers(before)
    assert {name: (files.folder / "old" / name).read_bytes() for name in contents} == contents
    records = archive.records()
    assert set(records) == set(before)
    for name, record in records.items():
        state = "done" if name in archive.plains else record["state"]
        assert record["state"] == state and record.get("deleted") in (None, False), name
        assert ("doubt" in record) == (name not in archive.proven) or record["state"] != "done", name

    archive.run_killed(faults, "--delete-source")
    for _ in range(2):  # of two names of one file, the second stays where the first goes while it is read
        archive.run("--delete-source")
    assert archive.names() == set(before) - archive.proven, f"PHALANX_KILLS_SEED={SEED}"
    for name in archive.names() & set(contents):
        assert (files.folder / "old" / name).read_bytes() == contents[name]
    archive.assert_containers(before)
    assert files.run(*COMMAND, "--verify-only", "--doubt-is-ok", check=0).stdout.count(b"differs") == 0
