import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.text.names import SLUG_CHARACTERS, slugify


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("claude-plugin-sdd", "claude-plugin-sdd"),
        ("My_Repo.v2", "my-repo-v2"),
        ("Ünï", "-n-"),
        ("\u0130\u212a", "--"),
        ("a b", "a-b"),
        ("", ""),
    ],
)
def test_slug(name: str, slug: str):
    assert slugify(name) == slug


@given(st.text())
def test_slug_of_anything(name: str):
    slug = slugify(name)
    assert set(slug) <= SLUG_CHARACTERS
    assert len(slug) == len(name)
    assert slugify(slug) == slug
