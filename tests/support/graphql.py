"""Validate queries and responses with a vendor's GraphQL schema, and execute queries for a fake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from graphql import (
    BooleanValueNode,
    DocumentNode,
    EnumValueNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLNonNull,
    GraphQLSchema,
    GraphQLString,
    InlineFragmentNode,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    StringValueNode,
    ValueNode,
    VariableNode,
    build_ast_schema,
    get_named_type,
    is_abstract_type,
    is_enum_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
    parse,
    validate,
)
from graphql.execution.values import get_variable_values

from tests.support.loopback import CannedResponse, Request
from tests.support.openapi import VENDOR_APIS, FieldPath

_PYTHON: Mapping[str, type | tuple[type, ...]] = {
    "Boolean": bool,
    "Float": (int, float),
    "ID": str,
    "Int": int,
    "String": str,
    "DateTime": str,
    "URI": str,
}


class Schema:
    """A schema. Requests and responses that do not conform to it raise AssertionError."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self._schema = schema

    @classmethod
    def load(cls, name: str) -> Schema | None:
        """The schema of that name (`linear/schema.graphql`), loaded once; None if it is missing."""
        return _load(name)

    def request(self, body: object) -> None:
        """Validate a query and its variables."""
        assert isinstance(body, dict), "a GraphQL request is a JSON object"
        unknown = body.keys() - {"query", "variables", "operationName"}
        assert not unknown, f"unknown in a GraphQL request: {sorted(unknown)}"
        document = _parsed(body.get("query"))
        for error in validate(self._schema, document):
            raise AssertionError(str(error))
        operation = _operation(document)
        variables = body.get("variables") or {}
        declared = {
            variable_definition.variable.name.value
            for variable_definition in operation.variable_definitions or ()
        }
        assert variables.keys() <= declared, (
            f"unknown variables: {sorted(variables.keys() - declared)}"
        )
        values = get_variable_values(self._schema, operation.variable_definitions or (), variables)
        assert not isinstance(values, list), "; ".join(error.message for error in values)

    def response(self, query: str, data: object) -> None:
        """Validate the `data` of the response to `query`: fields, types and nulls."""
        for _ in self._walk(query, data):
            pass

    def optional(self, query: str) -> list[FieldPath]:
        """The places in the response to `query` that may be null, and the members of lists."""
        document = _parsed(query)
        operation = _operation(document)
        places = self._nullable(
            operation.selection_set, self._root(operation), _fragments(document), ()
        )
        return list(dict.fromkeys(places))

    def checked(self, request: Request, response: CannedResponse) -> CannedResponse:
        """Validate both, and return the response."""
        body = request.json()
        self.request(body)
        data = response.data.get("data") if isinstance(response.data, dict) else None
        if response.status == 200 and data is not None:
            assert isinstance(body, dict)
            self.response(body["query"], data)
        return response

    def _root(self, operation: OperationDefinitionNode) -> Any:
        root = self._schema.get_root_type(operation.operation)
        assert root, f"no {operation.operation.value} in this schema"
        return root

    def _walk(self, query: str, data: object) -> Iterator[None]:
        document = _parsed(query)
        operation = _operation(document)
        yield from self._object(
            operation.selection_set, self._root(operation), _fragments(document), data, "data"
        )

    def _object(
        self,
        selection: SelectionSetNode,
        kind: Any,
        fragments: Mapping[str, FragmentDefinitionNode],
        data: object,
        at: str,
    ) -> Iterator[None]:
        assert isinstance(data, dict), f"{at} is no {kind.name}: {data!r}"
        if is_abstract_type(kind):
            name = data.get("__typename")
            if name is not None:
                kind = self._schema.get_type(name)
        fields = {
            key: (node, on)
            for key, node, on in self._fields(selection, kind, fragments)
            if self._is(kind, on)
        }
        unknown = data.keys() - fields.keys()
        assert not unknown, f"{at} has unselected fields: {sorted(unknown)}"
        for key, (node, on) in fields.items():
            assert key in data, f"{at}.{key} is missing"
            yield from self._value(node, self._type(on, node), fragments, data[key], f"{at}.{key}")

    def _value(
        self,
        node: FieldNode,
        kind: Any,
        fragments: Mapping[str, FragmentDefinitionNode],
        data: object,
        at: str,
    ) -> Iterator[None]:
        if is_non_null_type(kind):
            assert data is not None, f"{at} is null"
            kind = kind.of_type
        if data is None:
            return
        if is_list_type(kind):
            assert isinstance(data, list), f"{at} is no list: {data!r}"
            for index, item in enumerate(data):
                yield from self._value(node, kind.of_type, fragments, item, f"{at}[{index}]")
        elif is_enum_type(kind):
            assert data in kind.values, f"{at} is no {kind.name}: {data!r}"
        elif is_leaf_type(kind):
            wanted = _PYTHON.get(kind.name, object)
            right = isinstance(data, wanted) and (
                wanted in {bool, object} or not isinstance(data, bool)
            )
            assert right, f"{at} is no {kind.name}: {data!r}"
        else:
            assert node.selection_set
            yield from self._object(node.selection_set, kind, fragments, data, at)
        yield

    def _nullable(
        self,
        selection: SelectionSetNode,
        kind: Any,
        fragments: Mapping[str, FragmentDefinitionNode],
        at: FieldPath,
    ) -> Iterator[FieldPath]:
        for key, node, on in self._fields(selection, kind, fragments):
            place: FieldPath = (*at, key)
            inner = self._type(on, node)
            while True:
                if is_non_null_type(inner):
                    inner = inner.of_type
                else:
                    yield place
                if not is_list_type(inner):
                    break
                inner = inner.of_type
                place = (*place, "*")
            if node.selection_set:
                yield from self._nullable(
                    node.selection_set, get_named_type(inner), fragments, place
                )

    def _fields(
        self,
        selection: SelectionSetNode,
        kind: Any,
        fragments: Mapping[str, FragmentDefinitionNode],
    ) -> Iterator[tuple[str, FieldNode, Any]]:
        """The selected fields: their key in the response, and the type they belong to."""
        for node in selection.selections:
            if isinstance(node, FieldNode):
                yield (node.alias or node.name).value, node, kind
                continue
            inside: Any = node
            if isinstance(node, FragmentSpreadNode):
                inside = fragments[node.name.value]
            condition = inside.type_condition
            on = self._schema.get_type(condition.name.value) if condition else kind
            yield from self._fields(inside.selection_set, on, fragments)

    def _is(self, kind: Any, on: Any) -> bool:
        """Whether fields of the type `on` apply to an object of type `kind`."""
        return kind is on or (is_abstract_type(on) and self._schema.is_sub_type(on, kind))

    def _type(self, on: Any, node: FieldNode) -> Any:
        if node.name.value == "__typename":
            return GraphQLNonNull(GraphQLString)
        return on.fields[node.name.value].type


Resolver = Callable[..., object]
"""The value of a field with arguments, which it is called with by name."""


def answer(body: object, root: Mapping[str, object]) -> dict[str, Any]:
    """The `data` of the response to a request, computed from `root`.

    Objects are mappings; a callable value is a Resolver. A field that an object lacks is null. A
    fragment applies if the `__typename` of the object is its type, or if the object has none.
    """
    assert isinstance(body, dict)
    document = _parsed(body["query"])
    operation = _operation(document)
    variables = dict(body.get("variables") or {})
    for variable_definition in operation.variable_definitions or ():
        if variable_definition.default_value is not None:
            variables.setdefault(
                variable_definition.variable.name.value,
                _literal(variable_definition.default_value, {}),
            )
    return _selected(operation.selection_set, root, variables, _fragments(document))


def _selected(
    selection: SelectionSetNode,
    source: Mapping[str, object],
    variables: Mapping[str, object],
    fragments: Mapping[str, FragmentDefinitionNode],
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for node in selection.selections:
        if isinstance(node, FieldNode):
            value = source.get(node.name.value)
            if callable(value):
                value = value(**_arguments(node, variables))
            result[(node.alias or node.name).value] = _completed(node, value, variables, fragments)
            continue
        inside: Any = fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
        assert isinstance(inside, InlineFragmentNode | FragmentDefinitionNode)
        name = inside.type_condition.name.value if inside.type_condition else None
        if name is None or source.get("__typename", name) == name:
            result |= _selected(inside.selection_set, source, variables, fragments)
    return result


def _completed(
    node: FieldNode,
    value: object,
    variables: Mapping[str, object],
    fragments: Mapping[str, FragmentDefinitionNode],
) -> object:
    if isinstance(value, list):
        return [_completed(node, item, variables, fragments) for item in value]
    if isinstance(value, Mapping) and node.selection_set:
        return _selected(node.selection_set, value, variables, fragments)
    return value


def _arguments(node: FieldNode, variables: Mapping[str, object]) -> dict[str, object]:
    return {
        argument.name.value: _literal(argument.value, variables)
        for argument in node.arguments or ()
        if not isinstance(argument.value, VariableNode) or argument.value.name.value in variables
    }


def _literal(node: ValueNode, variables: Mapping[str, object]) -> object:
    match node:
        case VariableNode():
            return variables.get(node.name.value)
        case ListValueNode():
            return [_literal(value, variables) for value in node.values]
        case ObjectValueNode():
            return {
                field.name.value: _literal(field.value, variables)
                for field in node.fields
                if not isinstance(field.value, VariableNode) or field.value.name.value in variables
            }
        case NullValueNode():
            return None
        case IntValueNode():
            return int(node.value)
        case BooleanValueNode() | StringValueNode() | EnumValueNode():
            return node.value
    raise AssertionError(f"no literal is known for {node.kind}")


def _parsed(query: object) -> DocumentNode:
    assert isinstance(query, str), "a GraphQL request has a query"
    try:
        return _parse(query)
    except GraphQLError as error:
        raise AssertionError(str(error)) from None


@cache
def _parse(query: str) -> DocumentNode:
    return parse(query)


def _operation(document: DocumentNode) -> OperationDefinitionNode:
    """The only operation of a document."""
    (operation,) = (
        definition
        for definition in document.definitions
        if isinstance(definition, OperationDefinitionNode)
    )
    return operation


def _fragments(document: DocumentNode) -> dict[str, FragmentDefinitionNode]:
    return {
        definition.name.value: definition
        for definition in document.definitions
        if isinstance(definition, FragmentDefinitionNode)
    }


@cache
def _load(name: str) -> Schema | None:
    file = VENDOR_APIS / name
    if not file.is_file():
        return None
    # Validation of the schema itself takes ten times as long and is skipped.
    document = parse(file.read_text(encoding="utf-8"), no_location=True)
    return Schema(build_ast_schema(document, assume_valid=True, assume_valid_sdl=True))
