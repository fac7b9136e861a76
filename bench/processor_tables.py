"""The tables that a result of phalanx-bench gives docs/notes/speed_beside_libraries.md."""

from table_text import number, size_text, table

USUAL_BYTES = 65536


def full_name(measurement):
    return f"{measurement['cipher']}-{measurement['mode']}"


def job_text(measurement):
    text = full_name(measurement)
    if measurement["mode"] in ("cbc", "cfb") or measurement["direction"] == "decrypt":
        text += f" {measurement['direction']}ion"
    if measurement["messages"] > 1:
        keys = {"one": "one key", "own": "a key each"}.get(measurement["keys"], f"a key each{measurement['keys'].removeprefix('own')}")
        text += f", {measurement['messages']:,} x {size_text(measurement['message_bytes'])}, {keys}"
    return text + (", in one pass" if measurement.get("one_pass") else "")


def figures(measurement, kind, threads=1):
    return [f for f in measurement["figures"] if f["kind"] == kind and f["threads"] == threads]


def peer_text(figure, measurement):
    return f"{figure['name']} in ECB" if figure["ran"] != full_name(measurement) else figure["name"]


def is_single(measurement, num_bytes=None):
    return measurement["messages"] == 1 and not measurement["in_place"] and not measurement.get("one_pass") and num_bytes in (None, measurement["message_bytes"])


def fastest(list_of_figures):
    return max(list_of_figures, key=lambda figure: figure["megabytes_per_second"])


def origin(result):
    peers = ", ".join(f"{peer['name']} {peer['version']}" for peer in result["peers"])
    return (f"{result['cpu']}; {result['compiler']}, {result['flags'].split(',')[0]}; Phalanx commit {result['commit']}, {result['date']}; "
            f"{peers}; medians; every byte compared before and after.")


def against_libraries(result):
    rows = []
    for m in result["measurements"]:
        if not figures(m, "peer") or (is_single(m) and m["message_bytes"] != USUAL_BYTES):
            continue
        peers = {p["name"]: p for p in figures(m, "peer")}
        best = fastest(peers.values())
        for ours in figures(m, "engine"):
            limit = ours["limit_cycles_per_byte"]
            ratio = ours["times_as_fast_as"]
            rows.append([job_text(m), ours["name"], number(ours["megabytes_per_second"]), f"{ours['cycles_per_byte']['median']:.2f}",
                         f"{limit:.2f}" if limit else "", peer_text(best, m), f"{ratio[best['name']]:.2f}",
                         f"{ratio['openssl']:.2f}" if "openssl" in ratio else ""])
    return table(["cipher and mode", "engine", "MB/s", "cycles/byte", "limit", "fastest other", "ratio to it", "to OpenSSL"],
                 ["---", "---", "---:", "---:", "---:", "---", "---:", "---:"], rows) + "\n\n" + origin(result)


def by_size(result):
    rates = {}
    for m in result["measurements"]:
        if is_single(m) and figures(m, "engine"):
            name = job_text(m)
            rates.setdefault(name, {})[m["message_bytes"]] = fastest(figures(m, "engine"))["megabytes_per_second"]
    rates = {name: rate for name, rate in rates.items() if len(rate) >= 5}
    sizes = sorted({size for rate in rates.values() for size in rate})
    rows = [[size_text(size)] + [number(rate[size]) if size in rate else "" for rate in rates.values()] for size in sizes]
    return table(["one call, MB/s", *rates], ["---", *["---:"] * len(rates)], rows)


def batches(result):
    usual = {(full_name(m), m["direction"], f["name"]): f["megabytes_per_second"] for m in result["measurements"]
             if is_single(m, USUAL_BYTES) for f in figures(m, "engine")}
    rows = []
    for m in result["measurements"]:
        if m["messages"] == 1:
            continue
        for ours in figures(m, "engine"):
            whole = usual.get((full_name(m), m["direction"], ours["name"]))
            share = f"{ours['megabytes_per_second'] / whole:.2f}" if whole else ""
            others = ", ".join(f"{p['name']} {number(p['megabytes_per_second'])}" for p in figures(m, "peer"))
            rows.append([job_text(m), ours["name"], number(ours["megabytes_per_second"]),
                         f"{ours['cycles_per_byte']['median']:.2f}", share, others])
    return table(["batch", "engine", "MB/s", "cycles/byte", "of one message of 64 KiB", "others, MB/s"],
                 ["---", "---", "---:", "---:", "---:", "---"], rows)


def large(result):
    rows = []
    for m in result["measurements"]:
        if m["messages"] > 1 or m["message_bytes"] < 64 << 20:
            continue
        memory = figures(m, "memory")
        for ours in figures(m, "engine"):
            rows.append([job_text(m), "in place" if m["in_place"] else "to another buffer", number(ours["megabytes_per_second"]),
                         ", ".join(f"{f['name'].removeprefix('memory, ')} {number(f['megabytes_per_second'])}" for f in memory)])
    return table(["64 MiB, one core", "", "MB/s", "memory alone beside it, MB/s"], ["---", "---", "---:", "---"], rows)


def scaling(result):
    rows, counts = [], set()
    for m in result["measurements"]:
        engines = [f for f in m["figures"] if f["kind"] == "engine"]
        for name in dict.fromkeys(f["name"] for f in engines):
            rates = {f["threads"]: f["megabytes_per_second"] for f in engines if f["name"] == name}
            if len(rates) > 2 and 1 in rates:
                counts |= set(rates)
                rows.append((f"{job_text(m)}, {size_text(m['message_bytes'])}", rates))
    counts = sorted(counts)
    text_of = lambda rates, n: f"{number(rates[n])} ({rates[n] / n / rates[1]:.2f})" if n in rates else ""  # noqa: E731
    return table(["MB/s (efficiency) with threads", *map(str, counts)], ["---", *["---:"] * len(counts)],
                 [[name, *[text_of(rates, n) for n in counts]] for name, rates in rows])


TABLES = {"against_libraries": against_libraries, "by_size": by_size, "batches": batches, "large": large,
          "scaling": scaling}
