"""Hosts for tests of several machines: network namespaces of this one, joined by a bridge, each with a name of its own.

It takes the rights of an administrator, and ``ip``. Where ``sshd`` is there, each host has one on its address, with
keys made for it; else, and for tests of the rest, an agent that enters the namespace is enough.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import time
from pathlib import Path

# Of this process alone: others may have hosts at the same time.
_NAME = f"kh{os.getpid() % 100_000}"
_several = itertools.count()


def cannot() -> str:
    """Why there are no such hosts here; empty: there may be."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "network namespaces take the rights of an administrator"
    if shutil.which("ip") is None or shutil.which("unshare") is None:
        return "there is no ip, or no unshare"
    made = subprocess.run(["ip", "netns", "add", f"{_NAME}-try"], capture_output=True)
    if made.returncode != 0:
        return "network namespaces cannot be made here"
    subprocess.run(["ip", "netns", "del", f"{_NAME}-try"], capture_output=True)
    return ""


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")


class NetworkHosts:
    """``with NetworkHosts(3, folder) as hosts``: their names are ``hosts.names``."""

    def __init__(self, count: int, folder: Path) -> None:
        self.folder = folder
        # Of these alone, too: tests may have hosts of their own beside those of their module.
        mark = next(_several)
        self._name, self._net = f"{_NAME}{chr(ord('a') + mark % 26)}", f"10.{200 + mark % 50}.{os.getpid() % 250}"
        self.names = [f"{self._name}n{number}" for number in range(1, count + 1)]
        self.addresses = {name: f"{self._net}.{number}" for number, name in enumerate(self.names, 1)}
        self.agent = folder / "agent"
        self._servers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> NetworkHosts:
        self._remove()
        try:
            self._make()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.kill()
            server.wait()
        self._remove()

    def _make(self) -> None:
        _run("ip", "link", "add", f"{self._name}br", "type", "bridge")
        _run("ip", "addr", "add", f"{self._net}.254/24", "dev", f"{self._name}br")
        _run("ip", "link", "set", f"{self._name}br", "up")
        listed = "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in self.addresses.items())
        for number, (name, address) in enumerate(self.addresses.items(), 1):
            etc = Path("/etc/netns") / name
            etc.mkdir(parents=True, exist_ok=True)
            (etc / "hosts").write_text(listed)
            _run("ip", "netns", "add", name)
            _run("ip", "link", "add", f"{self._name}v{number}", "type", "veth", "peer", "name", "net0", "netns", name)
            _run("ip", "link", "set", f"{self._name}v{number}", "master", f"{self._name}br", "up")
            for words in (f"addr add {address}/24 dev net0", "link set net0 up", "link set lo up"):
                _run("ip", "-n", name, *words.split())
        inside = 'hostname "$1"; shift; exec sh -c "$*"'  # as ssh does: words become one line
        self.agent.write_text(f'#!/bin/sh\nexec ip netns exec "$1" unshare --uts sh -c \'{inside}\' sh "$@"\n')
        self.agent.chmod(0o755)

    def _remove(self) -> None:
        for name in self.names:
            for process in subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split():
                subprocess.run(["kill", "-9", process], capture_output=True)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)
            shutil.rmtree(Path("/etc/netns") / name, ignore_errors=True)
        for number in range(1, len(self.names) + 1):
            subprocess.run(["ip", "link", "del", f"{self._name}v{number}"], capture_output=True)
        subprocess.run(["ip", "link", "del", f"{self._name}br"], capture_output=True)

    def file(self, slots: int = 1) -> str:
        path = self.folder / "hosts.txt"
        path.write_text("".join(f"{name}:{slots}\n" for name in self.names))
        return str(path)

    def listening(self) -> set[str]:
        """The addresses on which anything listens, in any of the hosts; without ``sshd``."""
        found = set()
        for name in self.names:
            said = subprocess.run(["ip", "netns", "exec", name, "ss", "-Hltnp"], capture_output=True, text=True).stdout
            found |= {line.split()[3].rpartition(":")[0] for line in said.splitlines() if "sshd" not in line}
        return found

    def cut_off(self, name: str) -> None:
        """Its cable is pulled."""
        _run("ip", "-n", name, "link", "set", "net0", "down")

    def start_sshd(self) -> str:
        """One on each host, which lets this user in by a key. An agent that uses it, from the bridge."""
        keys = self.folder / "keys"
        keys.mkdir(mode=0o700)
        for key in ("host", "user"):
            _run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(keys / key))
        (keys / "authorized").write_text((keys / "user.pub").read_text())
        host_key = " ".join((keys / "host.pub").read_text().split()[:2])
        (keys / "known").write_text("".join(f"{address} {host_key}\n" for address in self.addresses.values()))
        os.makedirs("/run/sshd", exist_ok=True)
        for name, address in self.addresses.items():
            options = {
                "ListenAddress": address,
                "HostKey": keys / "host",
                "AuthorizedKeysFile": keys / "authorized",
                "PidFile": "none",
                "StrictModes": "no",
                "PermitRootLogin": "prohibit-password",
                "PasswordAuthentication": "no",
                "UsePAM": "no",
            }
            settings = [word for key, value in options.items() for word in ("-o", f"{key}={value}")]
            line = ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh"]
            sshd = shutil.which("sshd") or "/usr/sbin/sshd"
            server = subprocess.Popen(
                [*line, sshd, "-D", "-f", "/dev/null", *settings], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            self._servers.append(server)
        time.sleep(0.5)
        wanted = {"BatchMode": "yes", "UserKnownHostsFile": keys / "known", "IdentityFile": keys / "user"}
        settings = [f"-o {key}={value}" for key, value in {**wanted, "ConnectTimeout": 3}.items()]
        return " ".join(["ssh", "-T", "-F", "/dev/null", *settings])

    def start_ssh_everywhere(self) -> Path:
        """As ``start_sshd``; a folder with an ``ssh`` that any user of a cluster would have, for the PATH."""
        agent = self.start_sshd()
        known = self.folder / "keys" / "known"
        lines = known.read_text().splitlines()
        by_name = {address: name for name, address in self.addresses.items()}
        known.write_text("".join(f"{by_name[line.split()[0]]},{line}\n" for line in lines))
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "ssh").write_text(f'#!/bin/sh\nexec {shutil.which("ssh")} {agent.partition(" ")[2]} "$@"\n')
        (folder / "ssh").chmod(0o755)
        return folder
