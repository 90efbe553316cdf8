"""How much memory is free: of the machine and of both versions of control groups."""

from __future__ import annotations

from pathlib import Path

from kripke import memory


def test_the_default_is_a_share_of_what_is_free() -> None:
    free = memory.free_memory()
    assert free > 0
    assert 0.7 * free < memory.default_limit() < 0.9 * free


def test_this_process_has_memory() -> None:
    assert memory.resident_memory() > 1_000_000


def test_available_memory_of_the_machine(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable: 50 kB\n")
    assert memory._free_in_machine(str(meminfo)) == 50 * 1024


def group(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text + "\n")


def test_control_groups_version_2(tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("0::/work/job\n")
    root = tmp_path / "fs"
    group(root / "work" / "job", memory_max="max", memory_current="5", memory_stat="inactive_file 0")
    group(root / "work", memory_max="1000", memory_current="300", memory_stat="anon 1\ninactive_file 100")
    assert memory._free_in_group(str(tmp_path / "cgroup"), str(root)) == 800


def test_control_groups_version_1(tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("5:devices:/\n4:memory:/job\n")
    root = tmp_path / "fs"
    group(
        root / "memory" / "job",
        memory_limit_in_bytes="1000",
        memory_usage_in_bytes="400",
        memory_stat="total_inactive_file 50",
    )
    group(
        root / "memory",
        memory_limit_in_bytes=str(2**63 - 4096),
        memory_usage_in_bytes="9",
        memory_stat="total_inactive_file 0",
    )
    assert memory._free_in_group(str(tmp_path / "cgroup"), str(root)) == 650


def test_no_control_groups(tmp_path: Path) -> None:
    assert memory._free_in_group(str(tmp_path / "missing"), str(tmp_path)) is None
    (tmp_path / "cgroup").write_text("0::/\n")
    assert memory._free_in_group(str(tmp_path / "cgroup"), str(tmp_path / "nothing")) is None


def test_what_the_shell_allows_counts(tmp_path: Path) -> None:
    limits = tmp_path / "limits"
    limits.write_text("Limit  Soft Limit  Hard Limit  Units\nMax address space  900000000000000  unlimited  bytes\n")
    free = memory._free_addresses(str(limits))
    assert free is not None
    assert 0 < free < 900_000_000_000_000
    limits.write_text("Max address space         unlimited            unlimited            bytes\n")
    assert memory._free_addresses(str(limits)) is None
    assert memory._free_addresses(str(tmp_path / "missing")) is None
