"""Section III of the paper again: the least cycles of its kernels on a processor, from the ports of its core alone.

A kernel is a list of operations in dependency order; each takes a unit of its kind for a cycle. Sixteen or more kernels follow one
another, each waiting for the last, and a greedy schedule, oldest operation first, gives the cycles of one in the long run. Front end,
register moves and stores cost nothing: it is a peak.

Where the facts come from: Broadwell: Agner Fog's instruction tables, the paper's own source (shifts on ports 0 and 6; the paper
says 0 and 5). Which models are Zen 3 and which Zen 4: Linux, arch/x86/kernel/cpu/amd.c. Zen 3: AMD, Software Optimization Guide for Family 19h (56665), section 2.10, and LLVM's machine model
(X86ScheduleZnver3.td): four ALUs, of which two shift, three loads a cycle. Zen 4: the same by AMD's guide for its models (57647) and
LLVM's X86ScheduleZnver4.td. Golden Cove: LLVM's X86SchedSapphireRapids.td, made from
Intel's published tables: ports 0, 1, 5, 6, 10; shifts on 0 and 6; loads on 2, 3, 11. `run` measures the same numbers.
"""

import dataclasses
import re

NUM_KERNELS = 64  # in a row; the last half of them is in the long run
LOGIC, SHIFT, LOAD = "logic", "shift", "load"


@dataclasses.dataclass(frozen=True)
class Core:
    """How many units do what a cycle; a shift takes one of the logic units."""

    name: str
    logic: int
    shift: int
    load: int
    load_latency: int  # with an index, as look-ups have it: one cycle more than the shortest
    width: int  # operations that enter a cycle
    l1_kibibytes: int


CORES = {
    "Broadwell": Core("Broadwell", 4, 2, 2, 5, 4, 32),
    "Zen 3": Core("Zen 3", 4, 2, 3, 5, 6, 32),
    "Zen 4": Core("Zen 4", 4, 2, 3, 5, 6, 32),
    "Golden Cove": Core("Golden Cove", 5, 2, 3, 5, 6, 48),
}


def core_of(cpu):
    """The core of a processor by its family and model, as `run` writes them; None if it is none of these."""
    family, model = map(int, re.search(r"family (\d+) model (\d+)", cpu).groups())
    if family == 25 and (model < 0x10 or 0x20 <= model <= 0x5F):
        return CORES["Zen 3"]
    if family == 25 and (0x10 <= model <= 0x1F or 0x60 <= model <= 0xAF):
        return CORES["Zen 4"]
    if family == 6 and model in (143, 151, 154, 207, 183, 186):
        return CORES["Golden Cove"]
    if family == 6 and model in (61, 71, 79, 86):
        return CORES["Broadwell"]
    return None


class Kernel:
    """Operations as (kind, the numbers of those that it waits for); "a" and "b" are the kernel's inputs, the last kernel's outputs."""

    def __init__(self):
        self.operations = []
        self.names = []

    def add(self, name, kind, *inputs):
        self.operations.append((kind, inputs))
        self.names.append(name)
        return len(self.operations) - 1


def perm_op():
    """Figure 5. The next one takes them exchanged."""
    kernel = Kernel()
    shifted = kernel.add("a >> n", SHIFT, "a")
    mixed = kernel.add("^ b", LOGIC, shifted, "b")
    t = kernel.add("& m", LOGIC, mixed)
    new_b = kernel.add("b ^= t", LOGIC, "b", t)
    back = kernel.add("t << n", SHIFT, t)
    new_a = kernel.add("a ^=", LOGIC, "a", back)
    kernel.outputs = {"a": new_b, "b": new_a}
    return kernel


def merged_perm_op():
    """Figure 19: each output the XOR of two masked inputs."""
    kernel = Kernel()
    new_b = kernel.add("^", LOGIC, kernel.add("& m", LOGIC, kernel.add("a >> n", SHIFT, "a")), kernel.add("b & ~m", LOGIC, "b"))
    new_a = kernel.add("^", LOGIC, kernel.add("a & m", LOGIC, "a"), kernel.add("& ~m", LOGIC, kernel.add("b << n", SHIFT, "b")))
    kernel.outputs = {"a": new_b, "b": new_a}
    return kernel


def d_encrypt(key_load, tables, split=False):
    """Figure 6: LL is "a", R is "b". tables: "none" (each index stands for what it would find), "separate" or "merged". split: the XORs
    in two streams, figure 12."""
    kernel = Kernel()
    words = []
    for name in "ut":
        key = [kernel.add("key", LOAD)] if key_load else []
        words.append(kernel.add(f"R ^ key {name}", LOGIC, "b", *key))
    words[1] = kernel.add("ROTATE", SHIFT, words[1])
    totals = []
    for word in words:  # each look-up is XORed as soon as it is there, as compilers order it
        total = "a" if not totals and not split else None
        total = totals.pop() if totals and not split else total
        for _ in range(2 if tables == "merged" else 4):
            index = kernel.add("& 0x3f", LOGIC, kernel.add(">>", SHIFT, word))
            if tables == "merged":
                second = kernel.add("& 0xfc0", LOGIC, kernel.add(">>", SHIFT, word))
                index = kernel.add("|", LOGIC, index, second)
            value = index if tables == "none" else kernel.add("SPtrans", LOAD, index)
            total = value if total is None else kernel.add("LL ^=", LOGIC, total, value)
        totals.append(total)
    if split:
        totals = [kernel.add("LL ^=", LOGIC, "a", kernel.add("LL ^=", LOGIC, *totals))]
    kernel.outputs = {"a": "b", "b": totals[0]}  # the next round takes them exchanged
    return kernel


def schedule(kernel, core):
    """Starts of all operations of NUM_KERNELS kernels in a row, by kernel: a list of lists of cycles."""
    capacity = {LOGIC: core.logic, SHIFT: core.shift, LOAD: core.load}
    used = {}  # (cycle, kind)
    ready = {"a": 0, "b": 0}
    starts, entered = [], 0
    for _ in range(NUM_KERNELS):
        ends, begun = [], []
        for kind, inputs in kernel.operations:
            cycle = max([ready[i] if isinstance(i, str) else ends[i] for i in inputs] + [entered // core.width])
            while not fits(used, cycle, kind, capacity):
                cycle += 1
            used[cycle, kind] = used.get((cycle, kind), 0) + 1
            begun.append(cycle)
            ends.append(cycle + (core.load_latency if kind == LOAD else 1))
            entered += 1
        ready = {name: ready[end] if isinstance(end, str) else ends[end] for name, end in kernel.outputs.items()}
        starts.append(begun)
    return starts


def fits(used, cycle, kind, capacity):
    """Whether another operation of that kind can start: a shift takes one of the logic units too."""
    if used.get((cycle, kind), 0) >= capacity[kind]:
        return False
    return kind == LOAD or used.get((cycle, LOGIC), 0) + used.get((cycle, SHIFT), 0) < capacity[LOGIC]


def cycles(kernel, core):
    """Of one kernel in the long run."""
    starts = schedule(kernel, core)
    half = NUM_KERNELS // 2
    return (max(starts[-1]) - max(starts[half - 1])) / half


def port_bound(kernel, core):
    """Regardless of dependencies: the fullest kind of unit."""
    count = {kind: sum(1 for k, _ in kernel.operations if k == kind) for kind in (LOGIC, SHIFT, LOAD)}
    return max((count[LOGIC] + count[SHIFT]) / core.logic, count[SHIFT] / core.shift, count[LOAD] / core.load)


def kernels():
    return {
        "PERM_OP": perm_op(),
        "PERM_OP, merged": merged_perm_op(),
        "D_ENCRYPT, no loads": d_encrypt(False, "none"),
        "D_ENCRYPT, key loads": d_encrypt(True, "none"),
        "D_ENCRYPT, SPtrans": d_encrypt(False, "separate"),
        "D_ENCRYPT": d_encrypt(True, "separate"),
        "D_ENCRYPT, split": d_encrypt(True, "separate", split=True),
        "D_ENCRYPT, merged": d_encrypt(True, "merged"),
    }


def peaks(core):
    """By kernel: the cycles by ports alone, by dependencies alone, and by both."""
    unlimited = dataclasses.replace(core, logic=99, shift=99, load=99, width=99)
    return {name: (port_bound(kernel, core), cycles(kernel, unlimited), cycles(kernel, core)) for name, kernel in kernels().items()}


def figures(core):
    """What `run` keeps: (table, row, column, method, quantity, unit, value)."""
    made = kernels()
    permutation = 5 * cycles(made["PERM_OP"], core)
    des = 16 * cycles(made["D_ENCRYPT, no loads"], core)
    for column, value in (("IF", permutation), ("DES-1", des), ("DES-2", des), ("DES-3", des), ("FP", permutation),
                          ("Total", 2 * permutation + 3 * des)):  # fmt: skip
        yield "3", "Theoretical peak", column, "baseline", "time", "cycles", f"{value:.4g}"


def schedule_lines(kernel, core):
    """Figure 6 for this core: what one kernel of the long run starts in each cycle, a line a cycle."""
    begun = schedule(kernel, core)[NUM_KERNELS // 2]
    for cycle in range(min(begun), max(begun) + 1):
        names = [name for name, start in zip(kernel.names, begun) if start == cycle]
        yield f"cycle {cycle - min(begun):2}: " + ", ".join(f"{names.count(name)} x {name}" for name in dict.fromkeys(names))


def main():
    for core in CORES.values():
        print(core)
        for kernel, cycles_by in peaks(core).items():
            print("  ", kernel, *cycles_by)
        for line in schedule_lines(kernels()["D_ENCRYPT, no loads"], core):
            print("  ", line)


if __name__ == "__main__":
    main()
