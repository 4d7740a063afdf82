"""Validate requests and responses with a vendor's OpenAPI 3.0 description."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from jsonschema import Draft202012Validator, FormatChecker

from tests.support.loopback import CannedResponse, Request

VENDOR_APIS = Path(__file__).resolve().parents[3] / "shared/vendor-apis"
NEEDED = "needs ../shared/vendor-apis"

UNDOCUMENTED_NULLS: Mapping[str, frozenset[str]] = {
    "gitea": frozenset(
        {
            "assignee",
            "assignee_team",
            "assignees",
            "closed_at",
            "dependent_issue",
            "due_date",
            "label",
            "merge_commit_sha",
            "merged_at",
            "merged_by",
            "milestone",
            "old_milestone",
            "parent",
            "pull_request",
            "ref_comment",
            "ref_issue",
            "repo_transfer",
            "requested_reviewers",
            "requested_reviewers_teams",
            "resolve_doer",
            "resolver",
            "team",
            "tracked_time",
        }
    )
}
"""By vendor: properties that its servers return as null although its description forbids it."""

FieldPath = tuple[str, ...]
"""The place of a field in a JSON document: names of properties, `*` for every member of a list."""

_FORMATS = FormatChecker(())
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)", re.ASCII)


@_FORMATS.checks("date-time")
def _is_time(value: object) -> bool:
    return not isinstance(value, str) or _TIME.fullmatch(value) is not None


class Description:
    """One or several descriptions of the same API; the first with a path and method counts.

    `base` is the prefix of their paths.
    """

    def __init__(self, documents: list[dict[str, Any]], vendor: str, base: str | None) -> None:
        null = UNDOCUMENTED_NULLS.get(vendor, frozenset())
        self._operations = [
            _Operation(method, template, {**rules, "parameters": parameters}, document)
            for document in (_as_json_schema(document, null) for document in documents)
            for template, methods in document["paths"].items()
            for method, rules in methods.items()
            if method in {"get", "put", "post", "patch", "delete"}
            for parameters in [methods.get("parameters", []) + rules.get("parameters", [])]
        ]
        # A literal path takes precedence over a path with a parameter.
        self._operations.sort(key=lambda operation: operation.template.count("{"))
        server = documents[0].get("servers", [{"url": ""}])[0]["url"]
        self.base = urlsplit(server).path.rstrip("/") if base is None else base

    @classmethod
    def load(cls, *names: str, base: str | None = None) -> Description | None:
        """The descriptions with these names (`github/subset-issues.json`).

        None if they are missing. `base` replaces the path of their first server.
        """
        return _load(names, base)

    def request(self, request: Request) -> None:
        """Validate a request. Raises AssertionError."""
        self._operation(request.method, request.path).check_request(request, self.base)

    def response(self, method: str, path: str, status: int, data: object) -> None:
        """Validate the response to `method path`. Raises AssertionError.

        An error status that is not described may have any data.
        """
        self._operation(method, path).check_response(status, data)

    def optional(self, method: str, path: str, status: int) -> list[FieldPath]:
        """The places in that response that may be null or missing, and the members of lists."""
        operation = self._operation(method, path)
        return list(
            dict.fromkeys(_optional(operation.answered(status), operation.document, (), ()))
        )

    def checked(self, request: Request, response: CannedResponse) -> CannedResponse:
        """Validate both, and return the response."""
        self.request(request)
        if not isinstance(response.data, bytes) and response.status != 304:
            self.response(request.method, request.path, response.status, response.data)
        return response

    def _operation(self, method: str, path: str) -> _Operation:
        assert path.startswith(self.base), f"{path} is not below {self.base}"
        below = path[len(self.base) :]
        operations = [operation for operation in self._operations if operation.matches(below)]
        assert operations, f"unknown path: {path}"
        # A literal path with another method must not match a path with a parameter.
        operations = [
            operation
            for operation in operations
            if operation.template.count("{") == operations[0].template.count("{")
        ]
        for operation in operations:
            if operation.method == method:
                return operation
        raise AssertionError(f"{method} is not described for {path}")


@cache
def _load(names: tuple[str, ...], base: str | None) -> Description | None:
    files = [VENDOR_APIS / name for name in names]
    if not all(file.is_file() for file in files):
        return None
    documents = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return Description(documents, names[0].partition("/")[0], base)


def nulled(data: object, place: FieldPath) -> object:
    """A copy of the data with null at every occurrence of that place."""
    return _changed(data, place, remove=False)


def without(data: object, place: FieldPath) -> object:
    """A copy of the data without that field at every occurrence of the place."""
    return _changed(data, place, remove=True)


def damaged(data: object, places: list[FieldPath]) -> Iterator[tuple[str, object]]:
    """The data with null at each of these places, and without each, with a description of the
    damage; places that it lacks are left out."""
    for place in places:
        for damage, changed in (("null", nulled(data, place)), ("missing", without(data, place))):
            if changed != data:
                yield f"{'.'.join(place)} {damage}", changed


class _Operation:
    """The operation for a method and a path."""

    def __init__(
        self, method: str, template: str, rules: dict[str, Any], document: dict[str, Any]
    ) -> None:
        self.method = method.upper()
        self.template = template
        self.document = document
        self._rules = rules
        self._validators: dict[str, Draft202012Validator] = {}
        names = re.escape(template).replace(r"\{", "{").replace(r"\}", "}")
        self._pattern = re.compile(re.sub(r"{([^}]*)}", r"(?P<\1>[^/]+)", names))

    def matches(self, path: str) -> bool:
        return self._pattern.fullmatch(path) is not None

    def check_request(self, request: Request, base: str) -> None:
        at = f"{request.method} {request.path}"
        matched = self._pattern.fullmatch(request.path[len(base) :])
        assert matched
        parameters = self._parameters
        for name, value in matched.groupdict().items():
            self._check_text(("path", name), unquote(value), f"{at}: {name}")
        for name, value in request.query.items():
            assert ("query", name) in parameters, f"{at}: unknown parameter {name}"
            self._check_text(("query", name), value, f"{at}: {name}")
        for (place, name), parameter in parameters.items():
            if place == "query" and parameter.get("required"):
                assert name in request.query, f"{at}: {name} is missing"
        body = _resolved(self._rules.get("requestBody"), self.document)
        if not request.body:
            assert not body.get("required"), f"{at}: wants a body"
            return
        assert body, f"{at}: wants no body"
        kind = request.headers.get("content-type", "").partition(";")[0]
        assert kind in body["content"], f"{at}: Content-Type {kind}"
        schema = body["content"][kind]["schema"]
        if _resolved(schema, self.document).keys() & {"properties", "allOf", "anyOf", "oneOf"}:
            schema = {**schema, "unevaluatedProperties": False}
        self._check("body", schema, request.json(), f"{at}: body")

    def check_response(self, status: int, data: object) -> None:
        schema = self.answered(status)
        if schema:
            self._check(str(status), schema, data, f"{self.method} {self.template} {status}")

    def answered(self, status: int) -> dict[str, Any]:
        """The schema of a response; {} without a body or for an error that is not described."""
        responses = self._rules["responses"]
        response = responses.get(str(status), responses.get("default"))
        if response is None:
            assert status >= 300, f"{self.method} {self.template} does not answer {status}"
            return {}
        content = _resolved(response, self.document).get("content", {})
        schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
        return schema

    @cached_property
    def _parameters(self) -> dict[tuple[str, str], dict[str, Any]]:
        parameters = (_resolved(rule, self.document) for rule in self._rules["parameters"])
        return {(parameter["in"], parameter["name"]): parameter for parameter in parameters}

    def _check_text(self, key: tuple[str, str], value: str, at: str) -> None:
        schema = self._parameters[key].get("schema", {})
        self._check(" ".join(key), schema, _typed(value, _resolved(schema, self.document)), at)

    def _check(self, key: str, schema: dict[str, Any], data: object, at: str) -> None:
        if key not in self._validators:
            whole = {"components": self.document.get("components", {}), **schema}
            self._validators[key] = Draft202012Validator(whole, format_checker=_FORMATS)
        for error in self._validators[key].iter_errors(data):
            raise AssertionError(f"{at}{error.json_path[1:]}: {error.message[:300]}")


def _typed(value: str, schema: dict[str, Any]) -> object:
    """The text of a parameter converted to the type of its schema, if possible."""
    match schema.get("type"):
        case "integer" if re.fullmatch(r"-?\d+", value, re.ASCII):
            return int(value)
        case "boolean" if value in {"true", "false"}:
            return value == "true"
        case "array":
            return [_typed(part, schema.get("items", {})) for part in value.split(",")]
    return value


def _resolved(node: Any, document: dict[str, Any]) -> dict[str, Any]:
    """The object, or the object of its `$ref`; {} for None."""
    while isinstance(node, dict) and "$ref" in node:
        name = node["$ref"]
        node = document
        for part in name.removeprefix("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
    return node or {}


def _as_json_schema(node: Any, null: frozenset[str], *, properties: bool = False) -> Any:
    """Convert a description with `nullable` to JSON Schema.

    `null` are additional properties that may be null; with `properties` the keys of `node` are
    names of properties, not keywords of the schema.
    """
    if isinstance(node, list):
        return [_as_json_schema(item, null) for item in node]
    if not isinstance(node, dict):
        return node
    made = {
        key: _as_json_schema(value, null, properties=key == "properties" and not properties)
        for key, value in node.items()
        if key not in {"example", "examples"} or properties
    }
    if properties:
        return {
            key: {"anyOf": [value, {"type": "null"}]} if key in null else value
            for key, value in made.items()
        }
    if made.pop("nullable", False) is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made


def _optional(
    schema: dict[str, Any], document: dict[str, Any], at: FieldPath, inside: tuple[str, ...]
) -> Iterator[FieldPath]:
    """The optional places below `at`; `inside` are the references that were followed."""
    name = schema.get("$ref")
    if name is not None:
        if name in inside:
            return
        inside = (*inside, name)
        schema = _resolved(schema, document)
    for part in [
        *schema.get("anyOf", []),
        *schema.get("oneOf", []),
        *schema.get("allOf", []),
    ]:
        yield from _optional(part, document, at, inside)
    if "items" in schema:
        yield (*at, "*")
        yield from _optional(schema["items"], document, (*at, "*"), inside)
    needed = schema.get("required", [])
    for key, value in schema.get("properties", {}).items():
        may_be_null = {"type": "null"} in _resolved(value, document).get("anyOf", [])
        if key not in needed or may_be_null:
            yield (*at, key)
        yield from _optional(value, document, (*at, key), inside)


def _changed(data: object, place: FieldPath, *, remove: bool) -> object:
    copied = copy.deepcopy(data)
    *parents, last = place
    nodes = [copied]
    for step in parents:
        if step == "*":
            nodes = [item for node in nodes if isinstance(node, list) for item in node]
        else:
            nodes = [node[step] for node in nodes if isinstance(node, dict) and step in node]
    for node in nodes:
        if last == "*" and isinstance(node, list):
            node[:] = [] if remove else [None] * len(node)
        elif isinstance(node, dict) and last in node:
            if remove:
                del node[last]
            else:
                node[last] = None
    return copied
