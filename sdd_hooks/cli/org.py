"""`sdd org`: prepare the index of an organisation, grant it to roles, and show its state."""

# Governing: SPEC-0033 REQ "State of the organisation", ADR-0060 (grants of the organisation's
# index)

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Literal, cast

import click

from sdd_hooks.cli.shared.lazy import CommandGroup
from sdd_hooks.cli.shared.options import json_option
from sdd_hooks.cli.shared.output import CommandOutput, format_count, printable_line, show, table
from sdd_hooks.engines.organisation import (
    OrganisationAdministration,
    OrganisationGrant,
    RepositoryStatus,
)
from sdd_hooks.engines.registry import find_shared
from sdd_hooks.errors import SddError
from sdd_hooks.remote.urls import parse_remote
from sdd_hooks.reporting.everywhere import DAY, SCHEMA_VERSION, describe_age
from sdd_hooks.text.lazy_regex import lazy_regex

EVERY = "*"
_MEGABYTE = 1_000_000
_NAME = lazy_regex(r"[^/\s@\\]+(?:/[^/\s]+)+")


class NoSuchGrant(SddError):
    """A grant to revoke does not exist."""

    code = "no-grant"


def repository_options(command: Callable[..., int]) -> Callable[..., int]:
    """The role, and the repositories of a grant."""
    command = click.argument("repositories", metavar="[REPOSITORY]...", nargs=-1)(command)
    command = click.argument("role", metavar="ROLE")(command)
    return click.option("--all", "every", is_flag=True, help="Every repository.")(command)


@click.group(cls=CommandGroup)
def org() -> None:
    """Prepare the index of an organisation, grant it to roles, and show its state.

    The address of the server is in SDD_POSTGRES_DSN, or in the section PGSERVICE of a service file.

    \b
    Example:
      sdd org init
      sdd org grant write payments_ci git.example.com/acme/payments
      sdd org status
    """


@org.command()
@json_option
def init(as_json: bool) -> int:
    """Create the index of the organisation, or bring it to this version.

    Needs a role that may create a schema in the database; it owns the index. Run it again after an
    upgrade of sdd.

    \b
    Example:
      sdd org init
    """
    with closing(_administer()) as index:
        steps = index.prepare()
        done = "is up to date" if not steps else "is ready"
        data = {"schema_version": SCHEMA_VERSION, "place": index.place, "steps": steps}
        lines = [f"the organisation's index on {index.place} {done}"]
        return show(CommandOutput(data, lines), as_json)


@org.command()
@click.argument("right", type=click.Choice(["read", "write"]))
@repository_options
@json_option
def grant(role: str, right: str, repositories: tuple[str, ...], every: bool, as_json: bool) -> int:
    """Let a role of the server read, or read and write, repositories.

    A repository is named by its remote, as HOST/OWNER/NAME, and need not be indexed yet. The role
    exists already; its members have its grants.

    \b
    Example:
      sdd org grant write payments_ci git.example.com/acme/payments
      sdd org grant read developers --all
    """
    names = _names(repositories, every)
    with closing(_administer()) as index:
        for name in names:
            index.grant(OrganisationGrant(role, name, cast(Literal["read", "write"], right)))
    data = {"schema_version": SCHEMA_VERSION, "role": role, "right": right, "repositories": names}
    verb = "reads and writes" if right == "write" else "reads"
    line = printable_line(f"{role} {verb} {_describe(names)}")
    return show(CommandOutput(data, [line]), as_json)


@org.command()
@repository_options
@json_option
def revoke(role: str, repositories: tuple[str, ...], every: bool, as_json: bool) -> int:
    """Remove the grants of a role for repositories.

    \b
    Example:
      sdd org revoke developers --all
    """
    names = _names(repositories, every)
    with closing(_administer()) as index:
        for name in names:
            if not index.revoke(role, name):
                raise NoSuchGrant(
                    f"{role} has no grant for {_describe([name])}: see `sdd org status --grants`"
                )
    data = {"schema_version": SCHEMA_VERSION, "role": role, "repositories": names}
    line = printable_line(f"{role} has no grant for {_describe(names)} any more")
    return show(CommandOutput(data, [line]), as_json)


@org.command()
@click.option("--grants", "with_grants", is_flag=True, help="Show who may read and write, too.")
@json_option
def status(with_grants: bool, as_json: bool) -> int:
    """Show the repositories of the organisation's index: freshness, sizes, failures.

    Shows those that the role of the connection may read.

    \b
    Example:
      sdd org status
      sdd org status --grants --json
    """
    now = time.time()
    with closing(_administer()) as index:
        repositories = index.repositories()
        grants = index.grants() if with_grants else []
        place = index.place
    data: dict[str, object] = {
        "schema_version": SCHEMA_VERSION,
        "place": place,
        "repositories": [
            {**one._asdict(), "problems": _problems(one, now)} for one in repositories
        ],
    }
    lines = _table(repositories, now) if repositories else [f"no repository on {place}"]
    if with_grants:
        data["grants"] = [one._asdict() for one in grants]
        rows = [(one.role, one.right, one.repository) for one in grants]
        lines += ["", *(table(rows) or ["no grants"])]
    return show(CommandOutput(data, lines), as_json)


def _administer() -> OrganisationAdministration:
    return find_shared(os.environ).administer(os.environ)


def _names(repositories: tuple[str, ...], every: bool) -> list[str]:
    if every == bool(repositories):
        raise click.UsageError("name repositories as HOST/OWNER/NAME, or give --all")
    for name in repositories:
        remote = parse_remote(name)
        if remote is not None:
            address = f"{remote.host}/{remote.path}".lower()
            raise click.UsageError(f"{name!r} is an address of a repository: write {address}")
        host = name.partition("/")[0]
        is_name = _NAME.fullmatch(name) and (name.count("/") > 1 or re.search("[.:]", host))
        if not is_name or name.endswith(".git"):
            raise click.UsageError(f"{name!r} is no repository: write HOST/OWNER/NAME")
    return [EVERY] if every else [*dict.fromkeys(name.lower() for name in repositories)]


def _describe(names: list[str]) -> str:
    return "every repository" if names == [EVERY] else ", ".join(names)


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= _MEGABYTE else f"{count / 1e3:,.1f} kB"


def _problems(one: RepositoryStatus, now: float) -> list[str]:
    problems = [f"{name} is not completely indexed" for name in one.incomplete]
    if one.touched is None:
        problems.append("never refreshed completely")
    elif now - one.touched > DAY:
        problems.append("not refreshed for a day")
    if one.pending:
        problems.append(f"{format_count(one.pending, 'chunk')} without a vector")
    return problems


def _table(repositories: Sequence[RepositoryStatus], now: float) -> list[str]:
    rows: list[tuple[object, ...]] = [
        ("repository", "refreshed", "commit", "documents", "chunks", "size", "problems")
    ]
    for one in repositories:
        age = describe_age(one.touched, now).removeprefix("refreshed ")
        numbers = (one.documents, one.chunks, _size(one.bytes))
        problems = "; ".join(_problems(one, now)) or "-"
        rows.append((one.name, age, one.head[:12] or "-", *numbers, problems))
    return table(rows)
