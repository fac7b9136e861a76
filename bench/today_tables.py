"""The tables that what tools/develop/bench_today kept gives docs/performance.md and docs/notes/speed_beside_libraries.md.

Of each release the newest kept file counts; all must be of one machine and one commit.
"""

import kept_results
from processor_tables import USUAL_BYTES, fastest, figures, full_name, job_text, peer_text
from table_text import number, size_text, table

RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13", "sid": "unstable"}
# The rows of README's picture, losses among them: cipher and mode, direction, bytes of the message.
CHOSEN = [("des-ede3-cbc", "decrypt", USUAL_BYTES), ("des-ede3-cbc", "encrypt", 16384), ("aes-256-ctr", "encrypt", USUAL_BYTES),
          ("aes-256-xts", "encrypt", USUAL_BYTES), ("aes-256-gcm", "encrypt", USUAL_BYTES), ("aes-256-gcm", "decrypt", USUAL_BYTES),
          ("aes-256-gcm", "encrypt", 64), ("aes-256-gcm", "decrypt", 64), ("serpent-256-ctr", "encrypt", USUAL_BYTES),
          ("twofish-256-ctr", "encrypt", USUAL_BYTES)]  # fmt: skip
# docs/performance.md has these besides.
CHOSEN_FOR_PAGE = [("aes-256-cbc", "decrypt", USUAL_BYTES), ("aes-256-xts", "encrypt", 1024), ("aes-256-gcm", "encrypt", 1024),
                   ("aes-256-gcm", "decrypt", 1024)]  # fmt: skip


def newest_results(kept):
    """Of a folder like results/bench/, by release. Ends the program where they cannot be compared."""
    found = {}
    for release in RELEASES:
        paths = sorted(kept.glob(f"*/*_{release}{kept_results.ENDING}"), key=lambda path: path.name)
        if not paths:
            raise SystemExit(f"today_tables: no result of {release}: run tools/develop/bench_today")
        found[release] = kept_results.read(paths[-1])
    for field in ("cpu", "commit"):
        if len({result[field] for result in found.values()}) != 1:
            raise SystemExit(f"today_tables: the newest results are of more than one {field}")
    return found


def key_of(measurement):
    return (full_name(measurement), measurement["direction"], measurement["message_bytes"], measurement["messages"],
            measurement.get("one_pass", False))


def ours_of(measurement):
    return fastest(figures(measurement, "engine"))


def beside(measurement):
    """How many times as fast ours is as the fastest other library there, both as built there; and that library."""
    best = fastest(figures(measurement, "peer"))
    return ours_of(measurement)["times_as_fast_as"][best["name"]], peer_text(best, measurement)


def beside_text(measurement):
    ratio, name = beside(measurement)
    return f"{ratio:.2f} {name}"


def by_release(results):
    return {release: {key_of(m): m for m in results[release]["measurements"]} for release in RELEASES}


def job_and_size(measurement):
    usual = measurement["messages"] > 1 or measurement["message_bytes"] == USUAL_BYTES
    return job_text(measurement) + ("" if usual else f", {size_text(measurement['message_bytes'])}")


def rows_of(results, wanted):
    there = by_release(results)
    for m in results["bookworm"]["measurements"]:
        if not wanted(m):
            continue
        ours = ours_of(m)
        cells = [beside_text(there[release][key_of(m)]) if key_of(m) in there[release] else "" for release in RELEASES]
        yield [job_and_size(m), number(ours["megabytes_per_second"]), f"{ours['cycles_per_byte']['median']:.2f}", *cells]


def origin(results):
    one = results["bookworm"]
    texts = []
    for release, name in RELEASES.items():
        result = results[release]
        peers = ", ".join(f"{peer['name']} {peer['version']}" for peer in result["peers"])
        texts.append(f"{name} ({result['date']}): {result['compiler']}; {peers}")
    return (f"{ours_of(one['measurements'][0])['name']}; {one['cpu']}; one core; Phalanx commit {one['commit']}, built in each root, "
            f"{one['flags'].split(',')[0]}; medians; every byte compared before and after. " + ". ".join(texts) + ".")


def is_chosen(measurement, chosen=CHOSEN):
    is_usual = measurement["messages"] == 1 and not measurement.get("one_pass")
    return is_usual and (full_name(measurement), measurement["direction"], measurement["message_bytes"]) in chosen


def is_on_page(measurement):
    return is_chosen(measurement | {"one_pass": False}, CHOSEN + CHOSEN_FOR_PAGE)


def openssl_of(measurement):
    """None where it ran its ECB instead, or was not there."""
    return next((figure for figure in figures(measurement, "peer") if peer_text(figure, measurement) == "openssl"), None)


def against_openssl_4(results):
    """Unstable's root has OpenSSL of experimental."""
    result = results["sid"]
    rows = []
    for m in result["measurements"]:
        theirs = openssl_of(m)
        if theirs is None or m["messages"] > 1 or not m["cipher"].startswith("aes"):
            continue
        ours = ours_of(m)
        rates = [number(figure["megabytes_per_second"]) for figure in (ours, theirs)]
        rows.append([job_text(m), size_text(m["message_bytes"]), *rates, f"{ours['times_as_fast_as']['openssl']:.2f}"])
    version = next(peer["version"] for peer in result["peers"] if peer["name"] == "openssl")
    headings = ["one core", "message", "MB/s", f"OpenSSL {version}", "ratio"]
    return (f"{table(headings, ['---', '---:', '---:', '---:', '---:'], rows)}\n\n{ours_of(result['measurements'][0])['name']}; "
            f"{result['cpu']}; Phalanx commit {result['commit']}, {result['date']}; medians; every byte compared before and after.")


def against_releases(results, wanted):
    headings = ["one core, 64 KiB", "MB/s", "cycles/byte", *(f"times the fastest of {name}" for name in RELEASES.values())]
    return table(headings, ["---", "---:", "---:", "---", "---", "---"], list(rows_of(results, wanted))) + "\n\n" + origin(results)


TABLES = {"chosen": lambda results: against_releases(results, is_on_page),
          "all": lambda results: against_releases(results, lambda measurement: True),
          "openssl_4": against_openssl_4}  # fmt: skip
