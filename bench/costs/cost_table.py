"""The table of kept costs, and the judgement beside it: table.json has, by compiler and by the name of what was counted, a number of
instructions or bytes, and the reason of the last time that it rose.
"""

import json
import pathlib
import subprocess

PATH = pathlib.Path(__file__).resolve().parent / "table.json"
TOLERANCE_PERCENT = 2


def read(path=PATH):
    return json.loads(path.read_text())


def write(table, path=PATH):
    compilers = []
    for compiler, rows in sorted(table.items()):
        lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(rows.items())]
        compilers.append(f" {json.dumps(compiler)}: {{\n" + ",\n".join(lines) + "\n }")
    path.write_text("{\n" + ",\n".join(compilers) + "\n}\n")


def number_of(row):
    return row["bytes"] if "bytes" in row else row["instructions"]


def unit_of(row):
    return "bytes" if "bytes" in row else "instructions"


def verdict_of(row, kept):
    """As kept, dearer, cheaper, or unknown; `kept` is None where the table has no such row."""
    if kept is None:
        return "unknown"
    rise = number_of(row) - number_of(kept)
    if 100 * abs(rise) <= TOLERANCE_PERCENT * number_of(kept):
        return "as kept"
    return "dearer" if rise > 0 else "cheaper"


def judge(counted, table):
    """(verdict, compiler, name, row, kept row or None) of each row that was counted."""
    return [(verdict_of(row, kept := table.get(compiler, {}).get(name)), compiler, name, row, kept)
            for compiler, rows in counted.items() for name, row in rows.items()]  # fmt: skip


def unexplained(table, earlier):
    """The rows that rose since an earlier table and have no reason, or still that of before."""
    names = []
    for compiler, rows in table.items():
        for name, row in rows.items():
            before = earlier.get(compiler, {}).get(name)
            if verdict_of(row, before) == "dearer" and row.get("reason", "") in ("", before.get("reason")):
                names.append(f"{compiler}: {name}")
    return names


def group_of(name):
    """What is counted as a whole or not at all: an object of kernels with its architecture."""
    return name.split(",")[0]


def renew(table, counted, reason):
    """Puts in what is new or left the tolerance, and takes out functions that are gone. The others stay: small rises would add up unseen."""
    for compiler, rows in counted.items():
        groups = {group_of(name) for name in rows}
        table[compiler] = {name: row for name, row in table.get(compiler, {}).items()
                           if name in rows or group_of(name) not in groups}  # fmt: skip
    for verdict, compiler, name, row, _ in judge(counted, table):
        if verdict == "as kept":
            continue
        if verdict == "dearer" and not reason:
            raise SystemExit(f"count_costs: {name} is dearer: say why, by --reason")
        table[compiler][name] = {**row, "reason": reason} if verdict == "dearer" else row


def git(*arguments):
    return subprocess.run(["git", "-C", PATH.parent, *arguments], capture_output=True, text=True).stdout.strip()


def earlier_table():
    """The committed table, or the one before it where that is what lies here. Empty without git, or where there was none."""
    name = f"./{PATH.name}"
    committed = git("show", f"HEAD:{name}")
    if committed == PATH.read_text().strip():
        last = git("log", "-n", "1", "--format=%H", "--", name)
        committed = git("show", f"{last}^:{name}") if last else ""
    return json.loads(committed) if committed else {}
