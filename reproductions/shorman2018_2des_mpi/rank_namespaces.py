#!/usr/bin/python3
"""A cluster's stand-in: network namespaces of this machine, one a rank, joined by a bridge; MPI goes over TCP between them.

As `mpirun`'s remote shell, this file starts a command in a namespace:

    rank_namespaces.py ADDRESS COMMAND...

Needs root, `ip` (iproute2) and `unshare` (util-linux). Nothing outside the namespaces is changed, and no other machine takes part.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

PREFIX = "shorman2018_"
NETWORK = "10.77.18"


def missing():
    """Why there can be no namespaces here, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    absent = [program for program in ("ip", "unshare") if not shutil.which(program)]
    return f"no program {absent[0]}" if absent else None


def ip(*arguments, space=None):
    command = ["ip", *(["-n", PREFIX + space] if space else []), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")


class Namespaces:
    """So many namespaces and a hub, while a `with` lasts. `addresses`: theirs."""

    def __init__(self, number):
        self.addresses = [f"{NETWORK}.{i + 1}" for i in range(number)]
        self.made = []

    def __enter__(self):
        try:
            self._make("hub")
            ip("link", "add", "bridge", "type", "bridge", space="hub")
            self._address("hub", "bridge", f"{NETWORK}.254")
            for address in self.addresses:
                self._join(address.rsplit(".", 1)[1], address)
        except RuntimeError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for space in self.made:
            subprocess.run(["ip", "netns", "delete", PREFIX + space], capture_output=True)

    def num_bytes(self):
        """What the ranks have sent one another so far."""
        shown = subprocess.run(["ip", "-n", PREFIX + "hub", "-j", "-s", "link"], capture_output=True, text=True, check=True).stdout
        return sum(link["stats64"]["rx"]["bytes"] for link in json.loads(shown) if link["ifname"].startswith("port"))

    def _make(self, space):
        ip("netns", "add", PREFIX + space)
        self.made.append(space)
        ip("link", "set", "lo", "up", space=space)

    def _address(self, space, link, address):
        ip("address", "add", f"{address}/24", "dev", link, space=space)
        ip("link", "set", link, "up", space=space)

    def _join(self, space, address):
        self._make(space)
        ip("link", "add", f"port{space}", "type", "veth", "peer", "name", "rank0", "netns", PREFIX + space, space="hub")
        ip("link", "set", f"port{space}", "master", "bridge", "up", space="hub")
        self._address(space, "rank0", address)

    def launcher(self, mpirun, num_ranks):
        """mpirun in the hub, a rank in each namespace: everything that they say goes through the bridge, by TCP. Options for Open MPI
        4 and 5. Nobody is bound to a core: each namespace takes itself for a machine of its own, and all would choose the first."""
        network = f"{NETWORK}.0/24"
        settings = {
            "OMPI_MCA_plm_rsh_agent": __file__, "PRTE_MCA_plm_ssh_agent": __file__, "OMPI_MCA_plm": "rsh", "PRTE_MCA_plm": "ssh",
            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": network,
            "OMPI_MCA_oob_tcp_if_include": network, "PRTE_MCA_prte_if_include": network}  # fmt: skip
        hosts = ",".join(f"{address}:{num_ranks // len(self.addresses)}" for address in self.addresses)
        return ["ip", "netns", "exec", PREFIX + "hub", "env", *(f"{name}={value}" for name, value in settings.items()),
                mpirun, "-n", str(num_ranks), "--bind-to", "none", "--host", hosts]  # fmt: skip


def start_in_namespace(address, command):
    """What mpirun calls: a host's name of its own keeps the ranks of two namespaces from talking through memory."""
    space = address.rsplit(".", 1)[1]
    name_and_run = 'hostname "$0" && exec sh -c "$1"'
    os.execvp("ip", ["ip", "netns", "exec", PREFIX + space, "unshare", "--uts", "sh", "-c", name_and_run, PREFIX.strip("_") + "-" + space,
                     " ".join(command)])  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) < 3 or not pathlib.Path("/proc/self/ns/net").exists():
        sys.exit(__doc__)
    start_in_namespace(sys.argv[1], sys.argv[2:])
