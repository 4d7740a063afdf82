"""Each language has its patterns, found by the suffix of a file or by its first line."""

from __future__ import annotations

from sdd_hooks.code.definition_patterns import find_patterns


def test_a_program_is_recognised_by_its_first_line() -> None:
    python = find_patterns("a.py", "")
    assert find_patterns("bin/tool", "#!/usr/bin/env python3\n") is python
    assert find_patterns("bin/tool", "#!/usr/bin/python3.11 -u\nx") is python
    assert find_patterns("bin/tool", "#!/usr/bin/unknown\n") is None
    assert find_patterns(".gitignore", "x") is None
    assert find_patterns("dir.py/LICENSE", "x") is None
