"""How workers are started: by relays of our own where the MPI is an MPICH, else by the ``mpiexec`` of that MPI."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from kripke.engines.distributed.hosts import HERE, Host, Place, allocated, is_here, read_hosts, spread
from kripke.engines.unsupported import Unsupported

_INSTALL = "pip install 'kripke[cluster]'"
_SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5")
_ASK = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; print(MPI.get_vendor()[0])"


def places(workers: int, hosts: str | None, lost: frozenset[str] = frozenset()) -> list[Place]:
    """Where they are to run; not on the hosts that were lost."""
    there = read_hosts(hosts) if hosts else allocated(os.environ)[1] or [HERE]
    left = [host for host in there if host.name not in lost]
    if not left:
        raise Unsupported(f"--workers {workers}: no host is left: {', '.join(sorted(lost))} cannot be reached")
    if lost:
        # No more of them on a host than there were: each has its memory.
        kept = {place.host: place.count for place in spread(there, workers)}
        left = [Host(host.name, kept[host.name]) for host in left if host.name in kept]
        workers = min(workers, sum(host.slots or 0 for host in left))
    return spread(left, workers)


# --- which MPI --------------------------------------------------------------------------------------------------------


def by_relays() -> bool:
    """Do we start the workers ourselves?"""
    if find_spec("mpi4py") is None:
        raise Unsupported(f"--workers needs mpi4py, which is not installed; install it with: {_INSTALL}")
    if os.environ.get("KRIPKE_MPIEXEC"):
        return False
    return _family() in ("MPICH", "Intel MPI", "MVAPICH", "Cray MPICH")


@cache
def _family() -> str:
    """The name of the MPI that mpi4py uses."""
    if not any(name.startswith("MPI4PY_") for name in os.environ) and _installed("mpich") and not _installed("openmpi"):
        return "MPICH"  # without asking, which takes a while
    asked = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True)
    if asked.returncode != 0:
        why = asked.stderr.strip().splitlines()[-1:] or ["it ended"]
        raise Unsupported(f"--workers needs an MPI, and mpi4py finds none ({why[0]}); install one with: {_INSTALL}")
    return asked.stdout.strip()


def _installed(name: str) -> bool:
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


# --- relays -----------------------------------------------------------------------------------------------------------


def relay_command(host: str) -> list[str]:
    """What starts a relay on this host: as a child of this process, or by whatever starts programs on another."""
    program = "kripke.engines.distributed.relay"
    if is_here(host):
        return [sys.executable, "-m", program]
    python = os.environ.get("KRIPKE_REMOTE_PYTHON") or sys.executable
    return [*_agent(host), shlex.join([python, "-m", program])]


def agent_name() -> str:
    return os.path.basename(_agent("")[0])


def _agent(host: str) -> list[str]:
    """KRIPKE_AGENT, such as ``ssh -i key``; in an allocation what the manager has for it; else ssh."""
    chosen = os.environ.get("KRIPKE_AGENT")
    if chosen:
        agent = shlex.split(chosen)
        if not agent or shutil.which(agent[0]) is None:
            raise Unsupported(f"--hosts: KRIPKE_AGENT is {chosen}, which is no program")
        return [*agent, host]
    manager, _ = allocated(os.environ)
    if manager == "slurm" and shutil.which("srun"):
        step = ["srun", "--quiet", "--nodes=1", "--ntasks=1", "--overlap", "--input=0", f"--nodelist={host}"]
        return [*step, "sh", "-c"]
    if shutil.which("ssh") is None:
        raise Unsupported("--hosts: there is no ssh to start workers with; install it, or set KRIPKE_AGENT")
    return [*_SSH, "--", host]


def words_for(host: str, status: int | None, said: str) -> str:
    """Why a relay could not be started there, in words that say what to do."""
    low = said.lower()
    agent = agent_name()
    about = f"; {agent} said: {said.strip().splitlines()[-1][:200]}" if said.strip() else ""
    python = os.environ.get("KRIPKE_REMOTE_PYTHON") or sys.executable
    for marks, words in (
        (("could not resolve", "name or service not known"), f"the name {host} is not known here"),
        (("host key verification",), f"the key of {host} is not known: ssh {host} once, and look at it"),
        (
            ("permission denied", "authentication fail", "unknown user", "user does not exist"),
            f"{host} does not let you in: {agent} must work without a password, for this user",
        ),
        (("connection refused",), f"{host} refuses the connection: no ssh server listens there"),
        (("timed out", "no route to host", "unreachable", "timeout"), f"{host} cannot be reached"),
        (("no module named", "modulenotfound"), f"Kripke is not installed on {host} for {python}"),
    ):
        if any(mark in low for mark in marks):
            return words + about
    if status == 127 or "no such file" in low:
        return f"there is no {python} on {host}: install Kripke in the same place, or set KRIPKE_REMOTE_PYTHON{about}"
    return f"no worker could be started on {host}: {agent} ended with status {status}{about}"


# --- mpiexec ----------------------------------------------------------------------------------------------------------


def mpiexec() -> str:
    """KRIPKE_MPIEXEC; else the one beside this Python (of a wheel), or on the PATH, that is of the MPI of mpi4py."""
    chosen = os.environ.get("KRIPKE_MPIEXEC")
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise Unsupported(f"--workers: KRIPKE_MPIEXEC is {chosen}, which is no program")
        return found
    family = _family()
    names = ("mpiexec", "mpirun", "mpiexec.openmpi", "mpirun.openmpi")
    for program in (shutil.which(name, path=path) for path in (sysconfig.get_path("scripts"), None) for name in names):
        if program is not None and is_open_mpi(program) == (family == "Open MPI"):
            return program
    raise Unsupported(
        f"--workers: mpi4py uses {family}, and no mpiexec of that is on the PATH: set KRIPKE_MPIEXEC, or install "
        f"another MPI with: {_INSTALL}"
    )


def mpiexec_command(where: Sequence[Place], job: str, hostfile: str) -> list[str]:
    """What starts the workers for the job in this file."""
    program = mpiexec()
    line = [program, "-n", str(sum(place.count for place in where))]
    elsewhere = any(not is_here(place.host) for place in where)
    if is_open_mpi(program):
        # It counts cores, and refuses more workers; and it wants to be asked twice by an administrator.
        line += ["--oversubscribe", "--bind-to", "none"]
        line += ["--allow-run-as-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        if elsewhere:
            line += [
                "--hostfile",
                hostfile,
                "--mca",
                "plm_rsh_agent",
                os.environ.get("KRIPKE_AGENT") or shlex.join(_SSH),
            ]
    elif elsewhere:
        agent = os.environ.get("KRIPKE_AGENT")
        line += ["-f", hostfile, *(["-launcher", "rsh", "-launcher-exec", agent] if agent else [])]
    return [*line, sys.executable, "-m", "kripke.engines.distributed.worker", job]


def hostfile_text(where: Sequence[Place], program: str) -> str:
    between = " slots=" if is_open_mpi(program) else ":"
    return "".join(f"{place.host}{between}{place.count}\n" for place in where)


def mpiexec_environment(where: Sequence[Place]) -> dict[str, str]:
    """On one machine as little as can be is to listen on its network addresses. mpi4py must use this mpiexec's MPI."""
    program = mpiexec()
    extra = dict(os.environ) | {"PYTHONUNBUFFERED": "1"}
    if all(is_here(place.host) for place in where):
        extra |= {"FI_PROVIDER": "tcp", "FI_TCP_IFACE": "lo", "UCX_NET_DEVICES": "lo", "HYDRA_IFACE": "lo"}
        # The workers of Open MPI need no sockets then; its mpiexec has some, from version 5 on at all addresses.
        extra |= {"OMPI_MCA_btl": "^tcp", "OMPI_MCA_oob_tcp_if_include": "lo"}
    if not any(name.startswith("MPI4PY_") for name in os.environ):
        library = _library_of(program)
        extra |= {"MPI4PY_LIBMPI": library} if library else {}
    return extra


def _library_of(program: str) -> str:
    """The MPI that belongs to an mpiexec: of its version, in the folder beside it, else in the system's."""
    name = "libmpi.so.40" if is_open_mpi(program) else "libmpi.so.12"
    prefix = Path(os.path.realpath(program)).parent.parent
    for folder in (Path(program).parent.parent / "lib", prefix / "lib", prefix / "lib64"):
        if (folder / name).exists():
            return str(folder / name)
    return name


@cache
def is_open_mpi(program: str) -> bool:
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30).stdout
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return "Open MPI" in said or "OpenRTE" in said or "prte" in said.lower()
