"""Repositories elsewhere, as the memory file declares them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.config.memory_file import read_memory_file
from sdd_hooks.project.external_sources import (
    MAX_ORGANISATION,
    MAX_SOURCES,
    DeclaredSources,
    SourceAddress,
    find_external_sources,
    parse_address,
)
from tests.support.repos import Repo

HANDBOOK = "https://github.com/acme/handbook"


def declared(*lines: str) -> DeclaredSources:
    """The sources of a memory file with these lines under `## Architecture Context`."""
    text = "\n".join(["# Project", "", "## Architecture Context", "", *lines])
    return find_external_sources(read_memory_file(Path("CLAUDE.md"), text.encode()))


def line(where: str) -> str:
    return f"- Architecture Decision Records are also in {where}"


@pytest.mark.parametrize(
    "written",
    [
        HANDBOOK,
        f"`{HANDBOOK}`",
        f"<{HANDBOOK}>",
        f"[the handbook]({HANDBOOK})",
        f"{HANDBOOK}.",
    ],
)
def test_an_address_is_read_in_every_form(written: str) -> None:
    (source,) = declared(line(written)).sources
    assert source.address == SourceAddress(HANDBOOK, "https", "github.com", "", "acme/handbook")
    assert (source.name, source.paths, source.trusts_rules) == ("acme", (), False)


def test_directories_and_trust_are_read() -> None:
    (source,) = declared(
        line(f"{HANDBOOK} (`docs/adr`, decisions/)"), "  - **Trust**: rules"
    ).sources
    assert source.paths == ("docs/adr", "decisions")
    assert source.trusts_rules
    assert source.line == 5


def test_trust_belongs_to_the_line_above_it() -> None:
    first, second = declared(
        line("https://a.example/one/x"), line("https://a.example/two/x"), "  - Trust: `rules`"
    ).sources
    assert (first.trusts_rules, second.trusts_rules) == (False, True)
    # An item at the same indentation belongs to none.
    assert not declared(line(HANDBOOK), "- **Trust**: rules").sources[0].trusts_rules


def test_an_unknown_trust_is_a_problem_and_trusts_nothing() -> None:
    sources, problems, _ = declared(line(HANDBOOK), "  - **Trust**: everything")
    assert not sources[0].trusts_rules
    assert problems == ((6, "Trust 'everything' is unknown: write `rules`, or remove the line"),)


@pytest.mark.parametrize(
    "refused",
    [
        "file:///srv/records.git",
        "/srv/records.git",
        "../records",
        "records",
        "ext::sh -c id",
        "ext::sh",
        "http://github.com/acme/handbook",
        "ftp://github.com/acme/handbook",
        "-uhttps://github.com/acme/handbook",
        "--upload-pack=id",
        "https://-oProxyCommand=id/acme/handbook",
        "ssh://-oProxyCommand=id/acme/handbook",
        "git@-oProxyCommand:acme/handbook",
        "git@github.com:-x/handbook",
        "git@github.com:../handbook",
        "https://github.com/acme/../handbook",
        "https://github.com/",
        "https://github.com/.git",
        "https://token@github.com/acme/handbook",
        "https://user:token@github.com/acme/handbook",
        "https://github.com:99999/acme/handbook",
        "https://github.com/acme/handbook?x=1",
        "https://github.com/acme/handbook#x",
        "https://github.com/acme/%2e%2e/handbook",
        "C:\\records",
        "ssh://host/a/`id`",
        "git@host:a\u202eb/c",
        "https://github.com/" + "a" * 300,
    ],
)
def test_every_other_address_is_refused(refused: str) -> None:
    assert isinstance(parse_address(refused), str)


def test_a_refused_address_is_a_warning_with_its_line(repo: Repo) -> None:
    repo.write("CLAUDE.md", f"## Architecture Context\n\n{line('file:///srv/records.git')}\n")
    (warning,) = repo.project().warnings
    assert warning == (
        "CLAUDE.md:3: 'file:///srv/records.git' is refused: write https://HOST/PATH,"
        " ssh://HOST/PATH, git://HOST/PATH"
    )
    assert not repo.project().external.sources


@pytest.mark.parametrize(
    ("written", "scheme", "host", "path"),
    [
        ("git@github.com:acme/handbook.git", "ssh", "github.com", "acme/handbook"),
        ("ssh://git@git.example.com:2222/acme/handbook", "ssh", "git.example.com", "acme/handbook"),
        ("git://git.example.com/handbook.git", "git", "git.example.com", "handbook"),
        ("HTTPS://GitHub.com/acme/.github", "https", "github.com", "acme/.github"),
        ("https://git.example.com/group/sub/repo/", "https", "git.example.com", "group/sub/repo"),
    ],
)
def test_the_parts_of_an_address(written: str, scheme: str, host: str, path: str) -> None:
    address = parse_address(written)
    assert isinstance(address, SourceAddress)
    assert (address.url, address.scheme, address.host, address.path) == (
        written,
        scheme,
        host,
        path,
    )


@given(st.text(max_size=60))
def test_an_address_never_contains_what_a_program_reads_as_an_option(text: str) -> None:
    for candidate in (text, f"https://{text}", f"git@{text}", f"ssh://{text}", f"git://h/{text}"):
        address = parse_address(candidate)
        if isinstance(address, SourceAddress):
            assert address.url.isprintable()
            assert not any(part.startswith("-") for part in (address.host, address.path))
            assert not any(part.startswith("-") for part in address.path.split("/"))
            assert "::" not in address.url
            assert not {"", ".", ".."} & {*address.path.split("/")}


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_memory_file_can_be_read(lines: list[str]) -> None:
    found = declared(*[line(text) for text in lines])
    names = [source.name for source in found.sources]
    assert len(names) == len(set(names))


def test_a_directory_outside_is_refused() -> None:
    for path in ("../secret", "docs/../..", ":glob/**", "-x", "a, .."):
        sources, problems, _ = declared(line(f"{HANDBOOK} ({path})"))
        assert not sources
        assert "is no directory" in problems[0].text
    sources, problems, _ = declared(line(f"{HANDBOOK} (:(glob)**)"))
    assert not sources
    assert problems[0].text == "names a directory in a wrong way: write (docs/adr)"


def test_names_tell_sources_apart() -> None:
    found = declared(
        line("https://github.com/acme/handbook"),
        line("https://github.com/acme/rfcs"),
        line("git@github.com:other/adr.git"),
        line("https://git.example.com/acme/rfcs"),
    )
    assert [source.name for source in found.sources] == [
        "acme/handbook",
        "github.com/acme/rfcs",
        "other",
        "git.example.com/acme/rfcs",
    ]
    names = found.names
    assert names["other"] == names["other/adr"] == "other"
    assert names["acme/handbook"] == "acme/handbook"
    # Several have this name: it stands for none of them, and not for this repository.
    assert names["acme"] == "acme"
    assert names["acme/rfcs"] == "acme/rfcs"


def test_one_repository_is_one_source_in_any_spelling() -> None:
    found = declared(line(HANDBOOK), line("git@github.com:acme/Handbook.git"))
    assert [source.address.url for source in found.sources] == [HANDBOOK]


def test_sources_have_a_limit() -> None:
    lines = [line(f"https://a.example/o{number}/x") for number in range(MAX_SOURCES + 1)]
    sources, problems, _ = declared(*lines)
    assert len(sources) == MAX_SOURCES
    assert problems[0].text == f"more than {MAX_SOURCES} repositories: this one is left out"


def test_a_line_elsewhere_declares_nothing() -> None:
    text = (
        f"## Notes\n\n{line(HANDBOOK)}\n\n## Architecture Context\n\n```\n{line(HANDBOOK)}\n```\n"
    )
    memory = read_memory_file(Path("CLAUDE.md"), text.encode())
    assert find_external_sources(memory) == DeclaredSources()
    assert find_external_sources(None) == DeclaredSources()


def test_a_local_declaration_is_no_source() -> None:
    assert declared("- Architecture Decision Records are in `docs/adrs/`") == DeclaredSources()


def indexed(names: str) -> str:
    return line(f"the organisation's index ({names})")


def test_repositories_of_the_organisations_index_are_named() -> None:
    found = declared(
        indexed("git.example.com/acme/Handbook, `git.example.com/acme/shop`"),
        line("the organization index: other.example/acme/shop"),
        indexed("git.example.com/single, git.example.com/acme/shop"),
        line(HANDBOOK),
        indexed("github.com/acme/handbook"),
    )
    assert not found.problems
    # What is fetched needs no index.
    assert found.organisation == (
        "git.example.com/acme/handbook",
        "git.example.com/acme/shop",
        "other.example/acme/shop",
        "git.example.com/single",
    )
    # The fetched repository has the names that it had.
    assert found.names["acme/handbook"] == "acme"
    assert set(found.organisation_names.values()) == {*found.organisation}


def test_a_repository_of_the_index_is_called_by_its_path() -> None:
    found = declared(indexed("git.example.com/acme/shop, git.example.com/acme/handbook"))
    assert found.names == {
        "acme/shop": "acme/shop",
        "git.example.com/acme/shop": "acme/shop",
        "acme/handbook": "acme/handbook",
        "git.example.com/acme/handbook": "acme/handbook",
    }


@pytest.mark.parametrize(
    "names",
    ["", "*", "git.example.com/acme/*", "shop", "a/../b", "https://git.example/acme/x", "-"],
)
def test_another_text_names_no_repository_of_the_index(names: str) -> None:
    found = declared(indexed(names))
    assert not found.organisation
    assert len(found.problems) == 1


def test_at_most_fifty_repositories_of_the_index_are_used() -> None:
    found = declared(*(indexed(f"git.example/acme/r{number}") for number in range(60)))
    assert len(found.organisation) == MAX_ORGANISATION
    (problem,) = found.problems
    assert problem.line == 55


@given(st.text(max_size=80))
def test_any_text_behind_the_index_is_read(names: str) -> None:
    found = declared(indexed(" ".join(names.split())))
    assert all(one == one.lower() and "/" in one for one in found.organisation)
