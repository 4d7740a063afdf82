"""Distributions with plug-ins of `tests/plugins/`, which import nothing but `sdd_hooks.api`."""

from __future__ import annotations

from pathlib import Path

SOURCES = Path(__file__).parents[1] / "plugins"


def install_distribution(
    folder: Path, name: str, points: str, modules: dict[str, str]
) -> dict[str, str]:
    """Install version 1.0 of a distribution into `folder`, as pip does.

    `points` is its `entry_points.txt`, `modules` the source of each module by its name. Returns the
    variables with which Python finds it.
    """
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(points)
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source)
    return {"PYTHONPATH": str(folder)}


def install_plugin(folder: Path, name: str, group: str, target: str) -> dict[str, str]:
    """Install the plug-in `name` of `tests/plugins/` as the distribution `sdd-NAME`.

    `group` is its group of entry points without `sdd_hooks.`, `target` is `module:ATTRIBUTE`.
    """
    module = target.partition(":")[0]
    points = f"[sdd_hooks.{group}]\n{name} = {target}\n"
    source = (SOURCES / f"{module}.py").read_text()
    return install_distribution(folder, f"sdd-{name}", points, {module: source})
