import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import ConfigurationError
from sdd_hooks.setup.memory_file import RequiredContent, add_sections, find_old_headings

PATH = Path("CLAUDE.md")
REQUIRED = RequiredContent(
    adrs=("docs/adrs",),
    specs=("docs/openspec/specs",),
    migrated={},
    defaults={
        "Search": (("Engine", "embedded"),),
        "Index Freshness": (("Staleness Threshold", "120m"),),
    },
)
CREATED = """\
## Architecture Context

Decisions and specifications govern the code. `sdd search` finds those that apply to a change.

- Architecture Decision Records are in `docs/adrs/`
- Specifications are in `docs/openspec/specs/`

### SDD Configuration

#### Search

- **Engine**: embedded

#### Index Freshness

- **Staleness Threshold**: 120m
"""


def run(text, facts=REQUIRED):
    after = add_sections(text.encode(), facts, PATH)
    assert after is None or add_sections(after, facts, PATH) is None
    return text if after is None else after.decode()


def with_migrated(**sections):
    return RequiredContent(REQUIRED.adrs, REQUIRED.specs, sections, REQUIRED.defaults)


def test_a_new_file_has_every_section():
    after = add_sections(None, REQUIRED, PATH)
    assert after == CREATED.encode()
    assert add_sections(after, REQUIRED, PATH) is None


def test_sections_are_appended_to_existing_text():
    assert run("# Shop\n\nBe brief.") == "# Shop\n\nBe brief.\n\n" + CREATED


def test_a_missing_directory_is_added_to_the_list():
    text = """\
# Shop

## Architecture Context

- Architecture Decision Records are in `doc/adr/`

### SDD Skills

| Skill | Purpose |
|---|---|
| `/mine:foo` | Mine |

## Style
Tabs.
"""
    assert (
        run(text)
        == """\
# Shop

## Architecture Context

- Architecture Decision Records are in `doc/adr/`
- Specifications are in `docs/openspec/specs/`

### SDD Skills

| Skill | Purpose |
|---|---|
| `/mine:foo` | Mine |

### SDD Configuration

#### Search

- **Engine**: embedded

#### Index Freshness

- **Staleness Threshold**: 120m

## Style
Tabs.
"""
    )


def test_text_of_the_user_is_kept():
    text = CREATED.replace("120m", "30m").replace(
        "embedded\n", "embedded\n- **Vector Storage**: float32\n"
    )
    assert run(text) == text
    without = text.replace("- **Staleness Threshold**: 30m\n", "- **Prime Interval**: 10s\n")
    assert run(without) == without


def test_settings_without_a_section_are_recognised():
    text = """\
## Architecture Context

- Architecture Decision Records are in docs/adrs/
- Specifications are in docs/openspec/specs/

### SDD Configuration

**Tracker**: GitHub
**Engine**: embedded
- **Staleness threshold**: 30m
"""
    assert run(text) == text
    migrated = with_migrated(Tracker=(("Type", "github"), ("Owner", "acme")))
    assert run(text, migrated) == text


def test_a_level_two_configuration_gets_level_three_sections():
    text = CREATED.split("### SDD")[0] + "## SDD Configuration\n\n- **Hotspot threshold**: 40%\n"
    after = run(text)
    assert after.startswith(text + "\n### Search\n\n- **Engine**: embedded\n")
    assert after.count("SDD Configuration") == 1


def test_old_headings_are_renamed_in_place():
    """Scenario "The heading of older versions" of SPEC-0001."""
    text = (
        CREATED.replace("SDD Configuration", "Design Plugin Configuration")
        + "\n### Design Plugin Skills\n\n| `/design:adr` | x |\n"
    )
    after = run(text)
    assert after == text.replace("Design Plugin", "SDD")
    assert find_old_headings(after.encode()) == ()


def test_an_old_heading_beside_its_new_form_is_kept():
    text = CREATED + "\n### Design Plugin Configuration\n\n- **Tracker**: gitea\n"
    assert run(text) == text
    assert find_old_headings(text.encode()) == ("Design Plugin Configuration",)


def test_migrated_settings_are_added_and_never_overwrite():
    text = CREATED.replace("#### Search", "#### Tracker\n\n- **Type**: gitea\n\n#### Search")
    facts = with_migrated(
        Tracker=(("Type", "github"), ("Owner", "acme")), Review=(("Max Pairs", "3"),)
    )
    after = run(text, facts)
    assert "#### Tracker\n\n- **Type**: gitea\n- **Owner**: acme\n\n#### Search" in after
    assert after.endswith("120m\n\n#### Review\n\n- **Max Pairs**: 3\n")


def test_crlf_and_byte_order_mark_stay():
    before = b"\xef\xbb\xbf# Shop\r\n\r\nText\r\n"
    after = add_sections(before, REQUIRED, PATH)
    assert after.startswith(before)
    assert re.search(rb"[^\r]\n", after) is None
    assert add_sections(after, REQUIRED, PATH) is None
    created = b"\xef\xbb\xbf" + CREATED.encode()
    assert add_sections(created, REQUIRED, PATH) is None


def test_bytes_that_are_not_utf8_are_kept():
    before = b"# Caf\xe9\n"
    assert add_sections(before, REQUIRED, PATH).startswith(before)


def test_headings_in_code_are_not_sections():
    text = "# Shop\n\n```\n## Architecture Context\n### SDD Configuration\n```\n"
    assert run(text) == text + "\n" + CREATED


def test_an_unclosed_fence_is_refused():
    for text in ("# Shop\n\n```sh\nls\n", "# Shop\n\n<!-- note\n"):
        with pytest.raises(ConfigurationError, match=r"CLAUDE\.md: .* never closed: close it"):
            add_sections(text.encode(), REQUIRED, PATH)


def test_utf16_is_refused():
    with pytest.raises(ConfigurationError, match="UTF-16"):
        add_sections("# Shop\n".encode("utf-16"), REQUIRED, PATH)


LINES = st.sampled_from(
    [
        "", "", "# Shop", "## Architecture Context", "### SDD Configuration", "## Setup",
        "## SDD Configuration", "#### Search", "#### Index Freshness", "### Search", "#### Tracker",
        "- Architecture Decision Records are in `adr/`", "- Specifications are in specs",
        "- **Engine**: embedded", "**Tracker**: GitHub", "- **Type**: github", "text", "text  ",
        "Title", "=====", "---", "| a | b |", "```", "~~~", "<!--", "-->", "    code", "> quote",
        "### Design Plugin Configuration", "### Design Plugin Skills", "<pre>", "</pre>",
    ]
)  # fmt: skip


@given(st.lists(LINES, max_size=14), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_a_second_run_changes_nothing_and_lines_are_kept(lines, newline, final, migrate):
    facts = with_migrated(Tracker=(("Type", "x"), ("Owner", "y"))) if migrate else REQUIRED
    before = newline.join(lines) + (newline if final else "")
    try:
        after = add_sections(before.encode(), facts, PATH)
    except ConfigurationError as error:
        assert "never closed" in str(error)
        return
    if after is None:
        return
    text = after.decode()
    assert add_sections(after, facts, PATH) is None
    rest = iter(text.splitlines())
    for line in before.splitlines():
        renamed = line.replace("Design Plugin", "SDD")
        assert any(candidate in (line, renamed) for candidate in rest), line
