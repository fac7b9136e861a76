"""An empty argument is a variable that was not set, and names nothing: every option and argument refuses it, as the help lists them."""

import re
import subprocess

import pytest


def commands(phalanx):
    """All of them, those below others too."""
    found = []
    for name in re.findall(r"^  ([a-z]+) ", phalanx.run("help").stdout.decode(), re.MULTILINE):
        below = re.search(r"^Commands:\n((?:  .*\n?)+)", help_of(phalanx, name), re.MULTILINE)
        more = re.findall(r"^  ([a-z]+) ", below[1], re.MULTILINE) if below else []
        found += [[name, action] for action in more] or [[name]]
    return found


def help_of(phalanx, *command):
    return phalanx.run(*command, "--help-all").stdout.decode()


def options_with_values(text):
    """("--key-file", "-o"): each name of an option that takes a value."""
    for names in re.findall(r"^  (-\S+) [A-Z]", text, re.MULTILINE):
        yield from names.split(",")


def arguments_of(text):
    below = re.search(r"^Arguments:\n((?:  .*\n?)+)", text, re.MULTILINE)
    return re.findall(r"^  ([A-Z]+)\b", below[1], re.MULTILINE) if below else []


def test_each_option_and_argument_refuses_an_empty_one(phalanx):
    tried = 0
    for command in commands(phalanx):
        text = help_of(phalanx, *command)
        for option in options_with_values(text):
            forms = [[option, ""], [option + "="]] if option.startswith("--") else [[option, ""]]
            for form in forms:
                done = phalanx.run(*command, *form, "IN", "OUT", stdin=b"")
                phalanx.assert_refused(done, 2, f"{option} is empty: ")
                tried += 1
        arguments = arguments_of(text)
        for place in range(len(arguments)):
            given = ["x"] * place + [""] + ["x"] * (len(arguments) - place - 1)
            done = phalanx.run(*command, *given, stdin=b"")
            phalanx.assert_refused(done, 2, f"argument {len(command) + place + 1} is empty: ")
            tried += 1
    assert tried > 300
    assert phalanx.names() == []


def test_an_unset_variable_is_no_standard_input(phalanx):
    phalanx.write("key", bytes(range(32)))
    done = phalanx.run("encrypt", "--key-file", "key", "", "sealed", stdin=b"")
    phalanx.assert_refused(done, 2, "argument 4 is empty")
    assert phalanx.names() == ["key"]


@pytest.mark.parametrize("words", [["encrypt", "-ksecretword", ""], ["encrypt", "--secretword", ""], ["secretword", ""], ["encrypt", "--secretword="]])
def test_what_stands_before_it_is_not_repeated(phalanx, words):
    done = phalanx.run(*words)
    phalanx.assert_refused(done, 2)
    assert b"secretword" not in done.stderr


def test_a_value_may_end_with_an_equals_sign(phalanx):
    phalanx.write("key", bytes(range(32)))
    phalanx.write("in", b"text")
    assert phalanx.run("encrypt", "--key-file", "key", "--context-text=a=", "in", "out").returncode == 0
