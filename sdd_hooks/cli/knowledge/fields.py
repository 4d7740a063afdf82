"""What the commands of `sdd knowledge` share: fields from flags, from JSON, or from an editor."""

# Governing: SPEC-0028 REQ "Input"

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import click

from sdd_hooks.cli.shared.context import start_directory
from sdd_hooks.cli.shared.options import Command
from sdd_hooks.usecases.knowledge.entries import KnowledgeBase, open_knowledge

MAX_INPUT_BYTES = 8 << 20


tags_option = click.option(
    "--tags",
    multiple=True,
    metavar="TAG,TAG",
    help="Domains, with commas between them. Repeatable.",
)
"""The domains of an entry, or those to look for."""


def input_options(command: Command) -> Command:
    """`--input` and `--edit`."""
    source = click.option(
        "--input",
        "source",
        type=click.File("rb"),
        metavar="FILE",
        help="Read the fields from a JSON object; - is standard input. Options replace fields.",
    )
    edit = click.option("--edit", is_flag=True, help="Write the fields in your editor.")
    return source(edit(command))


def open_base(directory: Path | None) -> KnowledgeBase:
    """The knowledge base of the repository around a directory (None: the current one)."""
    return open_knowledge(start_directory(directory), os.environ)


def given_options(options: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """The options that were given, by their names."""
    return {name: options[name] for name in names if options[name] not in (None, "", ())}


def read_fields(
    options: Mapping[str, Any], given: Mapping[str, object], form: Mapping[str, object]
) -> dict[str, object]:
    """The fields of `--input`, with the given options in place of theirs, as edited.

    An editor begins with `form` where nothing is given. Raises UsageError.
    """
    fields = {**(parse_object(read_input(options["source"])) if options["source"] else {}), **given}
    if not options["edit"]:
        return fields
    return parse_object(edit_text({**form, **fields}).encode())


def edit_text(value: object) -> str:
    """A JSON value as the user leaves it in the editor. Raises Abort if it was not saved."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    edited = click.edit(text, extension=".json")
    if edited is None:
        raise click.UsageError("The editor was closed without saving: nothing was written")
    return edited


def read_input(source: IO[bytes]) -> bytes:
    """Read an input whole. Raises UsageError for one that is too long."""
    data = source.read(MAX_INPUT_BYTES + 1)
    if len(data) > MAX_INPUT_BYTES:
        raise click.UsageError(f"The input has more than {MAX_INPUT_BYTES} bytes")
    return data


def parse_object(data: bytes) -> dict[str, object]:
    """Parse a JSON object. Raises UsageError."""
    from sdd_hooks.knowledge.entries import parse_json

    try:
        value = parse_json(data)
    except ValueError as error:
        raise click.UsageError(f"The input is no JSON: {error}") from None
    if not isinstance(value, dict):
        raise click.UsageError("The input is no JSON object")
    return value


def text_field(fields: Mapping[str, object], name: str) -> str:
    """A field that is text, "" without it. Raises UsageError."""
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise click.UsageError(f"The field {name!r} is no text")
    return value


def list_field(fields: Mapping[str, object], name: str) -> list[str]:
    """A field that is a list of texts, or one text. Raises UsageError."""
    value = fields.get(name) or []
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, (list, tuple)) or not all(isinstance(one, str) for one in value):
        raise click.UsageError(f"The field {name!r} is no list of texts")
    return list(value)


def refuse_unknown(fields: Mapping[str, object], *known: str) -> None:
    """Raise UsageError for a field of the input that the command does not have."""
    unknown = set(fields) - set(known)
    if unknown:
        raise click.UsageError(f"Unknown field {min(unknown)!r}: it is one of {', '.join(known)}")


def split_tags(texts: tuple[str, ...]) -> list[str]:
    """The tags of an option that is repeatable, and takes several with commas between them."""
    return [tag.strip() for text in texts for tag in text.split(",") if tag.strip()]
