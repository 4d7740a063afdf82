"""The real Semgrep finds each pattern of `docs/scan` once, and `sdd check` reports it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.docs.pages import TOP
from tests.support.programs import run_program
from tests.support.repos import Repo

MISSING = "needs Semgrep: scripts/install-semgrep .cache/semgrep"

GO = """package main

func bad(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body)
	page := template.HTML(data)
	http.Redirect(w, r, r.URL.Query().Get("next"), 302)
}

func good(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 1000)
	data, _ := io.ReadAll(r.Body)
	page := template.HTML("<b>x</b>")
	http.Redirect(w, r, "/home", 302)
}
"""
SCRIPT = """app.use(express.json());
app.use(express.json({ limit: "10kb" }));
app.get("/a", (req, res) => res.redirect(req.query.next));
app.get("/b", (req, res) => res.redirect("/home"));
node.innerHTML = name;
node.innerHTML = "<b>x</b>";
router.get("/orders", requireAuth, list);
router.post("/orders", create);
router.put("/orders", requireAuth, change);
"""
COMPONENT = """const a = () => <div dangerouslySetInnerHTML={{ __html: text }} />;
const b = () => <div>{text}</div>;
"""
PYTHON = """def go():
    return redirect(request.args["next"])


def stay():
    return redirect("/home")
"""
PAGE = """<script src="https://cdn.example.com/a-1.0.0.js"></script>
<script src="https://cdn.example.com/a-1.0.0.js" integrity="sha384-x"></script>
<script src="https://cdn.tailwindcss.com"></script>
<p>{{ text|safe }}</p>
<p>{{ text }}</p>
<nav><a href="/">Home</a> <a href="/a">A</a> <a href="/b">B</a></nav>
<nav><a href="/">Home</a></nav>
<script>document.querySelector("#a").addEventListener("click", go);</script>
<script>document.querySelector("#b").addEventListener("click", stay);</script>
<script>document.querySelector("#a").addEventListener("click", go);</script>
<form action="/a"><input name="customer"><input name="street"><button>Save</button></form>
<form action="/b"><input name="customer"><input name="street"><button>Save</button></form>
<form action="/c"><input name="product"><input name="price"><button>Save</button></form>
<script src="/static/htmx.min.js"></script>
<script src="/static/alpine.min.js"></script>
"""
FILES = {
    "api/orders.go": GO,
    "web/app.js": SCRIPT,
    "web/app.jsx": COMPONENT,
    "web/app.py": PYTHON,
    "pages/order.html": PAGE,
}
EXPECTED = [
    ("api/orders.go", 4, "request-body-go"),
    ("api/orders.go", 5, "unescaped-go"),
    ("api/orders.go", 6, "redirect-go"),
    ("pages/order.html", 1, "cdn-integrity"),
    ("pages/order.html", 3, "development-cdn"),
    ("pages/order.html", 4, "unescaped-template"),
    ("pages/order.html", 6, "own-navigation"),
    ("pages/order.html", 8, "duplicate-script"),
    ("pages/order.html", 11, "duplicate-form"),
    ("pages/order.html", 14, "several-frameworks"),
    ("web/app.js", 1, "request-body-express"),
    ("web/app.js", 3, "redirect-express"),
    ("web/app.js", 5, "inner-html"),
    ("web/app.js", 8, "route-without-login"),
    ("web/app.jsx", 1, "unescaped-react"),
    ("web/app.py", 2, "redirect-python"),
]
TEMPLATES = {
    *("own-navigation", "duplicate-script", "duplicate-form", "development-cdn"),
    "several-frameworks",
}


def rules() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((TOP / "docs/scan").glob("*.yml"))]
    return [name for text in texts for name in re.findall(r"^  - id: (\S+)$", text, re.MULTILINE)]


def test_every_rule_has_an_example_and_a_row() -> None:
    page = (TOP / "docs/scan.md").read_text(encoding="utf-8")
    assert Counter(rules()) == Counter(rule for _, _, rule in EXPECTED)
    assert [rule for rule in rules() if f"`{rule}`" not in page] == []


@pytest.fixture
def semgrep() -> Path:
    """The program: in the directory `SDD_SEMGREP`, else `.cache/semgrep`; "" means none."""
    named = os.environ.get("SDD_SEMGREP")
    directory = Path(named) if named else TOP / ".cache/semgrep"
    if named == "" or not (directory / "semgrep.stamp").is_file():
        pytest.skip(MISSING)
    return directory / "bin/semgrep"


def test_semgrep_finds_each_pattern_once(semgrep: Path, repo: Repo, tmp_path: Path) -> None:
    repo.commit("Pages", {**FILES, "CLAUDE.md": "# Shop\n"})
    output = tmp_path / "semgrep.sarif"
    options = ("--metrics=off", "--disable-version-check", "--sarif", "--output", str(output))
    done = run_program(
        str(semgrep),
        "scan",
        *options,
        "--config",
        str(TOP / "docs/scan"),
        ".",
        cwd=repo.root,
        env={**os.environ, "HOME": str(tmp_path), "PATH": f"{semgrep.parent}:{os.environ['PATH']}"},
        check=False,
    )
    assert done.returncode == 0, done.stderr

    run(repo.root, "index")
    checked = run(repo.root, "check", "--scan", str(output), "--json")
    findings = json.loads(checked.out)["findings"]
    places = [(one["path"], one["line"], one["rule"].rpartition(".")[2]) for one in findings]
    families = {one["rule"].rpartition(".")[2]: one["rule"].partition("/")[0] for one in findings}

    assert sorted(places) == EXPECTED
    assert {rule for rule, family in families.items() if family == "template"} == TEMPLATES
    assert set(families.values()) == {"security", "template"}
