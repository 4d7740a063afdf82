import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.artifacts.adr import read_adr
from sdd_hooks.artifacts.applies_to import MAX_ENTRIES, AppliesTo, read_applies_to
from tests.support.cpu_time import assert_linear

BODY = "# ADR-0007: Sweep the outbox\n\n## Decision\n\nA sweeper takes a lease.\n"


def applies_to(text: str) -> AppliesTo:
    record = read_adr("docs/adrs/ADR-0007-x.md", text)
    assert record is not None
    return read_applies_to(record, text)


def entries(matter: str) -> list[tuple[str, str]]:
    found = applies_to(f"---\n{matter}\n---\n\n{BODY}")
    return [(entry.kind, entry.text) for entry in found.entries]


def test_patterns_and_symbols_have_their_lines() -> None:
    text = (
        "---\nstatus: accepted\napplies-to:\n  - src/outbox/\n  - '*.sql'\n  - OutboxSweeper\n"
        f"  - sweep()\n---\n\n{BODY}"
    )
    assert [tuple(entry) for entry in applies_to(text).entries] == [
        ("glob", "src/outbox/", 4),
        ("glob", "*.sql", 5),
        ("symbol", "OutboxSweeper", 6),
        ("symbol", "sweep()", 7),
    ]


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("src", "glob"),
        ("Makefile", "glob"),
        ("setup.py", "glob"),
        ("outbox_table.py", "glob"),
        ("docs/README.md", "glob"),
        ("'*.{ts,tsx}'", "glob"),
        ("outbox_lease", "symbol"),
        ("Store.sweep", "symbol"),
        ("store::sweep", "symbol"),
        ("Store#sweep", "symbol"),
    ],
)
def test_an_entry_is_a_pattern_or_a_symbol(entry: str, kind: str) -> None:
    assert entries(f"applies-to: [{entry}]") == [(kind, entry.strip("'"))]


@pytest.mark.parametrize(
    "matter",
    [
        "applies_to: src/**",
        "Applies To: src/**",
        "appliesTo: [src/**]",
        "applicable-to: src/**",
        "affects: [src/**, Billing, v1.0, 'all of it']",
        "affected_files: [src/**]",
        "scope: src/**, core",
        "paths: ['src/**']",
        "globs: src/**",
        "applies-to: {paths: [src/**]}",
        "applies-to: [{glob: src/**}, {type: service, id: Payment}]",
    ],
)
def test_the_names_of_other_tools_are_read(matter: str) -> None:
    """Scenario "A field of another tool" of SPEC-0002."""
    assert entries(matter) == [("glob", "src/**")]


def test_a_mapping_says_what_an_entry_is() -> None:
    assert entries("applies-to: {symbols: [Store, sweep], paths: [Store]}") == [
        ("symbol", "Store"),
        ("symbol", "sweep"),
    ]


@pytest.mark.parametrize(
    "matter",
    [
        "applies-to:",
        "applies-to: 3",
        "applies-to: ['']",
        "applies-to: ['../other', '/', '!src/a.py', 'https://example.org/a']",
        "applies-to: [SPEC-0007, ADR-0003]",
        "applies-to: the whole of the shop",
        "applies-to: ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}']",
        "scope: agent, subagent",
        "affects: [Billing, Orders]",
        "governs: [SPEC-0007]",
        "tags: [src/a.py]",
    ],
)
def test_other_values_are_no_entries(matter: str) -> None:
    assert entries(matter) == []


@pytest.mark.parametrize("heading", ["## Applies To", "## Affects", "### Affected files"])
def test_a_section_lists_entries(heading: str) -> None:
    text = f"{BODY}\n{heading}\n\nCode that sends:\n\n- `src/outbox/**`: all\n- src/relay.py too\n"
    found = applies_to(text)
    assert [(entry.text, entry.line) for entry in found.entries] == [
        ("src/outbox/**", 11),
        ("src/relay.py", 12),
    ]


def test_a_field_above_the_sections_lists_entries() -> None:
    text = BODY.replace(
        "\n\n## Decision", "\n\n- **Affects**: `src/outbox/`, `lib/`\n\n## Decision"
    )
    assert [entry.text for entry in applies_to(text).entries] == ["src/outbox/", "lib/"]


def test_prose_and_code_say_nothing() -> None:
    text = f"{BODY}\nThe scope: src/a.py\n\n```yaml\napplies-to: src/**\n```\n"
    assert applies_to(text).entries == ()


def test_the_first_matching_pattern_is_found() -> None:
    found = applies_to(f"---\napplies-to: [lib/, src/outbox/, src/]\n---\n\n{BODY}")
    entry = found.match("src/outbox/store.py")
    assert entry is not None
    assert entry.text == "src/outbox/"
    assert found.match("docs/a.md") is None


def test_the_entries_of_one_record_are_limited() -> None:
    many = ", ".join(f"src/part{number}/" for number in range(MAX_ENTRIES + 5))
    assert len(entries(f"applies-to: [{many}]")) == MAX_ENTRIES


@given(st.text(max_size=200), st.sampled_from(["applies-to: ", "scope: ", "## Applies To\n\n- "]))
def test_any_text_is_read(text: str, name: str) -> None:
    matter = f"---\n{name}{text}\n---\n\n{BODY}" if name[0] != "#" else f"{BODY}\n{name}{text}\n"
    for entry in applies_to(matter).entries:
        assert entry.kind in {"glob", "symbol"}
        assert entry.line >= 1


def test_thousands_of_hostile_patterns_cost_linear_time() -> None:
    text = f"---\napplies-to: ['{'**/' * 99}{{a,b}}{{c,d}}*x']\n---\n\n{BODY}\n## Applies To\n\n"

    def read_and_match(size: int) -> None:
        found = applies_to(text + "".join(f"- `{n}/{'**/*' * 40}`\n" for n in range(size)))
        found.match("a/" * 50 + "x")

    assert_linear(read_and_match, lambda size: size, 2_000)
