"""What every paper's `run` does: build its programs, run them, keep what they print.

    run [--programs FOLDER] [--out FOLDER] [--commit NAME]

Builds into build/papers/ of the repository, unless --programs names a folder with the programs already built (on a machine
without our build tools). Writes <out>/<CPU or GPU model>/<date>.csv, by default under results/ beside `run`. Exits 1 if a program
failed, that is if an output was not reference/'s.
"""

import argparse
import csv
import os
import pathlib
import subprocess
import sys

import paper_results

CANNOT_RUN = 77  # as in paper_program.hpp


def has_gpu():
    return any(pathlib.Path("/dev").glob("nvidia[0-9]*"))


def build(paper):
    """Builds the paper's programs and returns their folder."""
    folder = paper_results.ROOT / "build" / "papers"
    environment = dict(os.environ)
    if has_gpu():
        environment.setdefault("CUDAARCHS", "native")
    # Without a GPU nothing of CUDA could run, and nvcc takes minutes.
    configure = ["cmake", "-S", paper_results.ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPHALANX_TESTS=OFF",
                 "-DPHALANX_BENCH=OFF", "-DPHALANX_REPRODUCTIONS=ON", f"-DPHALANX_CUDA={'AUTO' if has_gpu() else 'OFF'}"]  # fmt: skip
    for command in (configure, ["cmake", "--build", folder, "--target", f"papers_{paper}"]):
        done = subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}\nrun: the build failed")
    return folder / "papers"


class Run:
    """One run of one paper; `file` is the `run` that makes it, `own_options` its flags beside the common ones."""

    def __init__(self, file, description, *own_options):
        here = pathlib.Path(file).resolve().parent
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--programs", type=pathlib.Path, help="a folder with the programs, already built")
        parser.add_argument("--out", type=pathlib.Path, default=here / "results", help="where to keep the figures")
        parser.add_argument("--commit", help="what the programs were built from, if not this checkout")
        for option in own_options:
            parser.add_argument(option, action="store_true")
        self.arguments = parser.parse_args()
        self.paper = here.name
        self.programs = self.arguments.programs or build(self.paper)
        self.figures, self.skipped, self.failed = [], [], []
        self.unfinished = self.arguments.out / "unfinished.csv"
        self.facts = {"cpu": paper_results.cpu_name(), "cores": len(os.sched_getaffinity(0)), "date": paper_results.today(),
                      "commit": self.arguments.commit or paper_results.commit_here()}  # fmt: skip

    def skip(self, what, why):
        self.skipped.append((what, why))

    def program(self, name, *arguments, launcher=()):
        """Runs a program, after `launcher` (mpirun and its options), and takes what it prints. False if it could not run."""
        path = (self.programs / name).resolve()
        if not path.exists():
            self.skip(name, "not built: needs nvcc and a GPU, or a library that CMake did not find")
            return False
        command = [*map(str, launcher), str(path), *map(str, arguments)]
        print("running", name, *arguments, file=sys.stderr, flush=True)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        facts = {}
        for kind, *values in csv.reader(process.stdout):
            self._take(name, facts, kind, values)
        if process.wait() not in (0, CANNOT_RUN):
            self.failed.append(f"{name} exited {process.returncode}")
        paper_results.write_rows(self.unfinished, self._rows())  # should a later program never end
        return process.returncode == 0

    def add(self, program, table, row, column, method, quantity, unit, value, threads=1, **facts):
        """Adds a figure that another program printed; `facts`: its compiler and flags."""
        names = ("table", "row", "column", "method", "quantity", "unit", "value", "threads", "program")
        figure = dict(zip(names, (table, row, column, method, quantity, unit, value, threads, program)))
        self.figures.append({**figure, "compiler": facts.get("compiler", ""), "flags": facts.get("flags", "")})

    def finish(self):
        """Writes the figures, says what was skipped and what failed, and exits."""
        if self.figures:
            print(f"kept in {paper_results.write_results(self.arguments.out, self._rows())}")
        self.unfinished.unlink(missing_ok=True)
        for what, why in self.skipped:
            print(f"skipped: {what}: {why}")
        for failure in self.failed:
            print(f"FAILED: {failure}")
        sys.exit(1 if self.failed else 0)

    def _rows(self):
        """The figures with what holds for all of them. The machine is the GPU if one took part."""
        facts = {name: value for name, value in self.facts.items() if name != "gpu"}
        return [{**row, **facts, "paper": self.paper, "machine": self.facts.get("gpu", self.facts["cpu"])} for row in self.figures]

    def _take(self, program, facts, kind, values):
        if kind == "fact":
            (self.facts if values[0] == "gpu" else facts)[values[0]] = values[1]
        elif kind == "skipped":
            self.skip(*values)
        elif kind == "result":
            self.add(program, *values, **facts)
        else:
            sys.exit(f"run: {program} printed a line that is none of its own: {kind},{','.join(values)}")
