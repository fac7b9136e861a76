#!/usr/bin/python3
"""Puts what tools/develop/bench_today kept into README.md and docs/performance.md: the libraries of Debian 12 beside those of today.

update_today.py [--check]      --check: changes nothing; exits 1 where a document says something else than the kept files

Of each release, and of OpenSSL 4, the newest kept file counts; all must be of one machine and one commit. A table stands between
`<!-- today: NAME -->` and `<!-- end of today -->`.
"""

import argparse
import json
import pathlib
import re
import sys

from update_documents import ROOT, fastest, figures, job_text, number, size_text, table

RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13", "sid": "unstable"}
OPENSSL_4 = "openssl_4"
USUAL_BYTES = 65536
# README's five rows: the cipher and mode, the direction.
FIVE = [("des-ede3-cbc", "decrypt"), ("aes-256-gcm", "encrypt"), ("aes-256-xts", "encrypt"), ("serpent-256-ctr", "encrypt"),
        ("twofish-256-ctr", "encrypt")]  # fmt: skip
BLOCK = re.compile(r"(<!-- today: (\w+) -->\n).*?(<!-- end of today -->)", re.DOTALL)


def newest_results():
    """By release. Throws where they cannot be compared."""
    found = {}
    for release in [*RELEASES, OPENSSL_4]:
        paths = sorted((ROOT / "bench" / "results").glob(f"*/*_{release}.json"), key=lambda path: path.name)
        if not paths:
            raise SystemExit(f"update_today.py: no result of {release}: run tools/develop/bench_today")
        found[release] = json.loads(paths[-1].read_text())
    for field in ("cpu", "commit"):
        if len({result[field] for result in found.values()}) != 1:
            raise SystemExit(f"update_today.py: the newest results are of more than one {field}")
    return found


def key_of(measurement):
    return (measurement["cipher"], measurement["mode"], measurement["direction"], measurement["message_bytes"], measurement["messages"])


def ours_of(measurement):
    return fastest(figures(measurement, "engine"))


def beside(measurement):
    """The fastest other library there, and how many times as fast ours is, both as built there."""
    peers = figures(measurement, "peer")
    best = max(peers, key=lambda peer: peer["megabytes_per_second"])
    ratio = ours_of(measurement)["times_as_fast_as"][best["name"]]
    in_ecb = " in ECB" if best["ran"] != f"{measurement['cipher']}-{measurement['mode']}" else ""
    return f"{ratio:.2f} {best['name']}{in_ecb}"


def rows_of(results, wanted):
    by_release = {release: {key_of(m): m for m in results[release]["measurements"]} for release in RELEASES}
    for m in results["bookworm"]["measurements"]:
        if not wanted(m):
            continue
        ours = ours_of(m)
        size = "" if m["messages"] > 1 or m["message_bytes"] == USUAL_BYTES else f", {size_text(m['message_bytes'])}"
        cells = [beside(by_release[release][key_of(m)]) if key_of(m) in by_release[release] else "" for release in RELEASES]
        yield [job_text(m) + size, number(ours["megabytes_per_second"]), f"{ours['cycles_per_byte']['median']:.2f}", *cells]


def origin(results):
    one = results["bookworm"]
    texts = []
    for release, name in RELEASES.items():
        result = results[release]
        peers = ", ".join(f"{peer['name']} {peer['version']}" for peer in result["peers"])
        texts.append(f"{name} ({result['date']}): {result['compiler']}; {peers}")
    return (f"{ours_of(one['measurements'][0])['name']}; {one['cpu']}; one core; Phalanx commit {one['commit']}, built in each root, "
            f"{one['flags'].split(',')[0]}; medians; every byte compared before and after. " + ". ".join(texts) + ".")


def is_of_the_five(measurement):
    name = f"{measurement['cipher']}-{measurement['mode']}", measurement["direction"]
    return name in FIVE and measurement["messages"] == 1 and measurement["message_bytes"] == USUAL_BYTES


def make_openssl_table(result):
    """The rates of bench/python/openssl_speed.py."""
    rows = []
    for row in result["rows"]:
        ours, theirs = row["GB/s"]["phalanx"], row["GB/s"]["openssl"]
        name = f"{row['mode'].upper()} {row['direction']}ion"
        rows.append([name, size_text(row["bytes"]), f"{ours:.2f}", f"{theirs:.2f}", f"{ours / theirs:.2f}"])
    headings = ["AES-256, one core", "message", "GB/s", "OpenSSL", "ratio"]
    return (f"{table(headings, ['---', '---:', '---:', '---:', '---:'], rows)}\n\n{result['cpu']}; {result['openssl']} of "
            f"`cryptography` {result['cryptography']}; Phalanx commit {result['commit']}, {result['date']}; the fastest of 25 rounds; "
            "every byte compared before and after.")


def make_table(name, results):
    if name == OPENSSL_4:
        return make_openssl_table(results[OPENSSL_4])
    wanted = {"five": is_of_the_five, "all": lambda measurement: True}[name]
    headings = ["one core, 64 KiB", "MB/s", "cycles/byte", *(f"times the fastest of {name}" for name in RELEASES.values())]
    return table(headings, ["---", "---:", "---:", "---", "---", "---"], list(rows_of(results, wanted))) + "\n\n" + origin(results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    results = newest_results()
    stale = []
    num_tables = 0
    for name in ("README.md", "docs/performance.md"):
        path = ROOT / name
        before = path.read_text()
        num_tables += len(BLOCK.findall(before))
        after = BLOCK.sub(lambda match: match[1] + make_table(match[2], results) + "\n" + match[3], before)
        if after != before:
            stale.append(name)
            if not check:
                path.write_text(after)
    if check and (stale or num_tables < 3):
        print(f"not as the kept results say: {', '.join(stale) or 'a table is missing'}; bench/update_today.py renews them")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
