"""The engine of `tests/plugins/sdd_abacus.py`, installed and chosen."""

from __future__ import annotations

from pathlib import Path

from tests.support.plugins import install_plugin

CHOICE = "### SDD Configuration\n\n#### Search\n\n- **Engine**: abacus\n"


def install_abacus(folder: Path) -> dict[str, str]:
    """Install the distribution into `folder`. Returns the variables with which Python finds it.

    Its index is a file in the folder that `ABACUS_SERVER` names, as if on a server, else below
    `.sdd/search`.
    """
    return install_plugin(folder, "abacus", "engines", "sdd_abacus:ENGINE")
