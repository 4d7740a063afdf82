"""The fake of a GraphQL server validates requests and responses as a real one."""

from __future__ import annotations

from typing import Any

import pytest
from graphql import build_schema

from tests.support.graphql import Schema, answer
from tests.support.loopback import CannedResponse, Request
from tests.support.openapi import NEEDED

SCHEMA = Schema(
    build_schema(
        """
        scalar DateTime
        enum Order { asc desc }
        input Filter { name: String, since: DateTime, and: [Filter!] }
        interface Node { id: ID! }
        type Cat implements Node { id: ID!, lives: Int! }
        type Dog implements Node { id: ID!, name: String, at: DateTime, friends: [Cat]! }
        union Pet = Cat | Dog
        type Query {
          pets(filter: Filter, first: Int = 10, order: Order): [Pet!]
          node(id: ID!): Node
          count: Float!
          order: Order
          good: Boolean
        }
        type Mutation { rename(id: ID!, name: String!): Dog }
        """
    )
)
PETS = """
query($filter: Filter, $order: Order) {
  pets(filter: $filter, order: $order) { __typename ...cat ... on Dog { name friends { id } } }
}
fragment cat on Cat { id lives }
"""
CAT = {"__typename": "Cat", "id": "1", "lives": 9}
DOG = {"__typename": "Dog", "name": None, "friends": [{"id": "2"}, None]}


@pytest.mark.parametrize(
    "body",
    [
        {"query": PETS},
        {"query": PETS, "variables": None},
        {"query": PETS, "variables": {"filter": {"and": [{"name": "x"}]}, "order": "asc"}},
        {"query": PETS, "variables": {"filter": {"since": "2026-05-01T00:00:00Z"}}},
        {"query": 'mutation { rename(id: 1, name: "x") { name } }'},
    ],
)
def test_a_valid_request(body: object) -> None:
    SCHEMA.request(body)


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {"query": None},
        {"query": "{"},
        {"query": "{ cats { id } }"},
        {"query": "{ pets { id } }"},
        {"query": "{ count { x } }"},
        {"query": "{ node { id } }"},
        {"query": "{ node(id: {}) { id } }"},
        {"query": PETS, "extra": 1},
        {"query": PETS, "variables": {"other": 1}},
        {"query": PETS, "variables": {"order": "upwards"}},
        {"query": PETS, "variables": {"filter": {"names": "x"}}},
        {"query": PETS, "variables": {"filter": {"name": 1}}},
        {"query": "query($id: ID!) { node(id: $id) { id } }", "variables": {}},
    ],
)
def test_an_invalid_request(body: object) -> None:
    with pytest.raises(AssertionError):
        SCHEMA.request(body)


@pytest.mark.parametrize(
    ("query", "data"),
    [
        (PETS, {"pets": [CAT, DOG]}),
        (PETS, {"pets": None}),
        ("{ node(id: 1) { id } }", {"node": {"id": "1"}}),
        ("{ a: count b: count }", {"a": 1, "b": 0.5}),
        ("{ order good }", {"order": "desc", "good": True}),
    ],
)
def test_a_valid_response(query: str, data: object) -> None:
    SCHEMA.response(query, data)


@pytest.mark.parametrize(
    ("query", "data", "message"),
    [
        (PETS, None, "data is no Query"),
        (PETS, {}, "data.pets is missing"),
        (PETS, {"pets": [None]}, r"data.pets\[0\] is null"),
        (PETS, {"pets": CAT}, "data.pets is no list"),
        (PETS, {"pets": [{**CAT, "lives": "9"}]}, r"lives is no Int"),
        (PETS, {"pets": [{**CAT, "lives": True}]}, r"lives is no Int"),
        (PETS, {"pets": [{**CAT, "name": "x"}]}, "unselected fields"),
        (PETS, {"pets": [{**DOG, "friends": None}]}, "friends is null"),
        ("{ count }", {"count": None}, "count is null"),
        ("{ order }", {"order": "upwards"}, "no Order"),
        ("{ good }", {"good": 1}, "no Boolean"),
    ],
)
def test_an_invalid_response(query: str, data: object, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        SCHEMA.response(query, data)


def test_fields_that_may_be_null() -> None:
    assert SCHEMA.optional(PETS) == [
        ("pets",),
        ("pets", "*", "name"),
        ("pets", "*", "friends", "*"),
    ]
    assert SCHEMA.optional("{ a: good count }") == [("a",)]


def test_the_data_of_a_response() -> None:
    calls: list[Any] = []

    def pets(**arguments: Any) -> list[Any]:
        calls.append(arguments)
        return [{**CAT, "name": "hidden"}, {**DOG, "lives": 3}]

    body = {"query": PETS, "variables": {"filter": {"name": "x"}}}
    data = answer(body, {"pets": pets})
    assert data == {"pets": [CAT, DOG]}
    assert calls == [{"filter": {"name": "x"}}]
    SCHEMA.response(PETS, data)


def test_arguments_and_names() -> None:
    query = """
    query($first: Int = 3) {
      a: pets(first: $first, order: asc, filter: {name: null, and: [{name: "x"}]}) { __typename }
      good
    }
    """
    found = answer({"query": query}, {"pets": lambda **arguments: [{"__typename": arguments}]})
    expected = {"first": 3, "order": "asc", "filter": {"name": None, "and": [{"name": "x"}]}}
    assert found == {"a": [{"__typename": expected}], "good": None}


def test_a_response_is_validated_with_the_schema() -> None:
    def checked(query: str, response: CannedResponse) -> CannedResponse:
        body = b'{"query": "%s"}' % query.encode()
        return SCHEMA.checked(Request("POST", "/graphql", {}, {}, body), response)

    valid = CannedResponse(200, {"data": {"count": 1.5}})
    assert checked("{ count }", valid) is valid
    failed = CannedResponse(200, {"errors": [{"message": "no"}], "data": None})
    assert checked("{ count }", failed) is failed
    with pytest.raises(AssertionError):
        checked("{ count }", CannedResponse(200, {"data": {"count": "many"}}))
    with pytest.raises(AssertionError):
        checked("{ counts }", valid)


def test_the_schema_of_a_vendor() -> None:
    assert Schema.load("unknown/schema.graphql") is None
    found = Schema.load("linear/schema.graphql")
    if found is None:
        pytest.skip(NEEDED)
    assert Schema.load("linear/schema.graphql") is found, "read once"
    found.request({"query": "{ viewer { id } }"})
