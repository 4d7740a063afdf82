from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.setup.gitignore import converge


def test_a_project_without_one_gets_only_the_entry():
    assert converge(None) == b".sdd/\n"


def test_an_entry_anywhere_is_left_alone():
    for entry in (b".sdd/", b"/.sdd/", b"**/.sdd/", b".sdd/  ", b".sdd/\r"):
        assert converge(b"node_modules/\n" + entry + b"\ndist/\n") is None
    assert converge(b".sdd/") is None
    assert converge(b"\xef\xbb\xbf.sdd/\n") is None


def test_what_only_looks_like_the_entry_is_not_it():
    for line in (b"# .sdd/", b"sub/.sdd/", b"!.sdd/", b".sdd/issues/", b" .sdd/", b".sdd"):
        assert converge(line + b"\n") == line + b"\n.sdd/\n"


def test_a_missing_final_newline_is_added_once():
    assert converge(b"dist/\n") == b"dist/\n.sdd/\n"
    assert converge(b"dist/") == b"dist/\n.sdd/\n"
    assert converge(b"dist/\n\n") == b"dist/\n\n.sdd/\n"
    assert converge(b"") == b".sdd/\n"


def test_crlf_files_keep_their_endings():
    assert converge(b"a\r\nb\r\n") == b"a\r\nb\r\n.sdd/\r\n"
    assert converge(b"a\r\nb") == b"a\r\nb\r\n.sdd/\r\n"


@given(st.lists(st.sampled_from([b"a", b".sdd", b".sdd/", b"\n", b"\r\n", b" ", b"#", b"\xff"])))
def test_existing_bytes_stay_and_a_second_time_changes_nothing(parts):
    before = b"".join(parts)
    after = converge(before)
    if after is not None:
        assert after.startswith(before)
        assert converge(after) is None
