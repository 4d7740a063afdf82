"""`sdd discover`: decisions that the code shows and no record has."""

from __future__ import annotations

import json
import re
import time

import pytest

from sdd_hooks.drift.discover.decided import MIN_COSINE
from tests.cli.commands import WORKSPACE, one_line, run
from tests.support.clock import set_touched
from tests.support.models import make_model
from tests.support.repos import Repo

RECORD = "---\nstatus: {}\n---\n# ADR-{:04d}: {}\n\n## Decision Outcome\n\n{}\n"
SHOP = {
    ".gitignore": ".sdd/\n",
    "docs/adrs/ADR-0001-tokens.md": RECORD.format(
        "accepted", 1, "Signed session tokens", "Chosen option: JWT, because no table is needed."
    ),
    "docs/adrs/ADR-0002-mongo.md": RECORD.format("rejected", 2, "Keep orders in MongoDB", "No."),
    "requirements.txt": "pyjwt\nredis\nfastapi\npymongo\n",
    "shop/tokens.py": "import jwt\n",
    "shop/carts.py": "import redis\nimport pymongo\n",
    "shop/api.py": "from fastapi import FastAPI\n",
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit("Start", SHOP)
    assert run(repo.root, "index", "add", "--kind", "adrs").code == 0
    return repo


def titles(entries: list[dict[str, str]]) -> list[str]:
    return [one["title"] for one in entries]


def test_the_report_has_evidence_and_what_is_decided(shop: Repo) -> None:
    done = run(shop.root, "discover")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "# Implicit decisions"
    assert "3 decisions in 3 source files have no record, 1 more has one." in lines
    assert "## 1. Serve HTTP with FastAPI" in lines
    assert "`web-server` · web-server · 1 of 3 source files, most in `shop`" in lines
    assert "- `requirements.txt:3` `fastapi`" in lines
    assert "- `shop/api.py:1` `from fastapi import FastAPI`" in lines
    row = "| Authenticate users with JWT | ADR-0001: Signed session tokens (accepted) |"
    assert f"{row} named in its decision |" in lines


def test_json_is_one_object(shop: Repo) -> None:
    found = json.loads(run(shop.root, "discover", "--json").out)
    assert found["schema_version"] == 1
    assert titles(found["candidates"]) == [
        "Serve HTTP with FastAPI",
        "Keep documents in MongoDB",
        "Use Redis as the in-memory store",
    ]
    (skipped,) = found["skipped"]
    assert skipped["record"] == {
        "id": "ADR-0001",
        "title": "Signed session tokens",
        "status": "accepted",
        "path": "docs/adrs/ADR-0001-tokens.md",
    }
    assert (skipped["reason"], skipped["cosine"]) == ("decision", None)


def test_the_debug_log_says_which_words_of_a_record_decide(shop: Repo) -> None:
    log = run(shop.root, "discover", "--verbose").err
    (line,) = [one for one in log.splitlines() if "decided by" in one]
    assert re.search(r"discover \S+.*decided by ADR-0001, decision: ", line)


def test_uncommitted_code_and_records_count(shop: Repo) -> None:
    shop.write("requirements.txt", SHOP["requirements.txt"] + "stripe\n")
    shop.write("shop/pay.py", "import stripe\n")
    shop.write("docs/adrs/ADR-0003-api.md", RECORD.format("accepted", 3, "FastAPI", "x"))
    assert run(shop.root, "index", "update").code == 0
    found = json.loads(run(shop.root, "discover", "--json").out)
    assert "Take payments through Stripe" in titles(found["candidates"])
    assert "Serve HTTP with FastAPI" in titles(found["skipped"])


def test_a_scope_is_a_file_or_a_directory(shop: Repo) -> None:
    shop.write("tools/a.py", "import redis\n")
    for scope, cwd in (("tools", shop.root), (".", shop.root / "tools"), ("tools/a.py", shop.root)):
        done = run(cwd, "discover", scope)
        assert "## 1. Use Redis as the in-memory store" in done.out, done
        assert "FastAPI" not in done.out
    for wrong in ("nothing", "ADR-0001", "../.."):
        done = run(shop.root, "discover", wrong)
        one_line(done, 2)


def test_a_draft_is_printed_and_nothing_is_written(shop: Repo) -> None:
    before = shop.git("status", "--porcelain")
    done = run(shop.root, "discover", "--draft", "redis")
    assert done.code == 0
    assert done.out.startswith("---\nstatus: proposed\ndate: 20")
    assert "\n# Use Redis as the in-memory store\n" in done.out
    assert run(shop.root, "discover", "--draft").out.count("\n# Serve HTTP with FastAPI\n") == 1
    data = json.loads(run(shop.root, "discover", "--draft", "redis", "--json").out)
    assert (data["id"], data["draft"]) == ("redis", done.out)
    assert shop.git("status", "--porcelain") == before


def test_a_draft_needs_a_decision_without_a_record(shop: Repo) -> None:
    wrong = run(shop.root, "discover", "--draft", "nothing")
    assert "it is one of web-server, mongodb, redis" in one_line(wrong, 2)
    decided = run(shop.root, "discover", "--draft", "authentication")
    assert "authentication has a record already: ADR-0001" in one_line(decided, 2)


@pytest.mark.parametrize(
    ("record", "is_skipped"),
    [
        # The model knows neither the words of the candidate nor those of this record.
        (RECORD.format("rejected", 4, "Opinions", "Whatever happens here."), True),
        ("# token session cache\n\n" + "token session cache page database user\n" * 9, False),
    ],
)
def test_a_record_that_is_near_in_meaning_decides(
    repo: Repo, tmp_path_factory: pytest.TempPathFactory, record: str, is_skipped: bool
) -> None:
    model = make_model(tmp_path_factory.mktemp("model"))
    files = {
        ".gitignore": ".sdd/\n",
        "CLAUDE.md": f"### SDD Configuration\n\n#### Search\n\n- **Embed Model**: {model}\n",
        "docs/adrs/ADR-0004-x.md": record,
        "requirements.txt": "redis\n",
        "shop/carts.py": "import redis\n",
    }
    repo.commit("Start", files)
    assert run(repo.root, "index", "add", "--kind", "adrs").code == 0
    assert run(repo.root, "index", "embed", "--foreground").code == 0
    found = json.loads(run(repo.root, "discover", "--json").out)
    assert len(found["skipped"]) == is_skipped
    assert len(found["candidates"]) == (not is_skipped)
    for one in found["skipped"]:
        assert (one["reason"], one["record"]["id"]) == ("cosine", "ADR-0004")
        assert one["cosine"] >= MIN_COSINE
        assert "| cosine 1.00 |" in run(repo.root, "discover").out


def test_a_stale_index_is_refreshed_and_the_header_says_so(shop: Repo) -> None:
    shop.write("docs/adrs/ADR-0003-api.md", RECORD.format("accepted", 3, "FastAPI", "x"))
    set_touched(shop, time.time() - 3 * 3600)
    done = run(shop.root, "discover")
    assert done.out.splitlines()[2] == "Index was 3 hours stale — refreshed before running."
    assert "ADR-0003: FastAPI" in done.out


def test_a_module_has_the_records_of_the_root_too(repo: Repo) -> None:
    files = {
        **WORKSPACE,
        ".gitignore": ".sdd/\n",
        "docs/adrs/ADR-0001-redis.md": RECORD.format("accepted", 1, "Redis", "x"),
        "services/api/requirements.txt": "redis\nfastapi\n",
        "services/api/a.py": "import redis\nimport fastapi\n",
        "web/package.json": '{"dependencies": {"express": "5"}}',
        "web/a.js": 'require("express");\n',
    }
    repo.commit("Start", files)
    assert run(repo.root, "index", "add", "--kind", "adrs").code == 0
    found = json.loads(run(repo.root, "discover", "--module", "api", "--json").out)
    assert titles(found["candidates"]) == ["Serve HTTP with FastAPI"]
    assert titles(found["skipped"]) == ["Use Redis as the in-memory store"]
    assert found["scope"] == "services/api"
    assert run(repo.root, "discover", "--module", "nothing").code == 2
