"""phalanx-mpi gives what phalanx gives, whatever the number of ranks."""

import json
import os
import subprocess

import pytest
from cluster_runs import CHUNK, KEY, PROGRAM, RANKS, cluster, plain, random_bytes  # noqa: F401

IV8, IV16 = "0123456789abcdef", "00112233445566778899aabbccddeeff"
RAW = {
    "des-ede3-ecb": [], "des-ede3-cbc": ["--iv", IV8], "2des-ctr": ["--iv", IV8], "aes-256-ctr": ["--iv", IV16], "aes-256-cbc": ["--iv", IV16],
    "serpent-256-cfb": ["--iv", IV16], "twofish-256-xts": ["--sector-size", "512"], "aes-256-ofb": ["--iv", IV16],
    "aes-256-xts": ["--sector-size", "4096", "--sector-offset", "9"],
}  # fmt: skip
KEY_BYTES = {"des-ede3-ecb": 24, "des-ede3-cbc": 24, "2des-ctr": 16, "twofish-256-xts": 64, "aes-256-xts": 64}


@pytest.mark.parametrize("schedule", ["even", "dynamic"])
@pytest.mark.parametrize("num_ranks", RANKS)
def test_containers_both_ways(cluster, plain, num_ranks, schedule):
    for extra in ([], ["--verify"], ["--cipher", "serpent-256"], ["--bare"]):
        options = [option for option in extra if option == "--bare"]
        cluster.ranks(num_ranks, "encrypt", *KEY, *extra, "--schedule", schedule, "-f", "IN", "BOX", check=0)
        assert cluster.run("decrypt", *KEY, *options, "BOX", check=0).stdout == plain
    cluster.run("encrypt", *KEY, "-f", "IN", "BOX", check=0)
    done = cluster.ranks(num_ranks, "decrypt", *KEY, f"--schedule={schedule}", "-v", "BOX", "OUT", check=0)
    assert cluster.read("OUT") == plain and sorted(cluster.names()) == ["BOX", "IN", "OUT", "key"]
    assert len([line for line in done.stderr.decode().splitlines() if line.split()[:1] == [str(num_ranks - 1)]]) == 1
    cluster.ranks(num_ranks, "verify", *KEY, "--schedule", schedule, "BOX", check=0)


def test_bound_containers(cluster, plain):
    context = ["--context-text", "diary"]
    cluster.ranks(2, "encrypt", *KEY, *context, "--bind-name", "--name", "BOX", "--verify", "-f", "IN", "BOX", check=0)
    cluster.ranks(2, "decrypt", *KEY, *context, "BOX", "OUT", check=0)
    assert cluster.read("OUT") == plain
    assert cluster.ranks(2, "decrypt", *KEY, "--context-text", "diarx", "-f", "BOX", "OUT").returncode == 4
    assert cluster.ranks(2, "verify", *KEY, "BOX").returncode == 2
    assert cluster.ranks(2, "verify", *KEY, *context, "--below", "a", "BOX").returncode == 3


@pytest.mark.parametrize("name", RAW)
def test_raw_gives_the_same_bytes(cluster, plain, name):
    cluster.write("key", random_bytes(KEY_BYTES.get(name, 32), seed=5))
    options = ["--cipher", name, *RAW[name], *KEY, "--allow-legacy", "-q"]
    sealed = cluster.run("raw", "encrypt", *options, "IN", check=0).stdout
    for num_ranks, schedule in ((2, "even"), (3, "dynamic")):
        cluster.ranks(num_ranks, "raw", "encrypt", *options, "--schedule", schedule, "-f", "IN", "SEALED", check=0)
        assert cluster.read("SEALED") == sealed
        decrypt = [option for option in options if option != "--allow-legacy"]
        cluster.ranks(num_ranks, "raw", "decrypt", *decrypt, "--schedule", schedule, "-f", "SEALED", "OUT", check=0)
        assert cluster.read("OUT") == plain


def test_a_long_data_unit_of_xts_is_read_only(cluster):
    """The file has more than 2^20 blocks."""
    cluster.write("key", random_bytes(64, seed=5))
    options = ["--cipher", "twofish-256-xts", "--iv", IV16, *KEY]
    refused = cluster.ranks(2, "raw", "encrypt", *options, "IN", "SEALED")
    assert refused.returncode == 6 and b"2^20 blocks" in refused.stderr and "SEALED" not in cluster.names()
    done = cluster.ranks(2, "raw", "decrypt", *options, "IN", "OUT", check=0)
    assert b"warning" in done.stderr and b"2^20 blocks" in done.stderr
    assert cluster.read("OUT") == cluster.run("raw", "decrypt", *options, "IN", check=0).stdout


@pytest.mark.parametrize("size", [0, 1, 16, CHUNK - 1, CHUNK, 8 * CHUNK, 8 * CHUNK + 5, 9 * CHUNK + 16, 12 * CHUNK - 16])
def test_sizes_around_pieces_and_shares(cluster, size):
    content = random_bytes(size, seed=3)
    cluster.write("IN", content)
    for num_ranks in (2, 5):
        cluster.ranks(num_ranks, "encrypt", *KEY, "-f", "IN", "BOX", check=0)
        cluster.ranks(num_ranks, "decrypt", *KEY, "-f", "BOX", "OUT", check=0)
        assert cluster.read("OUT") == content
        assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == content


def test_help_names_the_options_of_ranks(cluster):
    for arguments in (["--help"], ["encrypt", "--help"], ["encrypt", "--help-all"], ["help", "raw"]):
        text = cluster.ranks(2, *arguments, check=0).stdout.decode()
        assert text.count("--schedule even|dynamic") == 1 and text.count("--key-per-rank") == 1
    assert b"--schedule" not in cluster.run("encrypt", "--help", check=0).stdout


def test_without_mpirun_and_with_pipes(cluster, plain):
    done = subprocess.run([PROGRAM, "encrypt", *KEY, "IN", "BOX"], cwd=cluster.folder, capture_output=True)
    assert done.returncode == 0 and cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain
    with open(cluster.folder / "BOX", "rb") as box:
        done = subprocess.run([PROGRAM, "decrypt", *KEY], cwd=cluster.folder, stdin=box, capture_output=True)
    assert done.returncode == 0 and done.stdout == plain


def test_what_cannot_be_cut_is_said(cluster, plain):
    cluster.write("key", random_bytes(24))
    options = ["--cipher", "des-ede3-cbc", "--iv", IV8, *KEY, "--allow-legacy"]
    done = cluster.ranks(2, "raw", "encrypt", *options, "IN", "SEALED", check=0)
    assert any("rank 0 does it alone" in line for line in cluster.messages(done))
    assert cluster.read("SEALED") == cluster.run("raw", "encrypt", *options, "-q", "IN", check=0).stdout


def test_migrate(cluster, plain):
    cluster.write("pass", b"old passphrase\n")
    old = ["openssl", "enc", "-des-ede3-cbc", "-pbkdf2", "-iter", "10", "-in", "IN", "-out", "OLD", "-pass", "file:pass"]
    subprocess.run(old, cwd=cluster.folder, check=True)
    side = ["--from-openssl", "--from-cipher", "des3", "--from-pbkdf2", "--from-iter", "10", "--from-passphrase-file", "pass"]
    cluster.ranks(3, "migrate", *side, *KEY, "OLD", "BOX", check=0)
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain
    assert cluster.ranks(2, "migrate", *side, *KEY, "--delete-source", "-f", "OLD", "BOX", check=0) and "OLD" not in cluster.names()
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain


def test_what_every_rank_saw_is_judged_together(cluster):
    """Text at both ends, and noise in a piece between: whoever reads that, the file is doubtful."""
    line, options = b"Every line of this can be read.\n", ["--cipher", "aes-256-ctr", "--iv", "0f" * 16]
    text = line * (6 * 2**20 // len(line))
    for noise, kept in [(b"", False), (random_bytes(700_000), True)]:
        cluster.write("IN", text[: 3 * 2**20] + noise + text[3 * 2**20 + len(noise) :])
        cluster.run("raw", "encrypt", *options, *KEY, "-f", "IN", "OLD", check=0)
        old = ["--from-" + word[2:] if word.startswith("--") else word for word in [*options, *KEY]]
        cluster.ranks(3, "migrate", *old, *KEY, "--delete-source", "--doubt-is-ok", "-f", "OLD", "BOX", check=0)
        assert ("OLD" in cluster.names()) == kept


def test_many_files(cluster, plain):
    for number, size in enumerate([0, 100, CHUNK, 9 * CHUNK + 7, 3 * CHUNK, 50_000]):
        cluster.write(f"file{number}", plain[:size])
    names = [f"file{number}" for number in range(6)]
    cluster.ranks(3, "encrypt", *KEY, "--each", *names, check=0)
    boxes = [name + ".phalanx" for name in names]
    done = cluster.ranks(3, "verify", *KEY, *boxes, check=0)
    assert any("6 verified, 0 failed" in line for line in cluster.messages(done))
    for name in names:
        os.rename(cluster.folder / name, cluster.folder / (name + ".plain"))
    cluster.ranks(2, "decrypt", *KEY, "--each", *boxes, check=0)
    for name in names:
        assert cluster.read(name) == cluster.read(name + ".plain")


def bytes_of_ranks(done):
    table = next(json.loads(line) for line in done.stderr.decode().splitlines() if line.startswith("{"))
    return [rank["bytes"] for rank in table["ranks"]]


MANY_COMMANDS = {"encrypt": (["encrypt", "--each"], ""), "verify": (["verify"], ".phalanx"), "decrypt": (["decrypt", "--each"], ".phalanx")}


@pytest.mark.parametrize("command", MANY_COMMANDS)
@pytest.mark.parametrize("schedule", ["even", "dynamic"])
def test_whole_files_go_to_ranks_and_large_ones_are_cut(cluster, plain, command, schedule):
    """More than 8 MiB, which alone would be cut, are one rank's where they are no large part of all."""
    arguments, suffix = MANY_COMMANDS[command]

    def bytes_for(sizes):
        names = [f"{len(sizes)}files{number}" for number in range(len(sizes))]
        for name, size in zip(names, sizes):
            cluster.write(name, plain[:size])
            if suffix:
                cluster.run("encrypt", *KEY, name, name + suffix, check=0)
                os.remove(cluster.folder / name)
        done = cluster.ranks(3, *arguments, *KEY, "--json", "--schedule", schedule, *[name + suffix for name in names], check=0)
        for name, size in zip(names, sizes):
            result = cluster.read(name) if command == "decrypt" else cluster.run("decrypt", *KEY, name + ".phalanx", check=0).stdout
            assert result == plain[:size]
        return bytes_of_ranks(done)

    size = 9 * CHUNK
    whole = bytes_for([size] * 5)
    part = sum(whole) // 5
    assert part >= size and all(num_bytes % part == 0 and num_bytes > 0 for num_bytes in whole)
    large, small = 20 * CHUNK, CHUNK
    cut = bytes_for([small, large, small])
    assert min(cut) >= 4 * CHUNK and max(cut) < large  # by either schedule a rank begins with a range of its own


def test_migrate_gives_whole_files_to_ranks(cluster, plain):
    os.makedirs(cluster.folder / "old")
    cluster.write("pass", b"old passphrase\n")
    size = 9 * CHUNK + 5
    for number in range(5):
        cluster.write("one", bytes([number]) + plain[1:size])
        old = ["openssl", "enc", "-des-ede3-cbc", "-md", "sha256", "-in", "one", "-out", f"old/{number}", "-pass", "file:pass"]
        subprocess.run(old, cwd=cluster.folder, check=True, stderr=subprocess.DEVNULL)
    side = "--from-openssl --from-cipher des3 --from-md sha256 --from-passphrase-file pass".split()
    tree = "migrate --manifest M --from-tree old --to-tree new --no-verify -v".split()
    done = cluster.ranks(3, *tree, *side, *KEY, check=0)
    for number in range(5):
        name = next(str(path) for path in (cluster.folder / "new").iterdir() if path.name.startswith(str(number)))
        assert cluster.run("decrypt", *KEY, name, check=0).stdout == bytes([number]) + plain[1:size]
    table = [line.split() for line in done.stderr.decode().splitlines() if line.split()[:1] in (["0"], ["1"], ["2"])]
    parts = [round(float(line[2]) * 1e6 / size) for line in table]
    assert sum(parts) == 5 and min(parts) >= 1, table


def test_a_failed_file_is_no_end_of_the_others(cluster, plain):
    for number in range(6):
        cluster.write(f"file{number}", plain[: CHUNK + number])
    names = [f"file{number}" for number in range(6)]
    cluster.ranks(2, "encrypt", *KEY, "--each", *names, check=0)
    box = bytearray(cluster.read("file3.phalanx"))
    box[-CHUNK // 2] ^= 1
    cluster.write("file3.phalanx", bytes(box))
    done = cluster.ranks(2, "verify", *KEY, *[name + ".phalanx" for name in names], "missing")
    lines = cluster.messages(done)
    assert done.returncode == 1 and any("5 verified, 2 failed" in line for line in lines), lines
    assert any(line.startswith("phalanx: file3.phalanx: ") and "authentic" in line for line in lines)


def test_the_table_as_json(cluster):
    done = cluster.ranks(3, "encrypt", *KEY, "--json", "IN", "BOX", check=0)
    assert len(bytes_of_ranks(done)) == 3 and sum(bytes_of_ranks(done)) == len(cluster.read("IN"))


def test_a_file_of_more_than_4_gib(cluster):
    """Offsets of 64 bits: the bytes behind 4 GiB are those that one process gives there."""
    size = (5 << 30) + 12_345
    with open(cluster.folder / "IN", "wb") as file:
        file.truncate(size)
        for place in (0, (1 << 32) - 8, (1 << 32) + 5 * CHUNK, size - 40):
            file.seek(place)
            file.write(random_bytes(40, seed=place % 97))
    free = os.statvfs(cluster.folder)
    if free.f_bavail * free.f_frsize < size + (2 << 30):
        pytest.skip("a file of 5 GiB has no room here")
    options = ["--cipher", "aes-256-ctr", "--iv", IV16, *KEY, "-q"]
    cluster.ranks(3, "raw", "encrypt", *options, "IN", "OUT", check=0)
    assert (cluster.folder / "OUT").stat().st_size == size
    for place in (0, (1 << 32) - CHUNK, (1 << 32) + 4 * CHUNK, (size - 2 * CHUNK) // 16 * 16):
        with open(cluster.folder / "IN", "rb") as file, open(cluster.folder / "OUT", "rb") as sealed:
            file.seek(place)
            sealed.seek(place)
            counter = f"{(int(IV16, 16) + place // 16) % (1 << 128):032x}"
            part = cluster.run("raw", "encrypt", *options[:2], "--iv", counter, *options[4:], stdin=file.read(2 * CHUNK), check=0).stdout
            assert sealed.read(2 * CHUNK) == part, place
