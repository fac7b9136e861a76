#!/usr/bin/env python3
"""Times whole commands from file to file beside copying the same bytes, in one run, and checks every byte that they write.

time_commands.py PHALANX PARALLEL_COPY [--folder /dev/shm] [--bytes 2G] [--long-bytes 8G] [--rounds 3] [--engine cpu]
                 [--only NAME...] [--json FILE] [--commit ID]

In each round every command takes its turn; the medians are printed, in GB/s of the plaintext, and what they are of the bound:
1 / (1/copy + 1/crypt) from file to file, the smaller of reading and crypting where nothing is written, the copy for what writes in
place or reads back. `crypt` is what `phalanx bench` measures in memory, before and after.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

METHOD = {"tmpfs": "pread-memcpy-populate", "disk": "pread-pwrite-reserved"}
IV8, IV16 = "0123456789abcdef", "00112233445566778899aabbccddeeff"


def count(text):
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]] if text[-1] in "KMG" else int(text)


def run(command, **options):
    subprocess.run([str(word) for word in command], check=True, stdin=subprocess.DEVNULL, **options)


def same(one, other):
    return subprocess.run(["cmp", "-s", one, other]).returncode == 0


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.phalanx, self.copier = arguments.phalanx, arguments.parallel_copy
        self.rates, self.wrong = {}, []

    def path(self, name):
        return self.folder / name

    def raw(self, direction, cipher, iv, *names):
        words = ["raw", direction, "--cipher", cipher, *(["--iv", iv] if iv else []), "--allow-legacy", "-q"]
        return [self.phalanx, *words, "--engine", self.arguments.engine, "--key-file", self.path(cipher[:3] + ".key"), *names]

    def seal(self, word, *names):
        key = ["--key-file", self.path("aes.key")]
        return [self.phalanx, word, "-q", "--engine", self.arguments.engine, *key, *names]

    def migrate(self, *names):
        old = ["--from-cipher", "des-ede3-ctr", "--from-iv", IV8, "--from-key-file", self.path("des.key")]
        return [*self.seal("migrate"), "--doubt-is-ok", *old, *names]  # noise, in CTR: nothing speaks for the key

    # The files, each made by a command that another library checks on its first MiB.
    def make_files(self, num_bytes):
        for name, size in (("aes", 32), ("des", 24)):
            self.path(name + ".key").write_bytes(os.urandom(size))
            self.path(name + ".key").chmod(0o600)
        with open(self.path("zeros"), "wb") as file:
            file.truncate(num_bytes)
        run(self.raw("encrypt", "aes-256-ctr", IV16, self.path("zeros"), self.path("IN")))
        run(self.raw("encrypt", "des-ede3-ecb", None, "--padding", "none", self.path("IN"), self.path("ECB")))
        self.check_first("des-ede3-ecb", "des-ede3", None, "des", "ECB")
        self.path("zeros").unlink()

    def make_expected(self):
        run(self.raw("encrypt", "aes-256-ctr", IV16, self.path("IN"), self.path("CTR")))
        self.check_first("aes-256-ctr", "aes-256-ctr", IV16, "aes", "CTR")
        run(self.raw("encrypt", "des-ede3-ctr", IV8, self.path("IN"), self.path("OLD")))

    def check_first(self, name, theirs, iv, key, out):
        first = self.path("IN").open("rb").read(1 << 20)
        words = ["openssl", "enc", "-" + theirs, "-nopad", "-K", self.path(key + ".key").read_bytes().hex()]
        found = subprocess.run([*words, *(["-iv", iv] if iv else [])], input=first, capture_output=True, check=True).stdout
        if found != self.path(out).open("rb").read(1 << 20):
            self.wrong.append(f"{name} differs from OpenSSL")

    # Of one command: its time; and what it wrote is compared, outside of it.
    def time(self, name, num_bytes, command, out=None, expected=None):
        if out is not None:
            self.path(out).unlink(missing_ok=True)
        begin = time.perf_counter()
        run(command, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - begin
        self.rates.setdefault(name, []).append(num_bytes / seconds / 1e9)
        if expected is not None and not same(self.path(out), self.path(expected)):
            self.wrong.append(f"{name} wrote something else")

    def copy(self, name, num_bytes, method, source="IN"):
        words = ["--rounds", "1", "--only", method, self.path(source), self.path("COPY")]
        found = subprocess.run([self.copier, *words], check=True, capture_output=True, text=True).stdout.split()
        self.rates.setdefault(name, []).append(float(found[1]))
        self.path("COPY").unlink(missing_ok=True)

    def crypt(self):
        names = ["des-ede3-ecb", "aes-256-ctr", "aes-256-gcm"]
        words = ["bench", *names, "--size", "64M", "--seconds", "0.5", "--json", "--engine", self.arguments.engine]
        done = subprocess.run([self.phalanx, *words], check=True, capture_output=True, text=True)
        for row in json.loads(done.stdout)["bytes_per_second"]:
            for direction in ("encryption", "decryption"):
                self.rates.setdefault(f"crypt {row['cipher']} {direction}", []).append(row[direction] / 1e9)

    def file_to_file(self, num_bytes):
        path = self.path
        self.copy("copy", num_bytes, METHOD[self.arguments.kind])
        if self.arguments.kind == "disk":
            self.copy("copy with O_DIRECT", num_bytes, "direct-reserved")
        self.time("cp", num_bytes, ["cp", path("IN"), path("OUT")], "OUT", "IN")
        self.time("raw decrypt des-ede3-ecb", num_bytes,
                  self.raw("decrypt", "des-ede3-ecb", None, "--padding", "none", path("ECB"), path("OUT")), "OUT", "IN")  # fmt: skip
        self.time("raw encrypt aes-256-ctr", num_bytes, self.raw("encrypt", "aes-256-ctr", IV16, path("IN"), path("OUT")), "OUT", "CTR")
        self.time("encrypt", num_bytes, self.seal("encrypt", path("IN"), path("NEW")), "NEW")
        self.time("decrypt", num_bytes, self.seal("decrypt", path("NEW"), path("OUT")), "OUT", "IN")
        path("NEW").unlink()
        in_place = lambda *words: [*self.raw(*words), "--in-place", path("OUT")]  # noqa: E731
        self.time("raw encrypt aes-256-ctr --in-place", num_bytes, in_place("encrypt", "aes-256-ctr", IV16))
        if not same(path("OUT"), path("CTR")):
            self.wrong.append("--in-place wrote something else")
        shutil.copyfile(path("ECB"), path("OUT"))
        self.time("raw decrypt des-ede3-ecb --in-place", num_bytes, in_place("decrypt", "des-ede3-ecb", None, "--padding", "none"))
        if not same(path("OUT"), path("IN")):
            self.wrong.append("--in-place wrote something else")
        path("OUT").unlink()
        self.time("migrate", num_bytes, self.migrate(path("OLD"), path("NEW")), "NEW")
        run(self.seal("decrypt", path("NEW"), path("OUT")))
        if not same(path("OUT"), path("IN")):
            self.wrong.append("migrate wrote something else")
        path("NEW").unlink()
        path("OUT").unlink()

    # Nothing is kept of it: verify compares tags; of the others the bytes are those of file_to_file.
    def to_nowhere(self, num_bytes):
        null = "/dev/null"
        self.copy("read", num_bytes, "read")
        self.time("raw decrypt des-ede3-ecb to /dev/null", num_bytes,
                  self.raw("decrypt", "des-ede3-ecb", None, "--padding", "none", self.path("ECB"), null))  # fmt: skip
        self.time("raw encrypt aes-256-ctr to /dev/null", num_bytes, self.raw("encrypt", "aes-256-ctr", IV16, self.path("IN"), null))
        self.time("verify", num_bytes, self.seal("verify", self.path("BOX")))

    def bounds(self):
        median = {name: statistics.median(rates) for name, rates in self.rates.items()}
        copy, read = median.get("copy"), median.get("read")
        ecb, ctr = median["crypt des-ede3-ecb decryption"], median["crypt aes-256-ctr encryption"]
        seal, unseal = median["crypt aes-256-gcm encryption"], median["crypt aes-256-gcm decryption"]
        both = lambda crypt: 1 / (1 / copy + 1 / crypt)  # noqa: E731
        bounds = {}
        if copy:
            bounds |= {"raw decrypt des-ede3-ecb": both(ecb), "raw encrypt aes-256-ctr": both(ctr), "encrypt": both(seal)}
            bounds |= {"decrypt": both(unseal), "raw encrypt aes-256-ctr --in-place": copy, "migrate": copy}
            bounds |= {"raw decrypt des-ede3-ecb --in-place": copy}
        if read:
            bounds |= {"raw decrypt des-ede3-ecb to /dev/null": min(read, ecb), "verify": min(read, unseal)}
            bounds |= {"raw encrypt aes-256-ctr to /dev/null": min(read, ctr)}
        return {name: median[name] / bound for name, bound in bounds.items() if name in median}


def text_of(command):
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def machine():
    fields = dict(line.split(":", 1) for line in text_of(["lscpu"]).splitlines() if ":" in line)
    family, model = fields.get("CPU family", "").strip(), fields.get("Model", "").strip()
    vendor = {"GenuineIntel": "Intel Xeon", "AuthenticAMD": "AMD EPYC"}.get(fields.get("Vendor ID", "").strip(), "processor")
    return {"cpu": f"{vendor}, family {family} model {model}", "cores": os.cpu_count(), "kernel": os.uname().release}


def measure(bench, arguments):
    num_bytes, long_bytes = count(arguments.bytes), count(arguments.long_bytes)
    bench.crypt()
    bench.make_files(num_bytes)
    bench.make_expected()
    for _ in range(arguments.rounds):
        bench.file_to_file(num_bytes)
    if long_bytes != 0:
        for name in ("IN", "CTR", "ECB", "OLD"):
            bench.path(name).unlink()
        bench.make_files(long_bytes)
        run(bench.seal("encrypt", bench.path("IN"), bench.path("BOX")))
        for _ in range(arguments.rounds):
            bench.to_nowhere(long_bytes)
    bench.crypt()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("phalanx", type=os.path.abspath)
    parser.add_argument("parallel_copy", type=os.path.abspath)
    parser.add_argument("--folder", default="/dev/shm", help="where the files are made, in a folder of their own")
    parser.add_argument("--kind", choices=METHOD, default="tmpfs", help="of the folder: by which method it is copied")
    parser.add_argument("--bytes", default="2G")
    parser.add_argument("--long-bytes", default="8G", help="of what is read and not written; 0: leave it out")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--engine", default="cpu")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--commit", default="")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        bench = Bench(arguments, pathlib.Path(folder))
        measure(bench, arguments)
    of_bound = bench.bounds()
    for name, rates in bench.rates.items():
        share = f"  {of_bound[name]:.2f} of the bound" if name in of_bound else ""
        print(f"{name:44} {statistics.median(rates):7.2f}  ({min(rates):.2f} to {max(rates):.2f}){share}")
    if arguments.json:
        settings = {name: getattr(arguments, name) for name in ("kind", "bytes", "long_bytes", "rounds", "engine")}
        result = {"date": time.strftime("%Y-%m-%d"), "commit": arguments.commit, **machine(), **settings}
        result |= {"gigabytes_per_second": bench.rates, "of_the_bound": of_bound, "wrong": bench.wrong}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")
    for complaint in bench.wrong:
        print(complaint, file=sys.stderr)
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
