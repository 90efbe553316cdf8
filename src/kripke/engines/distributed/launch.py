"""How workers are started: by the ``mpiexec`` that belongs to the MPI that mpi4py uses."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from importlib.util import find_spec

from kripke.engines.unsupported import Unsupported

_OPEN_MPI_INTERFACES = ("OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_oob_tcp_if_include", "PRTE_MCA_prte_if_include")
_INSTALL = "pip install 'kripke[cluster]'"


def mpiexec() -> str:
    """KRIPKE_MPIEXEC; else the one beside this Python (of a wheel), else the one on the PATH."""
    chosen = os.environ.get("KRIPKE_MPIEXEC")
    if chosen:
        found = shutil.which(chosen)
        if found is None:
            raise Unsupported(f"--workers: KRIPKE_MPIEXEC is {chosen}, which is no program")
        return found
    if find_spec("mpi4py") is None:
        raise Unsupported(f"--workers needs mpi4py, which is not installed; install it with: {_INSTALL}")
    beside = shutil.which("mpiexec", path=sysconfig.get_path("scripts"))
    found = beside or shutil.which("mpiexec") or shutil.which("mpirun")
    if found is None:
        raise Unsupported(f"--workers needs an MPI, and there is no mpiexec; install one with: {_INSTALL}")
    return found


def command(workers: int, job: str, hosts: str | None = None) -> list[str]:
    """What starts so many workers for the job in this file, on these hosts (a file, too) or on this machine."""
    program = mpiexec()
    line = [program, "-n", str(workers)]
    if _is_open_mpi(program):
        # It counts cores, and refuses more workers; and it wants to be asked twice by an administrator.
        line += ["--oversubscribe", "--bind-to", "none"]
        line += ["--allow-run-as-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        line += ["--hostfile", hosts] if hosts else []
    else:
        line += ["-f", hosts] if hosts else []
    return [*line, sys.executable, "-m", "kripke.engines.distributed.worker", job]


def environment(hosts: str | None) -> dict[str, str]:
    """Of the workers. On one machine nothing listens on its network addresses."""
    extra = dict(os.environ)
    if hosts is None:
        extra |= {"FI_PROVIDER": "shm,tcp", "FI_TCP_IFACE": "lo", "HYDRA_IFACE": "lo"}
        extra |= dict.fromkeys(_OPEN_MPI_INTERFACES, "lo")
    extra["PYTHONUNBUFFERED"] = "1"
    return extra


def _is_open_mpi(program: str) -> bool:
    from subprocess import run

    try:
        said = run([program, "--version"], capture_output=True, text=True, timeout=30).stdout
    except (OSError, ValueError):
        return False
    return "Open MPI" in said or "OpenRTE" in said or "prte" in said.lower()
