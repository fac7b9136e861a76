#!/usr/bin/env python3
"""bench/cluster/model_ranks.py finds the figures that a made-up result was made of, and says what follows from them."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "cluster"))
import model_ranks  # noqa: E402

START, PER_RANK, SHARED, KERNEL, LINK = 0.005, 2e9, 6e9, 1e9, 3e9
MIB = 1 << 20


def figure(ranks, method, what, num_bytes, seconds):
    return {"ranks": ranks, "cipher": "2des-ctr", "method": method, "what": what, "bytes": num_bytes, "seconds": [seconds]}


def made_up():
    figures = []
    for ranks in (1, 2, 4, 8, 16):
        kernel = KERNEL * ranks * 0.98 ** (ranks - 1)
        figures.append(figure(ranks, "kernel", "memory", ranks * 64 * MIB, ranks * 64 * MIB / kernel))
        for what, num_bytes in (("strong", 512 * MIB), ("weak", ranks * 64 * MIB)):
            seconds = START + num_bytes / kernel + num_bytes / (ranks * PER_RANK) + num_bytes / SHARED
            figures.append(figure(ranks, "phalanx-mpi", what, num_bytes, seconds))
        for size in (16, 256):
            seconds = size * MIB / kernel + 0.7e-9 * size * MIB + 2 * size * MIB * (ranks - 1) / ranks / LINK
            figures.append(figure(ranks, "a part to each rank", f"distributing {size} MiB", size * MIB, seconds))
    return {"cpu": "none", "processors": 16, "date": "2026-01-01", "commit": "none", "folder": "tmpfs", "ranks": figures}


def near(found, expected):
    assert abs(found / expected - 1) < 0.01, (found, expected)


def main():
    result = made_up()
    figures = model_ranks.Figures(result)
    found = model_ranks.fit_cipher(figures, "2des-ctr")
    near(found["start"], START)
    near(1 / found["per_rank"], PER_RANK)
    near(1 / found["shared"], SHARED)
    assert found["worst"] < 0.01, found["worst"]
    near(model_ranks.fit_link(figures), LINK)
    with tempfile.TemporaryDirectory() as folder:
        kept, page = pathlib.Path(folder, "result.json"), pathlib.Path(folder, "page.md")
        kept.write_text(json.dumps(result))
        page.write_text(f"before\n\n{model_ranks.MARK}\nold\n{model_ranks.END}\n\nafter\n")
        script = ROOT / "bench" / "cluster" / "model_ranks.py"
        subprocess.run([sys.executable, script, kept, "--write", page, "--nodes", "10", "--bytes", "1e12"], check=True, stdout=subprocess.DEVNULL)
        text = page.read_text()
        assert text.startswith("before\n") and text.endswith("\nafter\n") and "\nold\n" not in text
        kernel = KERNEL * 16 * 0.98**15
        assert f"| {model_ranks.duration(1e12 / (10 * kernel))} |" in text, text


if __name__ == "__main__":
    main()
