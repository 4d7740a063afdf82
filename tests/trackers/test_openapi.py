"""The recorded responses of Gitea are as its description says, like those of the fakes."""

from __future__ import annotations

import json

import pytest

from tests.support.openapi import NEEDED, VENDOR_APIS, Description


@pytest.mark.skipif(not VENDOR_APIS.is_dir(), reason=NEEDED)
def test_recorded_responses_match_the_description() -> None:
    gitea = Description.load("gitea/subset-v1.openapi3.json")
    assert gitea
    recorded = json.loads((VENDOR_APIS / "gitea/recorded/gitea-1.17dev.json").read_text())
    for path, response in recorded.items():
        place = f"/api/v1/repos/alice/r{path.partition('?')[0]}"
        gitea.response("GET", place, int(response["status"]), response["body"])
