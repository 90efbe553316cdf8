"""The benchmark models as `models.toml` lists them."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class BenchmarkModel:
    """One model in one size, with the counts every checker must reproduce."""

    name: str
    path: Path
    defines: dict[str, int]
    states: int
    transitions: int
    depth: int
    description: str
    smoke: bool
    role: str

    @property
    def define_options(self) -> list[str]:
        return [f"-D{name}={value}" for name, value in self.defines.items()]


def load_models(manifest: Path = HERE / "models.toml") -> list[BenchmarkModel]:
    entries = tomllib.loads(manifest.read_text(encoding="utf-8"))["model"]
    return [
        BenchmarkModel(
            name=entry["name"],
            path=manifest.parent / entry["file"],
            defines=entry.get("defines", {}),
            states=entry["states"],
            transitions=entry["transitions"],
            depth=entry["depth"],
            description=entry["description"],
            smoke=entry.get("smoke", False),
            role=entry.get("role", ""),
        )
        for entry in entries
    ]
