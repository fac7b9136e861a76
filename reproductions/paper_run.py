"""What every paper's `run` does: build its programs, run them, keep what they print.

    run [--keep | --out FOLDER] [--programs FOLDER] [--commit NAME]       and a paper's own options

Builds into build/papers/ of the repository, unless --programs names a folder with the programs already built (on a machine
without our build tools). Writes <out>/<CPU or GPU model>/<cores>_cores_<date>_<time>.json.xz, by default under
build/papers/results/<paper>/, and names the file. Nothing else of the repository changes, unless --keep puts the file under
results/papers/<paper>/, where the pages find it. Exits 1 if a program failed, that is if an output was not reference/'s. An interrupt
(also SIGTERM and SIGHUP) stops the build or the program that runs, with all that it has started.
"""

import argparse
import contextlib
import csv
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import time

import paper_results

CANNOT_RUN = 77  # as in paper_program.hpp
STOPPING_SECONDS = 20  # after which what was interrupted is killed


def interrupt(number, frame):
    raise KeyboardInterrupt


def say_in_one_line(kind, error, trace):
    """Python's own end of a program, but for an interrupt."""
    if issubclass(kind, KeyboardInterrupt):
        name = pathlib.Path(sys.argv[0]).name
        print(f"{name}: interrupted; what it had started is stopped. A build goes on with the next run", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


def end_by_interrupts():
    """An interrupt, SIGTERM or SIGHUP ends this program in one line. Python then ends by SIGINT, as shells expect it."""
    sys.excepthook = say_in_one_line
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, interrupt)


@contextlib.contextmanager
def started(command, **options):
    """A process in a group of its own. If this program is interrupted, the group is, and has ended before the interrupt goes on."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, text=True, start_new_session=True, **options)
    try:
        yield process
    except BaseException:
        stop_group(process)
        raise
    finally:
        process.stdout.close()


def stop_group(process):
    """What does not end by SIGINT is killed. Compilers are of groups of their own, which ninja interrupts."""
    for number in (signal.SIGINT, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired, ValueError):
            process.communicate(timeout=STOPPING_SECONDS)  # to the end of its output, which the last of the group closes
            return


def has_gpu():
    return any(pathlib.Path("/dev").glob("nvidia[0-9]*"))


def driver_name():
    """The NVIDIA driver, where there is one."""
    if not shutil.which("nvidia-smi"):
        return ""
    asked = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    return f"NVIDIA {asked.stdout.split()[0]}" if asked.returncode == 0 and asked.stdout.split() else ""


def system_name():
    """The kernel; whether cores are threads of real ones, and whether the machine is virtual, as far as it tells."""
    smt = pathlib.Path("/sys/devices/system/cpu/smt/active")
    threads = {"0": "no SMT", "1": "SMT"}.get(smt.read_text().strip() if smt.exists() else "", "SMT not told")
    virtual = "virtual" if re.search(r"^flags.*\bhypervisor\b", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE) else "not virtual"
    return f"{platform.system()} {platform.release()}, {threads}, {virtual}"


NOT_OUTPUT = {"processor", "model"}  # methods, and units, of figures that are no time of an output
NOT_PROGRAMS = {"run", "ncu", "port_model.py", "rank_namespaces.py"}  # which observe or reckon
NOT_OUTPUT_UNITS = {"", "%", "bytes", "a block", "yes or no", "threads", "MiB", "MB"}


def compared(figure, is_compared):
    """For the column of that name: the programs compare each output that they time, but for what a paper's `run` says."""
    if figure["method"] in NOT_OUTPUT or figure["program"] in NOT_PROGRAMS or figure["unit"] in NOT_OUTPUT_UNITS or figure["row"] == "bus" or figure["table"].startswith("ranks"):
        return ""
    return "whole" if is_compared(figure) else "no"


def build(paper):
    """Builds the paper's programs and returns their folder."""
    folder = paper_results.ROOT / "build" / "papers"
    environment = dict(os.environ)
    if has_gpu():
        environment.setdefault("CUDAARCHS", "native")
    # Without a GPU nothing of CUDA could run, and nvcc takes minutes.
    configure = ["cmake", "-S", paper_results.ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPHALANX_TESTS=OFF",
                 "-DPHALANX_BENCH=OFF", "-DPHALANX_REPRODUCTIONS=ON", f"-DPHALANX_CUDA={'AUTO' if has_gpu() else 'OFF'}"]  # fmt: skip
    print(f"building the library and this paper's programs in {folder}: minutes, as `make build` takes, where nothing is built yet",
          file=sys.stderr, flush=True)  # fmt: skip
    for command in (configure, ["cmake", "--build", folder, "--target", f"papers_{paper}"]):
        with started(command, env=environment, stderr=subprocess.STDOUT) as process:
            said = process.communicate()[0]
        if process.returncode:
            sys.exit(f"{said}\nrun: the build failed")
    return folder / "papers"


class Run:
    """One run of one paper; `file` is the `run` that makes it, `own_options` its flags beside the common ones;
    is_compared(figure) is false for what is timed and not compared with reference/."""

    def __init__(self, file, description, *own_options, is_compared=lambda figure: True):
        here = pathlib.Path(file).resolve().parent
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--programs", type=pathlib.Path, help="a folder with the programs, already built")
        where = parser.add_mutually_exclusive_group()
        made, kept = paper_results.MADE / here.name, paper_results.KEPT / here.name
        where.add_argument("--out", type=pathlib.Path, default=made, help="where the figures go (build/papers/results/)")
        where.add_argument("--keep", dest="out", action="store_const", const=kept, help="keep the figures under results/papers/")
        parser.add_argument("--commit", help="what the programs were built from, if not this checkout")
        for option in own_options:
            parser.add_argument(option, action="store_true")
        self.arguments = parser.parse_args()
        end_by_interrupts()
        self.paper = here.name
        self.programs = self.arguments.programs or build(self.paper)
        self.begin = time.monotonic()
        self.is_compared = is_compared
        self.figures, self.skipped, self.failed = [], [], []
        self.unfinished = self.arguments.out / f"unfinished{paper_results.kept_results.ENDING}"
        self.facts = {"driver": driver_name() if has_gpu() else "", "system": system_name(), "cpu": paper_results.cpu_name(), "cores": len(os.sched_getaffinity(0)), "date": paper_results.today(),
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
        facts = {}
        with started(command) as process:
            for kind, *values in csv.reader(process.stdout):
                self._take(name, facts, kind, values)
            process.wait()
        if process.returncode not in (0, CANNOT_RUN):
            self.failed.append(f"{name} exited {process.returncode}")
        if self.figures:
            paper_results.write_rows(self.unfinished, self._rows())  # should a later program never end
        return process.returncode == 0

    def add(self, program, table, row, column, method, quantity, unit, value, threads=1, **facts):
        """Adds a figure that another program printed; `facts`: its compiler, flags, library, MPI."""
        names = ("table", "row", "column", "method", "quantity", "unit", "value", "threads", "program")
        figure = dict(zip(names, (table, row, column, method, quantity, unit, value, threads, program)))
        figure.update((name, facts.get(name, "")) for name in ("compiler", "flags", "mpi"))
        figure["library"] = facts.get("library", "") if method == "library" else ""
        figure["compared"] = compared(figure, self.is_compared)
        self.figures.append(figure)

    def finish(self):
        """Writes the figures, says what was skipped and what failed, and exits."""
        if self.figures:
            self.add("run", "run", "the whole run", "clock", "method", paper_results.DURATION, "s", time.monotonic() - self.begin)
            print(f"written to {paper_results.write_results(self.arguments.out, self._rows())}")
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
