#!/usr/bin/env python3
"""A plugin of age for tests: wraps a file key as itself, XORed with 0x55, for whoever its recipient or identity names.

What it does besides is what the file PLUGIN_BEHAVIOUR says: "ask", "lie", "hang", "die", "grease" ... It appends a line to the file
PLUGIN_STARTS for each start, with its process's number and what it has of its starter.
"""

import base64
import os
import sys
import time


def text(data):
    return base64.b64encode(data).decode().rstrip("=")


def send(*arguments, body=b""):
    encoded = text(body)
    lines = [encoded[i : i + 64] for i in range(0, len(encoded), 64)]
    if not lines or len(lines[-1]) == 64:
        lines.append("")
    sys.stdout.write("-> " + " ".join(arguments) + "\n" + "\n".join(lines) + "\n")
    sys.stdout.flush()


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(1)
    body = ""
    while True:
        part = sys.stdin.readline().rstrip("\n")
        body += part
        if len(part) < 64:
            return line.rstrip("\n")[3:].split(" "), base64.b64decode(body + "=" * (-len(body) % 4))


def ask(*arguments, body=b""):
    send(*arguments, body=body)
    return receive()


def phase_1():
    commands = []
    while True:
        arguments, body = receive()
        if arguments == ["done"]:
            return commands
        commands.append((arguments, body))


def mask(key):
    return bytes(byte ^ 0x55 for byte in key)


def behave(behaviour):
    if behaviour == "hang":
        time.sleep(1000)
    if behaviour == "die":
        print("it burns \x1b[31mred", file=sys.stderr)
        sys.exit(3)
    if behaviour == "garbage":
        print("no stanza")
        sys.stdout.flush()
    if behaviour == "long":
        sys.stdout.write("-> a\n" + ("A" * 64 + "\n") * 40000)
        sys.stdout.flush()
    if behaviour == "talk":
        assert ask("msg", body=b"touch \x1b[31mme\n")[0] == ["ok"]
        assert ask("grease-x7", "a", body=b"b")[0] == ["unsupported"]
        assert ask("request-secret", body=b"PIN")[0] == ["fail"], "there is no terminal"
        assert ask("confirm", text(b"yes"), text(b"no"), body=b"really?")[0] == ["fail"]
    if behaviour == "ask":
        time.sleep(0.6)  # by then a bar tells of the run
        assert ask("request-secret", body=b"PIN") == (["ok"], b"1234")
        assert ask("request-public", body=b"name") == (["ok"], b"somebody")
        assert ask("confirm", text(b"go on"), text(b"stop \x1b[31mit"), body=b"really?")[0] == ["ok", "yes"]
        assert ask("confirm", text(b"go on"), text(b"stop"), body=b"and again?")[0] == ["ok", "no"]
        assert ask("confirm", text(b"understood"), body=b"as you wish")[0] == ["ok", "yes"]
    if behaviour == "wait":
        while not os.path.exists(os.environ["PLUGIN_BEHAVIOUR"] + ".over"):
            time.sleep(0.05)
    if behaviour == "error":
        assert ask("error", "internal", body=b"no card\x07")[0] == ["ok"]


def leave_pipes_to_a_child():
    """As a plugin that has started an agent. The child lives until the test has seen what it is for."""
    if os.fork() != 0:
        print("it left a child", file=sys.stderr)
        sys.exit(3)
    while not os.path.exists(os.environ["PLUGIN_BEHAVIOUR"] + ".over"):
        time.sleep(0.05)
    os._exit(0)


def wrap(behaviour, commands):
    keys = [body for arguments, body in commands if arguments == ["wrap-file-key"]]
    assert (["extension-labels"], b"") in commands
    if behaviour == "labels":
        assert ask("labels", "postquantum")[0] == ["ok"]
    for number, key in enumerate(keys):
        if behaviour == "lie":
            number += 1000
        if behaviour != "error":
            kind = "poison" if behaviour == "poison" else "test"
            assert ask("recipient-stanza", str(number), kind, "arg", body=mask(key))[0] == ["ok"]
        while behaviour == "flood":
            send("recipient-stanza", str(number), "test", body=bytes(4800))
        while behaviour == "chatter":
            send("msg", body=b"still here")
        if behaviour == "low order":  # the share 0, as an X25519 stanza has it
            assert ask("recipient-stanza", str(number), "X25519", text(bytes(32)), body=bytes(32))[0] == ["ok"]


def unwrap(behaviour, commands):
    identities = [arguments for arguments, _ in commands if arguments[0] == "add-identity"]
    assert identities and all(arguments[1].startswith("AGE-PLUGIN-TEST") for arguments in identities)
    if any(arguments[0] == "recipient-stanza" and arguments[2] == "poison" for arguments, _ in commands):
        print("poisoned", file=sys.stderr)
        sys.exit(3)
    for arguments, body in commands:
        if behaviour == "one" and arguments[0] == "recipient-stanza" and arguments[1] == "0":
            assert ask("error", "stanza", "0", "0", body=b"of another card")[0] == ["ok"]
            continue
        if arguments[0] == "recipient-stanza" and arguments[2] == "test" and behaviour != "error":
            key = bytes(16) if behaviour == "lie" else mask(body)
            assert ask("file-key", arguments[1], body=key)[0] == ["ok"]


def is_open(number):
    try:
        os.fstat(number)
        return True
    except OSError:
        return False


def main():
    behaviour = open(os.environ["PLUGIN_BEHAVIOUR"]).read().strip()
    descriptors = [number for number in range(4096) if is_open(number)]
    with open(os.environ["PLUGIN_STARTS"], "a") as starts:
        starts.write(f"{os.getpid()} {sys.argv[1]} {descriptors} {sorted(os.environ)}\n")
    if behaviour == "early":
        sys.exit(2)
    if behaviour == "heir":
        leave_pipes_to_a_child()
    commands = phase_1()
    behave(behaviour)
    (wrap if sys.argv[1] == "--age-plugin=recipient-v1" else unwrap)(behaviour, commands)
    send("done")


main()
