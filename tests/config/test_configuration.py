import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.configuration import Configuration, apply_memory_file, load_configuration
from sdd_hooks.config.keys import GROUPS
from sdd_hooks.config.memory_file import MemoryFile, find_memory_file, parse_memory_sections
from sdd_hooks.config.settings import ProjectSettings
from sdd_hooks.errors import ConfigurationError
from sdd_hooks.project.layout import build_layout, check_declarations, resolve_declarations
from sdd_hooks.project.recognition import Recognition
from sdd_hooks.project.workspace import find_modules
from tests.support.cpu_time import assert_linear
from tests.support.repos import Repo

CANONICAL = """\
# App

### SDD Configuration

#### Tracker
- **Type**: gitea
- **Owner**: myorg
- **Repo**: myproject
- **Project Key**: PROJ
- **Team ID**: TEAM
- **URL**: https://gitea.example.org

#### Index Freshness
- **Staleness Threshold**: 30m
- **Prime Interval**: 90s
- **Issues Interval**: 10m
- **Backfill**: no
- **Backfill Limit**: 50
- **Backfill Load**: 80%

#### Search
- **Engine**: qmd
- **Embed Model**: all-MiniLM-L6-v2
- **Vector Storage**: float32
- **Share Vectors**: true

#### Branch Conventions
- **Enabled**: false
- **Prefix**: story
- **Epic Prefix**: saga
- **Slug Max Length**: 40

#### PR Conventions
- **Enabled**: false
- **Close Keyword**: Fixes
- **Ref Keyword**: See
- **Include Spec Reference**: false

#### Review
- **Max Pairs**: 3
- **Merge Strategy**: rebase
- **Auto Cleanup**: true
- **Fail On**: warning
- **Max Suggestions**: 2
- **Incomplete**: warning
- **Suppressions**: base
- **Review Within**: 14

#### Worktrees
- **Base Dir**: ../trees/
- **Max Agents**: 5
- **Auto Cleanup**: true
- **PR Mode**: draft

#### Projects
- **Default Mode**: single
- **Views**: All Work, Board
- **Columns**: Todo, Done
- **Iteration Weeks**: 3
- **Hotspot Threshold**: 40%

#### Knowledge
- **Path**: docs/knowledge
"""


def read(text: str, base: Configuration | None = None) -> Configuration:
    memory = MemoryFile(Path("CLAUDE.md"), tuple(parse_memory_sections(text)))
    return apply_memory_file(memory, (), base or Configuration())


def configure(text: str) -> Configuration:
    return read(f"### SDD Configuration\n{text}")


def warnings(text: str) -> list[str]:
    return [str(warning) for warning in configure(text).warnings]


def test_defaults():
    found = Configuration()
    assert found.memory_file is None
    assert found.freshness.staleness_threshold == 120 * 60
    assert found.freshness.prime_interval == 60
    assert found.freshness.issues_interval == 5 * 60
    assert (found.freshness.backfill, found.freshness.backfill_limit) == (True, 200)
    assert found.freshness.backfill_load == 0.5
    assert (found.search.engine, found.search.embed_model) == ("embedded", "")
    assert (found.search.vector_storage, found.search.share_vectors) == ("int8", False)
    assert (found.branches.prefix, found.branches.epic_prefix) == ("feature", "epic")
    assert (found.branches.enabled, found.branches.slug_max_length) == (True, 50)
    assert (found.pull_requests.enabled, found.pull_requests.ref_keyword) == (True, "Part of")
    assert found.pull_requests.include_spec_reference is True
    assert found.review.merge_strategy == "squash"
    assert (found.worktrees.base_dir, found.worktrees.max_agents) == (".claude/worktrees/", 3)
    assert found.projects.hotspot_threshold == 0.5


def test_every_key_of_every_section():
    found = read(CANONICAL)
    assert found.warnings == ()
    assert found.memory_file == Path("CLAUDE.md")
    default = Configuration()
    for group in GROUPS:
        settings, defaults = getattr(found, group.field), getattr(default, group.field)
        for name, here, usual in zip(settings._fields, settings, defaults, strict=True):
            assert here != usual, name


def test_every_field_has_a_key():
    default = Configuration()
    for group in GROUPS:
        expected = set(getattr(default, group.field)._fields)
        assert {key.field for key in group.keys if key.field} == expected


def test_a_key_without_an_effect_is_accepted_and_validated():
    found = configure("#### Projects\n- **Views**: Board\n- **Iteration Weeks**: 3\n")
    assert (found.warnings, found.projects, found.written) == ((), ProjectSettings(), ())
    with pytest.raises(ConfigurationError, match="'Iteration Weeks' must be a whole number"):
        configure("#### Projects\n- **Iteration Weeks**: 99\n")


def test_flat_form_with_groups():
    """As `/sdd:init` of the ecosystem has written it into its own repository."""
    found = configure(
        "\n**Tracker**: GitHub\n**Owner**: joestump\n**Repo**: claude-plugin-sdd\n"
        "**Branch Conventions**:\n- Prefix: `feat`\n- Epic Prefix: `saga`\n- Slug Max Length: 40\n"
    )
    assert found.warnings == ()
    assert found.tracker.type == "github"
    assert (found.tracker.owner, found.tracker.repo) == ("joestump", "claude-plugin-sdd")
    assert (found.branches.prefix, found.branches.epic_prefix) == ("feat", "saga")
    assert found.branches.slug_max_length == 40


def test_plain_bullets_and_a_host():
    found = configure(
        "\n#### Tracker\n\n- Type: Gitea\n- Owner: stump.wtf\n- Host: https://gitea.stump.rocks\n"
        "\n#### PR Conventions\n\n- Include Spec Reference: no\n"
    )
    assert found.warnings == ()
    assert found.tracker.url == "https://gitea.stump.rocks"
    assert found.pull_requests.include_spec_reference is False


def test_a_second_level_heading_with_bullets():
    found = read(
        "## SDD Configuration\n\n- **Max parallel agents**: 4\n- **Hotspot threshold**: 40%\n"
    )
    assert found.warnings == ()
    assert found.worktrees.max_agents == 4
    assert found.projects.hotspot_threshold == 0.4


@pytest.mark.parametrize(
    "text",
    [
        "### SDD Configuration\n\n## Notes\n\n#### Tracker\n- **Type**: github\n",
        "#### Tracker\n- **Type**: github\n\n### SDD Configuration\n",
        "### SDD Configuration\n\n### Tracker\n- **Type**: github\n",
        "### SDD Configuration\n\n## Tracker\n- **Type**: github\n- **Owner**: acme\n",
        "## Tracker\n- **Type**: github\n- **Owner**: acme\n\n### SDD Configuration\n",
    ],
)
def test_a_section_outside_the_configuration_is_named(text: str):
    found = read(text)
    line = next(n for n, one in enumerate(text.splitlines(), 1) if one.endswith("Tracker"))
    assert [str(warning) for warning in found.warnings] == [
        f"CLAUDE.md:{line}: 'Tracker' is ignored here: write it as '#### Tracker' below"
        " '### SDD Configuration'"
    ]
    assert found.tracker.type == ""


def test_two_sections_after_the_configuration_are_both_named():
    found = read(
        "## SDD Configuration\n## Tracker\n- **Type**: jira\n## Search\n- **Engine**: qmd\n"
    )
    assert [str(warning) for warning in found.warnings] == [
        "CLAUDE.md:2: 'Tracker' is ignored here: write it as '### Tracker' below"
        " '## SDD Configuration'",
        "CLAUDE.md:4: 'Search' is ignored here: write it as '### Search' below"
        " '## SDD Configuration'",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Search\n\n- **Engine**: Elasticsearch 8\n- **Index**: products\n",
        "## Search\n\n- **Engine**: Elasticsearch 8\n",
        "## Review\n\nAsk two people. Fail on: never.\n",
        "### Tracker\n\nIssues are on GitHub: https://github.com/acme/shop/issues\n",
        "#### Tracker\n\n- **Type** GPS tracker\n- **Battery**: 12 V\n",
        "#### Tracker\n\n- **Type**: GPS\n- **Battery**: 12 V\n",
        "## Branches\n\n- **Prefix**: `feature/`\n",
        "## Pull requests\n\n- **Enabled**: always\n",
        "```markdown\n#### Tracker\n- **Type**: github\n```\n",
    ],
)
def test_a_section_of_another_document_is_no_setting(text: str):
    configuration = "## Architecture Context\n\n### SDD Configuration\n\n- **Prefix**: feat\n\n"
    for whole in (text + configuration, f"{configuration}## Notes\n\nBe kind.\n\n{text}"):
        assert read(whole).warnings == ()


def test_the_older_heading_is_accepted():
    assert (
        read("### Design Plugin Configuration\n#### Tracker\n- **Type**: jira\n").tracker.type
        == "jira"
    )


@pytest.mark.parametrize(
    "key",
    [
        "Staleness Threshold",
        "staleness threshold",
        "Staleness-Threshold",
        "staleness_threshold",
        "StalenessThreshold",
        "Index Freshness Staleness Threshold",
        "staleness",
    ],
)
@pytest.mark.parametrize("heading", ["", "#### Index Freshness\n", "#### index-freshness:\n"])
def test_variations_of_a_key(key: str, heading: str):
    found = configure(f"{heading}- **{key}**: 30m\n")
    assert found.warnings == ()
    assert found.freshness.staleness_threshold == 1800


def test_a_key_may_begin_with_the_name_of_its_section():
    found = configure("#### Branch Conventions\n- **Branch prefix**: story\n")
    assert (found.branches.prefix, found.warnings) == ("story", ())


def test_crlf_and_byte_order_mark(tmp_path: Path):
    text = "\ufeff" + CANONICAL.replace("\n", "\r\n")
    (tmp_path / "CLAUDE.md").write_bytes(text.encode())
    found = load_configuration(tmp_path)
    assert found.warnings == ()
    assert found.search.engine == "qmd"
    assert found.pull_requests.ref_keyword == "See"


def test_an_example_in_a_code_fence_is_ignored():
    found = read(
        "## Architecture Context\n"
        "```markdown\n### SDD Configuration\n#### Search\n- **Engine**: qmd\n```\n"
        "<!--\n### SDD Configuration\n#### Search\n- **Engine**: qmd\n-->\n"
        "### SDD Configuration\n~~~\n- **Share Vectors**: true\n~~~\n"
    )
    assert found.search == Configuration().search


def test_settings_outside_the_configuration_are_ignored():
    found = read("### SDD Configuration\n#### Search\n### Else\n#### Search\n- **Engine**: qmd\n")
    assert found.search.engine == "embedded"


def test_empty_values_keep_the_default():
    found = configure(
        "#### PR Conventions\n"
        "- **Ref Keyword**:\n- **Close Keyword**: (tracker's own)\n- **Enabled**: -\n"
    )
    assert found.pull_requests == Configuration().pull_requests
    assert found.warnings == ()


def test_unknown_key_and_section_are_named_with_their_line():
    text = (
        "\n#### Index Freshness\n- **Stalenes Threshold**: 30m\n#### Serch\n- **Engine**: qmd\n"
        "##### Review\n- **Max Suggestions**: 9\n#### Coding Models\ntext\n- **Fantasy**: 1\n"
        "#### Review\n- Max Agents: 3\n"
    )
    assert warnings(text) == [
        "CLAUDE.md:4: unknown key 'Stalenes Threshold' in 'Index Freshness':"
        " did you mean 'Staleness Threshold'?",
        "CLAUDE.md:5: unknown section 'Serch': did you mean 'Search'?",
        "CLAUDE.md:9: unknown section 'Coding Models'",
        "CLAUDE.md:13: unknown key 'Max Agents' in 'Review'",
    ]
    assert configure(text).review.max_suggestions == 1


def test_unknown_flat_key():
    assert warnings(
        "- **Hotspot treshold**: 40%\n- **Zzz**: 1\nNote: text is text\n- See: text too\n"
    ) == [
        "CLAUDE.md:2: unknown key 'Hotspot treshold': did you mean 'Hotspot Threshold'?",
        "CLAUDE.md:3: unknown key 'Zzz'",
    ]


def test_a_flat_key_of_two_sections_is_ambiguous():
    found = configure("- **Auto Cleanup**: true\n")
    assert [str(w) for w in found.warnings] == [
        "CLAUDE.md:2: 'Auto Cleanup' is a key of 'Review' or 'Worktrees': put it under one of them"
    ]


def test_a_duplicate_key_is_a_warning_and_the_last_value_applies():
    found = configure("#### Worktrees\n- **Max Agents**: 4\n- **Max Agents**: 5\n")
    assert found.worktrees.max_agents == 5
    assert [w.line for w in found.warnings] == [4]


def test_tables_and_prose_cause_no_warnings():
    assert warnings("\n| Item | Value |\n|---|---|\n| Mode | hybrid |\n\nWe use it: daily.\n") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "#### Index Freshness\n- **Staleness Threshold**: soon\n",
            "CLAUDE.md:3: 'Staleness Threshold' must be"
            " a duration such as 30m, 4h or 1h30m, not 'soon'",
        ),
        (
            "\n\n#### Search\n- **Vector Storage**: int4\n",
            "CLAUDE.md:5: 'Vector Storage' must be int8 or float32, not 'int4'",
        ),
        (
            "- **Max parallel agents**: many\n",
            "CLAUDE.md:2: 'Max Agents' must be a whole number from 1 to 100, not 'many'",
        ),
    ],
)
def test_an_invalid_value_is_an_error_with_file_and_line(text: str, message: str):
    with pytest.raises(ConfigurationError) as caught:
        configure(text)
    assert str(caught.value) == message
    assert caught.value.exit_code == 5


def test_an_error_is_one_short_line_for_any_value():
    with pytest.raises(ConfigurationError) as caught:
        configure("- **Max pairs**: \x1b[31m" + "x" * 10_000 + "\n")
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_a_module_overrides_the_root_key_by_key(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_text(CANONICAL)
    module = tmp_path / "services" / "api"
    module.mkdir(parents=True)
    (module / "AGENTS.md").write_text(
        "### SDD Configuration\n#### Tracker\n- **Repo**: api\n- **Odd**: 1\n"
    )
    root = load_configuration(tmp_path)
    found = load_configuration(module, root)
    assert (found.tracker.type, found.tracker.owner, found.tracker.repo) == (
        "gitea",
        "myorg",
        "api",
    )
    assert found.search == root.search
    assert found.memory_file == module / "AGENTS.md"
    assert [w.path for w in found.warnings] == [module / "AGENTS.md"]


def test_a_module_without_a_memory_file_inherits_everything(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_text(CANONICAL)
    root = load_configuration(tmp_path)
    found = load_configuration(tmp_path / "nowhere", root)
    assert found.tracker == root.tracker
    assert found.memory_file is None


def test_an_unreadable_memory_file_is_a_warning(tmp_path: Path):
    (tmp_path / "CLAUDE.md").symlink_to("/etc/hostname")
    found = load_configuration(tmp_path)
    assert [str(w) for w in found.warnings] == [
        f"{tmp_path}/CLAUDE.md: not read: CLAUDE.md: leaves the repository"
    ]


def test_a_file_in_another_format_causes_few_warnings():
    assert len(warnings("- **Fantasy**: 1\n" * 1000)) == 20
    assert len(warnings("- **Owner**: me\n" * 1000)) == 20


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "<!--" * (size // 4),
        lambda size: "<!-- -->" * (size // 8),
        lambda size: "`<!-- -->" * (size // 9),
        lambda size: "- **Repo**: " + "`" * size,
        lambda size: "### " + "[" * size,
        lambda size: "### x" + " " * size + "y",
        lambda size: "- **Repo**: a" + " " * size + "b",
        lambda size: "- **Max Pairs**: a" + " (" * (size // 2),
        lambda size: "- **Review" + " " * size + "x",
        lambda size: "- Specifications are in `a" + " " * size,
        lambda size: "- Specifications are in " + "a/" * (size // 2),
        lambda size: "- Specifications are in `a/b`\n" * (size // 30),
        lambda size: "### SDD Configuration\n" * (size // 22),
        lambda size: "#### Fantasy\n" * (size // 13),
        lambda size: "- **Fantasy**: x\n" * (size // 17),
        lambda size: "### Workspace Modules\n| Module | Root |\n" + "|-" * (size // 2),
        lambda size: "### Workspace Modules\n| Module | Root |\n|-|-|\n| a | " + "\\" * size,
        lambda size: "### Workspace Modules\n| Module | Root |\n|-|-|\n| a | " + "b" * size + "\\",
        lambda size: "### Workspace Modules\n| Module | Root |\n" + " " * size + "x",
        lambda size: "### Workspace Modules\n| Module | Root |\n|-|-|\n" + "|a|b|\n" * (size // 6),
    ],
    ids=lambda text: ascii(text(30)[:30]),
)
def test_any_memory_file_takes_linear_time(tmp_path: Path, text: Callable[[int], str]):
    def make(size: int) -> Repo:
        repo = Repo.init(tmp_path / str(size))
        repo.write("CLAUDE.md", "## Architecture Context\n### SDD Configuration\n" + text(size))
        return repo

    def load(repo: Repo) -> None:
        with contextlib.suppress(ConfigurationError):
            load_configuration(repo.root)
        memory, _ = find_memory_file(repo.root)
        with contextlib.suppress(ConfigurationError):
            find_modules(repo.handle, memory)
        with contextlib.suppress(ConfigurationError):
            declared = resolve_declarations(repo.root, "", memory)
            build_layout("", declared, Recognition((), 0))
            list(check_declarations(repo.handle, memory.path, declared) if memory else ())

    assert_linear(load, make, 50_000)


lines = st.lists(
    st.one_of(
        st.sampled_from(CANONICAL.splitlines()),
        st.text(alphabet=st.sampled_from("#*-_:` \tabc12"), max_size=30),
    ),
    max_size=30,
)


@given(lines)
def test_any_memory_file_is_read_or_refused_with_a_line(text: list[str]):
    try:
        found = read("\n".join(text))
    except ConfigurationError as error:
        assert 0 < error.line <= len(text)
    else:
        assert all(0 < w.line <= len(text) for w in found.warnings)


def test_a_value_knows_where_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text(
        "## SDD Configuration\n\n- **Engine**: qmd\n\n#### Tracker\n\n- **Type**: jira\n"
    )
    root = load_configuration(tmp_path)
    assert root.locate("search", "engine") == (path, 3)
    assert root.locate("tracker", "type") == (path, 7)
    assert root.locate("tracker", "url") is None
    # An option replaces the value in the file.
    changed = root._replace(search=root.search._replace(engine="embedded"))
    assert changed.locate("search", "engine") is None
    module = tmp_path / "api"
    module.mkdir()
    (module / "CLAUDE.md").write_text("## SDD Configuration\n\n- **Type**: gitea\n")
    inherited = load_configuration(module, root)
    assert inherited.locate("search", "engine") == (path, 3)
    assert inherited.locate("tracker", "type") == (module / "CLAUDE.md", 3)
