#!/usr/bin/env python3
"""A model of the time that phalanx-mpi takes, fitted to a result of measure_ranks.py, and what it foretells for many machines.

  model_ranks.py RESULT.json.xz [--write docs/cluster.md] [--nodes N] [--bytes N] [--link GB/S] [--file-system GB/S]

For a file of S bytes and n ranks of one thread each, file to file:

  time = start + S / kernel(n) + S / (n * file) + S / shared

kernel(n) is measured, in memory, by n ranks at once. Fitted, by least squares of relative errors and none below 0: `start`, what a
command takes before and after its data; `file`, what a rank reads and writes a second where nobody else does; `shared`, what all
ranks together read and write at most. The paper's way of distributing takes besides, with P of S sent by rank 0 (all of S to each
rank, or a part) and what comes back,

  (S * (n - 1) + S * (n - 1) / n) / link    or    2 * S * (n - 1) / n / link

--write puts the tables between the page's marks. The assumptions about many machines are printed with what follows from them.
"""

import argparse
import itertools
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "results"))
import kept_results  # noqa: E402

MARK, END = "<!-- model: written by bench/cluster/model_ranks.py -->", "<!-- end of model -->"
NAMES = {"2des-ctr": "2DES, CTR", "des-ede3-ctr": "3DES, CTR", "aes-256-ctr": "AES-256, CTR", "container": "container (AES-256)"}


def solve(rows, values):
    """Least squares by the normal equations, with Gauss's elimination; nothing where they have no one solution."""
    size = len(rows[0])
    matrix = [[sum(row[i] * row[j] for row in rows) for j in range(size)] + [sum(row[i] * value for row, value in zip(rows, values))] for i in range(size)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda row: abs(matrix[row][column]))
        if abs(matrix[pivot][column]) < 1e-30:
            return None
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        for row in range(size):
            if row != column:
                factor = matrix[row][column] / matrix[column][column]
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[column])]
    return [matrix[i][size] / matrix[i][i] for i in range(size)]


def fit(terms, times):
    """The coefficients, none below 0, of the least relative error: of all choices of terms that may be left out."""
    best = None
    size = len(terms[0])
    for chosen in itertools.chain.from_iterable(itertools.combinations(range(size), count) for count in range(1, size + 1)):
        found = solve([[row[i] / time for i in chosen] for row, time in zip(terms, times)], [1.0] * len(times))
        if found is None or min(found) < 0:
            continue
        whole = [0.0] * size
        for place, value in zip(chosen, found):
            whole[place] = value
        error = sum((sum(a * b for a, b in zip(row, whole)) / time - 1) ** 2 for row, time in zip(terms, times))
        if best is None or error < best[0]:
            best = (error, whole)
    return best[1]


class Figures:
    def __init__(self, result):
        self.rows = [(row["cipher"], row["method"], row["what"], row["ranks"], row["bytes"], statistics.median(row["seconds"])) for row in result["ranks"]]

    def of(self, cipher, method, *whats):
        return [(ranks, num_bytes, seconds) for c, m, what, ranks, num_bytes, seconds in self.rows if (c, m) == (cipher, method) and what in whats]

    def kernel_rates(self, cipher):
        """Bytes a second, by the number of ranks. A container's kernel is that of AES: GHASH beside it costs little."""
        kernel = "aes-256-ctr" if cipher == "container" else cipher
        return {ranks: num_bytes / seconds for ranks, num_bytes, seconds in self.of(kernel, "kernel", "memory")}


def fit_cipher(figures, cipher):
    kernels = figures.kernel_rates(cipher)
    data = [row for row in figures.of(cipher, "phalanx-mpi", "strong", "weak") if row[0] in kernels]
    terms = [(1.0, num_bytes / ranks, num_bytes) for ranks, num_bytes, _ in data]
    crypting = [num_bytes / kernels[ranks] for ranks, num_bytes, _ in data]
    # Where the kernel alone takes longer than the whole did, the fit would divide by nothing.
    rest = [max(seconds - crypt, 0.02 * seconds) for (_, _, seconds), crypt in zip(data, crypting)]
    start, per_rank, shared = fit(terms, rest)
    worst = max(abs((start + num_bytes * (per_rank / ranks + shared) + crypt) / seconds - 1) for (ranks, num_bytes, seconds), crypt in zip(data, crypting))
    return {"start": start, "per_rank": per_rank, "shared": shared, "kernels": kernels, "worst": worst, "num": len(data)}


def fit_link(figures):
    """Bytes a second out of rank 0 and into it, by what distributing takes longer than one rank alone."""
    values = []
    for method, copies in (("a copy to each rank", True), ("a part to each rank", False)):
        for what in ("distributing 16 MiB", "distributing 256 MiB"):
            data = figures.of("2des-ctr", method, what)
            alone = next((seconds for ranks, _, seconds in data if ranks == 1), None)
            kernels = figures.kernel_rates("2des-ctr")
            for ranks, num_bytes, seconds in data:
                if ranks == 1 or alone is None or ranks not in kernels:
                    continue
                sent = num_bytes * (ranks - 1) * (1 + 1 / ranks) if copies else 2 * num_bytes * (ranks - 1) / ranks
                longer = seconds - (alone - num_bytes / kernels[1]) - num_bytes / kernels[ranks]
                if longer > 0:
                    values.append(sent / longer)
    return statistics.median(values) if values else None


def cell(bytes_per_second):
    return f"{bytes_per_second / 1e9:.3g}" if bytes_per_second else "no limit seen"


def duration(seconds):
    for unit, size in (("years", 365.25 * 86400), ("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def measured_table(result, figures, fits, link):
    most = max(row[3] for row in figures.rows)
    yield f"Fitted to {result['cpu']}, {result['processors']} processors, {result['date']}, commit {result['commit']}, 1 to {most} ranks of one"
    yield f"thread, {result['folder']} to {result['folder']}:"
    yield ""
    yield "| | kernel, 1 rank, GB/s | kernel, all ranks | file, a rank | shared | start, ms | largest error |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for cipher, found in fits.items():
        kernels = found["kernels"]
        yield (
            f"| {NAMES[cipher]} | {cell(kernels[1])} | {cell(kernels[max(kernels)])} | {cell(1 / found['per_rank'] if found['per_rank'] else 0)} | "
            f"{cell(1 / found['shared'] if found['shared'] else 0)} | {1e3 * found['start']:.1f} | {100 * found['worst']:.0f} % of {found['num']} |"
        )
    yield ""
    if link:
        yield f"The link of the paper's way, through memory: {cell(link)} GB/s out of rank 0 and into it."
        yield ""


def foretold_table(arguments, figures, fits, link):
    nodes, num_bytes = arguments.nodes, arguments.bytes
    yield f"Foretold for {nodes:,} such machines and {num_bytes / 1e15:g} PB:"
    yield ""
    yield "| | crypting alone | links alone | file system alone | all, one after another | what limits | a part to each rank | a copy to each rank |"
    yield "|---|---:|---:|---:|---:|---|---:|---:|"
    for cipher, found in fits.items():
        kernel = found["kernels"][max(found["kernels"])]
        parts = {
            "crypting": num_bytes / (nodes * kernel),
            "links": 2 * num_bytes / (nodes * arguments.link * 1e9),
            "file system": 2 * num_bytes / (arguments.file_system * 1e9),
        }
        sent = 2 * num_bytes * (nodes - 1) / nodes
        copied = num_bytes * (nodes - 1) * (1 + 1 / nodes)
        through_root = [parts["crypting"] + parts["file system"] + amount / (arguments.link * 1e9) for amount in (sent, copied)]
        limit = max(parts, key=parts.get)
        times = [*parts.values(), sum(parts.values())]
        yield f"| {NAMES[cipher]} | " + " | ".join(map(duration, times)) + f" | {limit} | " + " | ".join(map(duration, through_root)) + " |"
    yield ""
    yield "Assumed, and not measured: all machines are like the one above and equally fast; their ranks compute as they did there, all at once;"
    yield f"each reads and writes through one link of {arguments.link:g} GB/s, both ways on the same one; the file system gives {arguments.file_system:g} GB/s"
    yield "in all, for reading and writing together, whoever asks; no stripe is shared by two ranks; nothing fails. Starting so many ranks,"
    yield "opening one file by all of them and its last fsync are left out. Reading, crypting and writing overlap in each rank, so the truth"
    yield "lies between the largest single time and the sum. The last two columns are the paper's way, where all goes through rank 0's link."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--bytes", type=float, default=1e15)
    parser.add_argument("--link", type=float, default=25)
    parser.add_argument("--file-system", type=float, default=1000)
    arguments = parser.parse_args()
    result = kept_results.read(arguments.result)
    figures = Figures(result)
    fits = {cipher: fit_cipher(figures, cipher) for cipher in NAMES if figures.of(cipher, "phalanx-mpi", "strong")}
    if not fits:
        sys.exit("model_ranks: no figures of phalanx-mpi in that result")
    link = fit_link(figures)
    text = "\n".join([*measured_table(result, figures, fits, link), *foretold_table(arguments, figures, fits, link)])
    print(text)
    if arguments.write:
        page = arguments.write.read_text()
        before, _, rest = page.partition(MARK)
        _, found, after = rest.partition(END)
        if not found:
            sys.exit(f"model_ranks: {arguments.write} has no marks for the tables")
        arguments.write.write_text(f"{before}{MARK}\n{text}\n{END}{after}")


if __name__ == "__main__":
    main()
