"""Commands as the sweeps of faults, kills and other actors run them: what lies in the folder, what may have become of it at
any moment, and how one goes on after a failure."""

import os
import pathlib
import shutil
import stat
import subprocess
import sys

from conftest import CHUNK, IV16, PROGRAM, aes_gcm, fault_injector, openssl, random_bytes, unknown_format

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "luks"))
import luks_images  # noqa: E402

KEY, KEY_BYTES = ["--key-file", "key"], random_bytes(32)
CTR = ["--cipher", "aes-256-ctr", "--iv", IV16, *KEY]
GCM, NONCE = ["--cipher", "aes-256-gcm", *KEY], bytes(range(12))
OPENSSL = "--openssl --cipher aes-256-cbc --pbkdf2 --iter 10 --passphrase-file pass".split()
OLD = "--from-openssl --from-cipher des3 --from-pbkdf2 --from-iter 10 --from-passphrase-file pass".split()
USUAL_SIZES = (50_000, CHUNK + 12_345)  # of a small plaintext, and of one of two pieces
PARTIAL, RECORD, JOURNAL = ".phalanx-partial", ".phalanx-record", ".phalanx-journal"
RENEWED = ".phalanx-renewed"  # behind the name of a record or a journal that is copied
NAMES = """keygen keygen_force keygen_pair encrypt encrypt_force encrypt_resume encrypt_bare encrypt_passphrase encrypt_verify encrypt_each encrypt_each_indexed decrypt decrypt_force
decrypt_resume decrypt_range decrypt_each verify recipients_add recipients_replace inspect raw_encrypt raw_decrypt raw_range raw_gcm_encrypt raw_gcm_decrypt raw_openssl_encrypt raw_openssl_decrypt raw_luks
in_place_encrypt in_place_decrypt migrate migrate_resume migrate_delete tree tree_delete engines""".split()
LIMIT_SECONDS = 120  # a run that takes so long hangs: the slowest takes half a second


def run_plainly(folder, arguments, **options):
    """The command without any fault."""
    if "--delete-source" in arguments:  # which waits until files are old enough
        options["env"] = options.get("env") or fault_injector()()
    return subprocess.run(
        [PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_SECONDS, **options
    )


def opens_to(folder, name, plain, secret=KEY, options=()):
    return run_plainly(folder, ["decrypt", *secret, *options, name]).stdout == plain


def files_below(folder):
    """Every file by its path below the folder: its content, or where it leads if it is a link."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if os.path.islink(path):
                found[os.path.relpath(path, folder)] = os.readlink(path).encode()
            elif stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


class Scenario:
    """A command that makes OUT. Others derive from it."""

    out = "OUT"
    old_out = None  # what OUT was before, where the command replaces it
    keeps_partial = False  # when it fails: for --resume
    keeps_partial_on_signals = False
    lines = 1  # of a failure

    def __init__(self, name, command, judge, files=None, again=None):
        self.name, self.command, self.judge = name, command, judge
        self.files = {"key": KEY_BYTES, "pass": b"a passphrase\n", **(files or {})}
        self.again = again or [*command, "--force"]

    def prepare(self, folder):
        """Makes the folder anew."""
        shutil.rmtree(folder, ignore_errors=True)
        for name, content in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)

    # What may have changed, and what may lie there besides.
    def changing(self):
        return {self.out}

    def results(self):
        return {self.out}

    def deleted_sources(self):
        """Of what the command removes in the end, the name and the plaintext."""
        return []

    def leftovers(self, killed):
        renewed = {self.out + RECORD + RENEWED} if killed else set()
        return {self.out + PARTIAL, self.out + RECORD, *renewed} if killed or self.keeps_partial else set()

    def is_right(self, folder, content):
        return self.judge(folder, content)

    def is_done(self, folder, found):
        return self.out in found and found[self.out] != self.old_out and self.is_right(folder, found[self.out])

    def complaints_half_way(self, folder, found):
        """Of a state that no moment may show."""
        if self.out in found and found[self.out] != self.old_out and not self.is_right(folder, found[self.out]):
            yield f"{self.out} is wrong"

    def recovery(self, folder, found):
        """The command that one gives after a failure; nothing where there is nothing left to do."""
        return self.again

    def found(self, folder):
        return files_below(folder)

    def complaints(self, folder, *, killed=False, done=False):
        """What is wrong with the folder after a run that was killed, or ended with `done` (exit 0), or failed."""
        found = self.found(folder)
        for name, content in self.files.items():
            if name not in self.changing() and found.get(name) != content:
                yield f"{name} was changed" if name in found else f"{name} is lost"
        strays = set(found) - set(self.files) - self.changing() - (set() if done else self.leftovers(killed))
        if strays:
            yield f"left behind: {sorted(strays)}"
        yield from self.complaints_half_way(folder, found)
        if done and not self.is_done(folder, found):
            yield "exit 0, and it is not done"


class Resumed(Scenario):
    """By --resume, which keeps the partial file and goes on with it."""

    keeps_partial = True

    def __init__(self, name, command, judge, files=None):
        super().__init__(name, [*command, "--resume"], judge, files, [*command, "--resume"])

    def recovery(self, folder, found):
        return [word if word != "--resume" else "--force" for word in self.again] if self.out in found else self.again


class Replacing(Scenario):
    """An OUT that is there already."""

    old_out = b"the old content of OUT"

    def __init__(self, name, command, judge, files=None):
        super().__init__(name, [*command, "--force"], judge, {**(files or {}), "OUT": self.old_out}, [*command, "--force"])

    def complaints_half_way(self, folder, found):
        if self.out not in found:
            yield "the old OUT is lost"
        yield from super().complaints_half_way(folder, found)


class Pair(Scenario):
    """keygen --index-keys: OUT and OUT.pub, or neither. A kill between two names may leave OUT alone, which gives OUT.pub again."""

    def __init__(self, name):
        super().__init__(name, ["keygen", "--index-keys", "OUT"], None)

    def results(self):
        return {"OUT", "OUT.pub"}

    changing = results

    def leftovers(self, killed):
        return {name + PARTIAL for name in self.results()} if killed else set()

    def is_right(self, folder, content):
        """Whether OUT.pub is the public key of OUT, by what keygen makes of OUT alone."""
        alone = os.path.join(folder, "alone")
        os.makedirs(alone)
        try:
            shutil.copy(os.path.join(folder, "OUT"), alone)
            run_plainly(alone, self.command)
            return files_below(alone).get("OUT.pub") == content
        finally:
            shutil.rmtree(alone)

    def is_done(self, folder, found):
        return self.results() <= set(found) and self.is_right(folder, found["OUT.pub"])

    def complaints_half_way(self, folder, found):
        if "OUT.pub" in found and "OUT" not in found:
            yield "OUT.pub is there without OUT"
        elif "OUT.pub" in found and not self.is_right(folder, found["OUT.pub"]):
            yield "OUT.pub is not of OUT"

    def complaints(self, folder, *, killed=False, done=False):
        yield from super().complaints(folder, killed=killed, done=done)
        if not killed and len(self.results() & set(self.found(folder))) == 1:
            yield "half a pair"

    def recovery(self, folder, found):
        if self.results() <= set(found):
            return None
        return self.command if "OUT" in found else self.again


class Each(Scenario):
    """--each: `outputs` holds what becomes of each output, as `opened` reads it."""

    lines = None  # one for each file that failed

    def __init__(self, name, command, files, outputs, opened):
        super().__init__(name, [*command, "--each", *files], None, files, [*command, "--each", *files])
        self.outputs, self.opened = outputs, opened

    def changing(self):
        return set(self.outputs)

    def results(self):
        return set(self.outputs)

    def leftovers(self, killed):
        return {out + end for out in self.outputs for end in (PARTIAL, RECORD)} if killed else set()

    def is_done(self, folder, found):
        return all(out in found for out in self.outputs)

    def complaints_half_way(self, folder, found):
        for out, plain in self.outputs.items():
            if out in found and self.opened(folder, out) != plain:
                yield f"{out} is wrong"


class EachIndexed(Each):
    """--each with an index, which is right or empty at any moment."""

    INDEX = ["--index", "X", "--index-key-file", "key"]

    def __init__(self, name, command, plains, opened):
        command = [*command, "--each", "--update", *plains, "--to-tree", "new", *self.INDEX]
        Scenario.__init__(self, name, command, None, plains, command)
        self.outputs, self.opened = {f"new/{name}.phalanx": plain for name, plain in plains.items()}, opened

    def changing(self):
        return {*self.outputs, "X"}

    def results(self):
        return {*self.outputs, "X"}

    def verify(self, folder):
        return run_plainly(folder, ["verify", "-q", "new", *self.INDEX])

    def is_done(self, folder, found):
        return super().is_done(folder, found) and self.verify(folder).returncode == 0

    def complaints_half_way(self, folder, found):
        yield from super().complaints_half_way(folder, found)
        if found.get("X", b"").startswith(b"PHALIDX") and any(name.startswith("new/") for name in found):
            done = self.verify(folder)
            if done.returncode != 0 and b"has no segment" not in done.stderr:
                yield f"the index is wrong: {done.stderr}"


class PrintingOnly(Scenario):
    """A command that writes nothing but to standard output."""

    def __init__(self, name, command, files=None):
        super().__init__(name, command, None, files, command)

    def changing(self):
        return set()

    def results(self):
        return set()

    def is_done(self, folder, found):
        return True


class InPlace(Scenario):
    """raw --in-place: the same command again as long as there is a journal."""

    out, keeps_partial = "FILE", True

    def __init__(self, name, command, before, after):
        super().__init__(name, [*command, "--in-place", "FILE"], None, {"FILE": before}, [*command, "--in-place", "FILE"])
        self.before, self.after = before, after

    def apply(self, data):
        """To other data: encryption and decryption in counter mode are the same."""
        return counter_mode(data)

    def leftovers(self, killed):
        return {"FILE" + JOURNAL, *({"FILE" + JOURNAL + RENEWED} if killed else ())}

    def is_done(self, folder, found):
        return found.get("FILE") == self.after

    def complaints_half_way(self, folder, found):
        if "FILE" + JOURNAL not in found and found.get("FILE") not in (self.before, self.after):
            yield "FILE is neither old nor new, and there is no journal"

    def recovery(self, folder, found):
        return None if "FILE" + JOURNAL not in found and found["FILE"] == self.after else self.again


class RecipientsChange(Scenario):
    """BOX opens under its old recipients until the moment in which it opens under the new ones."""

    out = "BOX"

    def __init__(self, name, command, box, plain, opens_with, shut_to=None):
        super().__init__(name, ["recipients", *command, "BOX"], None, {"BOX": box, "key2": random_bytes(32, seed=2)})
        self.again, self.plain, self.opens_with, self.shut_to = self.command, plain, opens_with, shut_to
        self.old_out = box

    def leftovers(self, killed):
        """What a header takes its place by opens the file until the next reader settles it."""
        return super().leftovers(killed) | {"BOX.phalanx-header"}

    def is_right(self, folder, content):
        if not opens_to(folder, "BOX", self.plain, ["--key-file", self.opens_with]):
            return False
        return self.shut_to is None or not opens_to(folder, "BOX", self.plain, ["--key-file", self.shut_to])

    def complaints_half_way(self, folder, found):
        if "BOX" not in found:
            yield "BOX is lost"
        yield from super().complaints_half_way(folder, found)

    def recovery(self, folder, found):
        return self.again if found.get("BOX") == self.old_out else None


class DeletingSource(Resumed):
    """migrate --delete-source: IN goes once OUT is there."""

    deleted = "IN"

    def __init__(self, name, command, plain, files):
        super().__init__(name, command, lambda folder, content: opens_to(folder, "OUT", plain), files)
        self.plain = plain

    def deleted_sources(self):
        return [(self.deleted, self.plain)]

    def changing(self):
        return {self.out, self.deleted}

    def is_done(self, folder, found):
        return self.deleted not in found and super().is_done(folder, found)

    def complaints_half_way(self, folder, found):
        if found.get(self.deleted, self.files[self.deleted]) != self.files[self.deleted]:
            yield "IN was changed"
        if self.deleted not in found and self.out not in found:
            yield "IN is lost, and there is no OUT"
        yield from super().complaints_half_way(folder, found)

    def recovery(self, folder, found):
        return None if self.deleted not in found else super().recovery(folder, found)


class Tree(Scenario):
    """migrate of a folder; the same command again."""

    keeps_partial_on_signals = True
    lines = None  # one for each file that failed

    def __init__(self, name, plains, sources, delete):
        options = ["--delete-source"] if delete else []
        words = "migrate --manifest M --from-tree old --to-tree new --jobs 1 -q".split()
        command = [*words, *OLD, *KEY, *options]
        super().__init__(name, command, None, {f"old/{source}": content for source, content in sources.items()}, command)
        self.plains, self.delete = plains, delete

    def results(self):
        return set(self.boxes())

    def deleted_sources(self):
        return [(f"old/{name}", plain) for name, plain in self.plains.items()] if self.delete else []

    def boxes(self):
        return {f"new/{name}.phalanx": plain for name, plain in self.plains.items()}

    def changing(self):
        return {"M", *self.boxes(), *((f"old/{name}" for name in self.plains) if self.delete else ())}

    def leftovers(self, killed):
        return {box + end for box in self.boxes() for end in (PARTIAL, RECORD, RECORD + RENEWED)} if killed else set()

    def is_done(self, folder, found):
        if self.delete and any(name.startswith("old/") for name in found):
            return False
        return all(box in found for box in self.boxes())

    def complaints_half_way(self, folder, found):
        for name in self.plains:
            source, box = f"old/{name}", f"new/{name}.phalanx"
            if found.get(source, self.files[source]) != self.files[source]:
                yield f"{source} was changed"
            if source not in found and box not in found:
                yield f"{source} is lost"
            if box in found and not opens_to(folder, box, self.plains[name]):
                yield f"{box} is wrong"

    def recovery(self, folder, found):
        return self.again


def seal_old(plain):
    """As `openssl enc` does it, with the passphrase of the scenarios."""
    return openssl("enc", "-des3", "-pbkdf2", "-iter", "10", "-pass", "pass:a passphrase", stdin=plain)


def container_scenarios(small, large, small_box, large_box):
    cheap = ["--passphrase-file", "pass", "--scrypt-log-n", "10"]
    is_small = lambda folder, content: content == small  # noqa: E731
    is_large = lambda folder, content: content == large  # noqa: E731
    is_range = lambda folder, content: content == small[20_000:40_000]  # noqa: E731
    seals = lambda plain, *how: lambda folder, content: opens_to(folder, "OUT", plain, *how)  # noqa: E731
    encrypt, decrypt = ["encrypt", "-q", *KEY], ["decrypt", "-q", *KEY]
    part, bare = ["--range", "20000:20000"], ["--bare"]
    plains, boxes = {"A": small, "B": b"small"}, {"A.phalanx": small_box, "B.phalanx": large_box}
    sealed, opened = {f"{name}.phalanx": plain for name, plain in plains.items()}, {"A": small, "B": large}
    content_of = lambda folder, name: (folder / name).read_bytes()  # noqa: E731
    plain_of = lambda folder, name: run_plainly(folder, ["decrypt", *KEY, name]).stdout  # noqa: E731
    return [
        Scenario("encrypt", [*encrypt, "IN", "OUT"], seals(small), {"IN": small}),
        Replacing("encrypt_force", [*encrypt, "IN", "OUT"], seals(small), {"IN": small}),
        Resumed("encrypt_resume", [*encrypt, "IN", "OUT"], seals(large), {"IN": large}),
        Resumed("encrypt_bare", [*encrypt, *bare, "IN", "OUT"], seals(large, KEY, bare), {"IN": large}),
        Scenario("encrypt_passphrase", ["encrypt", "-q", *cheap, "IN", "OUT"], seals(small, cheap[:2]), {"IN": small}),
        Scenario("encrypt_verify", [*encrypt, "--verify", "IN", "OUT"], seals(small), {"IN": small}),
        Each("encrypt_each", encrypt, plains, sealed, plain_of),
        EachIndexed("encrypt_each_indexed", encrypt, plains, plain_of),
        Scenario("decrypt", [*decrypt, "BOX", "OUT"], is_large, {"BOX": large_box}),
        Replacing("decrypt_force", [*decrypt, "BOX", "OUT"], is_small, {"BOX": small_box}),
        Resumed("decrypt_resume", [*decrypt, "BOX", "OUT"], is_large, {"BOX": large_box}),
        Scenario("decrypt_range", [*decrypt, *part, "BOX", "OUT"], is_range, {"BOX": small_box}),
        Each("decrypt_each", decrypt, boxes, opened, content_of),
        PrintingOnly("verify", ["verify", "-q", *KEY, "BOX"], {"BOX": large_box}),
        RecipientsChange("recipients_add", ["add", "-q", *KEY, "--add-key-file", "key2"], large_box, large, "key2"),
        RecipientsChange("recipients_replace", ["replace", "-q", *KEY, "--add-key-file", "key2", "--remove", "1"], small_box, small, "key2", "key"),
        PrintingOnly("inspect", ["inspect", "--json", "BOX"], {"BOX": small_box}),
    ]


def counter_mode(data):
    return openssl("enc", "-aes-256-ctr", "-K", KEY_BYTES.hex(), "-iv", IV16, stdin=data)


def raw_scenarios(small, large):
    plain, sealed = large, counter_mode(large)
    salted = openssl("enc", "-aes-256-cbc", "-pbkdf2", "-iter", "10", "-a", "-pass", "pass:a passphrase", stdin=small)
    unsalt = ["raw", "decrypt", *OPENSSL, "-a"]
    sectors = large[: len(large) // 512 * 512]
    encrypt, decrypt = ["raw", "encrypt", "-q", *CTR], ["raw", "decrypt", "-q", *CTR]
    third = len(plain) // 3  # a range that lies in any length, 0 among them
    part, gcm = ["--range", f"{third}:{third}"], NONCE + aes_gcm(KEY_BYTES, NONCE, plain)
    return [
        Scenario("raw_encrypt", [*encrypt, "IN", "OUT"], lambda folder, out: out == sealed, {"IN": plain}),
        Scenario("raw_decrypt", [*decrypt, "IN", "OUT"], lambda folder, out: out == plain, {"IN": sealed}),
        Scenario("raw_range", [*decrypt, *part, "IN", "OUT"], lambda folder, out: out == plain[third : 2 * third], {"IN": sealed}),
        Scenario(
            "raw_gcm_encrypt",
            ["raw", "encrypt", "-q", *GCM, "IN", "OUT"],
            lambda folder, out: run_plainly(folder, ["raw", "decrypt", *GCM, "OUT"]).stdout == plain,
            {"IN": plain},
        ),
        Scenario("raw_gcm_decrypt", ["raw", "decrypt", "-q", *GCM, "IN", "OUT"], lambda folder, out: out == plain, {"IN": gcm}),
        Scenario(
            "raw_openssl_encrypt",
            ["raw", "encrypt", "-q", *OPENSSL, "-a", "IN", "OUT"],
            lambda folder, out: run_plainly(folder, [*unsalt, "OUT"]).stdout == small,
            {"IN": small},
        ),
        Scenario("raw_openssl_decrypt", [*unsalt, "-q", "IN", "OUT"], lambda folder, out: out == small, {"IN": salted}),
        Scenario(
            "raw_luks",
            ["raw", "decrypt", "--luks", "-q", "--passphrase-file", "pass", "IN", "OUT"],
            lambda folder, out: out == sectors,
            {"IN": luks_images.WrittenVolume().image(sectors), "pass": luks_images.PASSPHRASE + b"\n"},
        ),
        InPlace("in_place_encrypt", encrypt, plain, sealed),
        InPlace("in_place_decrypt", decrypt, sealed, plain),
    ]


def migrate_scenarios(small, large):
    files = {"IN": seal_old(small)}
    large_files = {"IN": seal_old(large)}
    plains = {"a": small, "b/c": b"a few words"}
    sources = {name: seal_old(plain) for name, plain in plains.items()}
    seals = lambda plain: lambda folder, content: opens_to(folder, "OUT", plain)  # noqa: E731
    single = ["migrate", "-q", *OLD, *KEY, "IN", "OUT"]
    return [
        Scenario("migrate", single, seals(small), files),
        Resumed("migrate_resume", [*single, "--doubt-is-ok"], seals(large), large_files),  # of any size: little padding is doubtful
        DeletingSource("migrate_delete", [*single, "--delete-source"], small, files),
        Tree("tree", plains, sources, delete=False),
        Tree("tree_delete", plains, sources, delete=True),
    ]


def is_key(folder, content):
    return len(content) == 32 and stat.S_IMODE(os.stat(os.path.join(folder, "OUT")).st_mode) & 0o077 == 0


def all_scenarios(folder, small_bytes=USUAL_SIZES[0], large_bytes=USUAL_SIZES[1]):
    """By name, over two plaintexts of these sizes; the folder is for what they are made of."""
    (folder / "key").write_bytes(KEY_BYTES)
    plains = unknown_format(small_bytes, seed=11), unknown_format(large_bytes, seed=12)
    boxes = []
    for plain in plains:
        (folder / "IN").write_bytes(plain)
        boxes.append(run_plainly(folder, ["encrypt", *KEY, "IN"]).stdout)
    scenarios = [
        Scenario("keygen", ["keygen", "OUT"], is_key),
        Replacing("keygen_force", ["keygen", "OUT"], is_key),
        Pair("keygen_pair"),
        *container_scenarios(*plains, *boxes),
        *raw_scenarios(*plains),
        *migrate_scenarios(*plains),
        PrintingOnly("engines", ["engines"]),
    ]
    made = {scenario.name: scenario for scenario in scenarios}
    assert list(made) == NAMES
    return made
