"""The judgement of `make costs` over planted mistakes: what is dearer fails, and what nobody knows does not."""

import importlib.machinery
import importlib.util
import json
import pathlib
import sys

import pytest

COSTS = pathlib.Path(__file__).resolve().parents[2] / "bench/costs"
sys.dont_write_bytecode = True
sys.path.insert(0, str(COSTS))

import cost_table  # noqa: E402
import machine_code  # noqa: E402

loader = importlib.machinery.SourceFileLoader("count_costs", str(COSTS / "count_costs"))
count_costs = importlib.util.module_from_spec(importlib.util.spec_from_loader("count_costs", loader))
loader.exec_module(count_costs)

KEPT = {"GNU 12.2": {"aes": {"instructions": 1000}, "des": {"instructions": 2000, "reason": "a wider key"}, "size": {"bytes": 5000}}}


def changed(name, number, compiler="GNU 12.2"):
    rows = json.loads(json.dumps(KEPT["GNU 12.2"]))
    rows[name] = {("bytes" if name == "size" else "instructions"): number}
    return {compiler: rows}


@pytest.mark.parametrize(("name", "number", "status", "last_line"), [
    ("aes", 1000, 0, "3 as kept, 0 dearer, 0 cheaper, 0 unknown"),
    ("aes", 1020, 0, "3 as kept, 0 dearer, 0 cheaper, 0 unknown"),
    ("aes", 1030, 1, "2 as kept, 1 dearer, 0 cheaper, 0 unknown"),
    ("size", 5150, 1, "2 as kept, 1 dearer, 0 cheaper, 0 unknown"),
    ("aes", 970, 0, "2 as kept, 0 dearer, 1 cheaper, 0 unknown"),
    ("new", 5, 0, "3 as kept, 0 dearer, 0 cheaper, 1 unknown"),
])  # fmt: skip
def test_two_in_a_hundred_are_the_bound(capsys, name, number, status, last_line):
    assert count_costs.report(changed(name, number), KEPT, []) == status
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == last_line
    if number == 1030:
        assert lines[0] == "dearer: aes: 1,030 instructions, +3.0 % of the kept 1,000" and "--reason" in lines[1]
    if number == 970:
        assert lines[0].startswith("cheaper: aes") and "--renew" in lines[1]


def test_an_unknown_compiler_is_printed_and_does_not_fail(capsys):
    assert count_costs.report(changed("aes", 9000, "GNU 99.1"), KEPT, []) == 0
    out = capsys.readouterr().out
    assert "unknown: aes: 9,000 instructions\n" in out and out.endswith("0 as kept, 0 dearer, 0 cheaper, 3 unknown\n")


def test_a_row_that_rose_has_a_new_reason(capsys):
    without = changed("aes", 1030)
    assert cost_table.unexplained(without, KEPT) == ["GNU 12.2: aes"]
    assert count_costs.report(without, without, ["GNU 12.2: aes"]) == 1
    assert "no reason: GNU 12.2: aes" in capsys.readouterr().out
    without["GNU 12.2"]["aes"]["reason"] = "one more round"
    assert cost_table.unexplained(without, KEPT) == []
    stale = changed("des", 2100)
    stale["GNU 12.2"]["des"]["reason"] = KEPT["GNU 12.2"]["des"]["reason"]
    assert cost_table.unexplained(stale, KEPT) == ["GNU 12.2: des"], "the reason is that of the rise before"
    assert cost_table.unexplained(changed("aes", 900), KEPT) == cost_table.unexplained(KEPT, {}) == []


def test_the_table_here_rose_with_reasons():
    table = cost_table.read()
    assert cost_table.unexplained(table, cost_table.earlier_table()) == []
    assert all(cost_table.number_of(row) > 0 for rows in table.values() for row in rows.values())


def test_the_table_is_written_as_it_is_read(tmp_path):
    cost_table.write(cost_table.read(), tmp_path / "table.json")
    assert (tmp_path / "table.json").read_text() == cost_table.PATH.read_text()


def test_renewing_takes_what_left_the_bound_and_asks_for_a_reason():
    table = json.loads(json.dumps(KEPT))
    cost_table.renew(table, changed("aes", 1019), "")
    assert table == KEPT, "small rises would add up"
    with pytest.raises(SystemExit, match="aes is dearer"):
        cost_table.renew(table, changed("aes", 1030), "")
    cost_table.renew(table, changed("aes", 1030), "one more round")
    assert table["GNU 12.2"]["aes"] == {"instructions": 1030, "reason": "one more round"}
    cost_table.renew(table, changed("aes", 900), "")
    assert table["GNU 12.2"]["aes"] == {"instructions": 900}


def test_renewing_takes_out_functions_that_are_gone():
    table = {"GNU 12.2": {"aes_avx512, old": {"instructions": 400}, "des_avx512, other": {"instructions": 500}}}
    cost_table.renew(table, {"GNU 12.2": {"aes_avx512, new": {"instructions": 300}}}, "")
    assert sorted(table["GNU 12.2"]) == ["aes_avx512, new", "des_avx512, other"], "another object was not counted"


def test_functions_are_told_by_what_they_do_and_not_by_their_types():
    core = "phalanx::(anonymous namespace)::AesCore<phalanx::(anonymous namespace)::Word512, 14, 8ul>"
    names = {
        f"void phalanx::(anonymous namespace)::parallel_range<{core}, phalanx::(anonymous namespace)::Ctr<{core} > >(void const*, unsigned long)":
            "parallel_range Ctr",
        f"void phalanx::(anonymous namespace)::lanes_by<{core}, (phalanx::Mode)1, (phalanx::Direction)0>(int)": "lanes_by cbc encrypt",
        "phalanx::(anonymous namespace)::LaneRows<int>::scatter_all(int (*)(char), unsigned long) const [clone .constprop.0]": "LaneRows::scatter_all",
    }  # fmt: skip
    assert {name: machine_code.family_of(name) for name in names} == names


def test_the_longest_innermost_loop_is_counted():
    listing = ["0000 <outer>:"] + [f"  {address:x}:\tnop" for address in range(8)]
    listing[5] = "  4:\tjne    2 <outer+0x2>"
    listing[7] = "  6:\tjmp    1 <outer+0x1>"
    addresses, loops = machine_code.functions_of(listing, machine_code.CPU)["outer"]
    assert len(addresses) == 8 and loops == [(2, 4), (1, 6)]
    assert machine_code.longest_innermost(addresses, loops) == 3
    kernel = ["\t\tFunction : k", "        /*0000*/      IADD R1, R1, R2 ;", "        /*0010*/  @P0 BRA 0x0 ;", "        /*0020*/  BRA 0x20;"]
    addresses, loops = machine_code.functions_of(kernel, machine_code.GPU)["k"]
    assert len(addresses) == 3 and machine_code.longest_innermost(addresses, loops) == 2
