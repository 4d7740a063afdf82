"""Read the contents of git objects, many with one process, and follow links of a tree."""

# Governing: ADR-0003 (one module talks to git)

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sdd_hooks.system.git import Git, GitError

REQUEST_BYTES = 8192
"""Bytes of requests in a pipe at a time. The smallest pipe (macOS) holds 16 KiB; with more, git
waits for its output to be read while the requests wait for git."""

MAX_STEPS = 40
"""Symbolic links behind each other that are followed."""

_CHUNK = 1 << 20


def read_blobs(
    git: Git, specs: Sequence[str], *, limit: int | None = None, objects: Path | None = None
) -> Iterator[bytes | None]:
    """The content of each blob, in order; None where there is no object or it is not a blob.

    A spec is an object id, `commit:path`, or `:path` for the index. A blob larger than `limit`
    bytes is cut after `limit` + 1 bytes. One git process reads all. `objects` is as in
    `Git.output`.
    """
    process: subprocess.Popen[bytes] | None = None
    try:
        for group in _groups([_spec(spec) for spec in specs]):
            if b"\n" in group[0]:
                data = git.try_output("cat-file", "blob", os.fsdecode(group[0]), objects=objects)
                yield data if data is None or limit is None else data[: limit + 1]
                continue
            process = process or git.start(
                "cat-file", "--batch", stdin=subprocess.PIPE, objects=objects
            )
            yield from _exchange(git, process, group, limit)
    finally:
        if process is not None:
            process.kill()
            process.communicate()


def is_partial(git: Git) -> bool:
    """Whether the clone may lack contents of files."""
    return bool(git.try_output("config", "--get-regexp", r"^remote\..*\.promisor$"))


def resolve_links(path: str, targets: Mapping[str, str]) -> str:
    """Return the path behind the symbolic links of a path, "" for one that leads out of the tree.

    `targets` has the target of each link of a tree by its path. At most `MAX_STEPS` links are
    followed; a path with more leads nowhere.
    """
    parts = path.split("/")
    resolved: list[str] = []
    steps = 0
    while parts:
        part = parts.pop(0)
        if part in ("", "."):
            continue
        if part == "..":
            if not resolved:
                return ""
            resolved.pop()
            continue
        target = targets.get("/".join((*resolved, part)))
        if target is None:
            resolved.append(part)
            continue
        steps += 1
        if steps > MAX_STEPS or target.startswith("/"):
            return ""
        parts = [*target.split("/"), *parts]
    return "/".join(resolved)


def _spec(spec: str) -> bytes:
    # `:1:x` is stage 1 of `x`, and a file may be called `1:x`.
    return os.fsencode(":0" + spec if spec.startswith(":") else spec)


def _groups(specs: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Groups of specs that fit into a pipe; a spec with a line break is a group by itself."""
    group: list[bytes] = []
    size = 0
    for spec in specs:
        alone = b"\n" in spec
        if group and (alone or size + len(spec) >= REQUEST_BYTES):
            yield group
            group, size = [], 0
        if alone:
            yield [spec]
        else:
            group.append(spec)
            size += len(spec) + 1
    if group:
        yield group


def _ended(git: Git) -> GitError:
    """The error for a process that ended before its answer, as at an object that it must fetch."""
    if is_partial(git):
        return GitError(
            "this clone is partial and lacks contents of files:"
            " `git fetch --refetch --no-filter` fetches them"
        )
    return GitError("git cat-file: ended early")


def _exchange(
    git: Git, process: subprocess.Popen[bytes], group: Sequence[bytes], limit: int | None
) -> Iterator[bytes | None]:
    """Send the specs to `git cat-file --batch` and read the content of each."""
    requests, responses = process.stdin, process.stdout
    assert requests is not None
    assert responses is not None
    try:
        requests.write(b"".join(spec + b"\n" for spec in group))
        requests.flush()
    except BrokenPipeError:
        raise _ended(git) from None
    for _ in group:
        header = responses.readline()
        if not header:
            raise _ended(git)
        fields = header.split()
        if len(fields) < 3 or not fields[-1].isdigit():
            yield None
            continue
        size = int(fields[-1])
        kept = size if limit is None else min(size, limit + 1)
        data = responses.read(kept)
        left = size + 1 - kept
        while left:
            left -= len(responses.read(min(left, _CHUNK))) or left
        yield data if fields[-2] == b"blob" else None
