import contextlib
import errno
import fcntl
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdd_hooks.errors import SddError, StorageError
from sdd_hooks.system.files import (
    FileTooLarge,
    PathRefused,
    create_mark,
    is_binary,
    open_state,
    read_inside,
    read_state,
    refusal,
    resolve_inside,
    state_directory,
    write_atomically,
)

LIMIT = 1000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "docs" / "adrs").mkdir(parents=True)
    (root / "docs" / "adrs" / "a.md").write_bytes(b"inside")
    (tmp_path / "secret").write_bytes(b"outside")
    (tmp_path / "rooted").mkdir()
    (tmp_path / "rooted" / "a.md").write_bytes(b"outside")
    return root


def test_reads(root: Path):
    assert read_inside(root, "docs/adrs/a.md", LIMIT) == b"inside"
    assert read_inside(root, "docs/./adrs//a.md", LIMIT) == b"inside"


def test_reads_an_empty_file(root: Path):
    (root / "empty").touch()
    assert read_inside(root, "empty", 0) == b""


@pytest.mark.parametrize("path", ["gone", "gone/a.md", "docs/adrs/a.md/below", "docs/adrs/b.md"])
def test_a_missing_file(root: Path, path: str):
    with pytest.raises(FileNotFoundError):
        read_inside(root, path, LIMIT)


def test_a_missing_root(root: Path):
    with pytest.raises(FileNotFoundError):
        read_inside(root / "nowhere", "a.md", LIMIT)


@pytest.mark.parametrize(
    "path",
    ["/etc/hostname", "../secret", "docs/../../secret", "..", "", ".", "docs", "a\0b", "\ud800"],
)
def test_refuses_a_path(root: Path, path: str):
    with pytest.raises(PathRefused) as caught:
        read_inside(root, path, LIMIT)
    assert str(caught.value).isprintable()


def test_refuses_a_symlink_even_to_a_neighbour(root: Path):
    (root / "link.md").symlink_to("docs/adrs/a.md")
    with pytest.raises(PathRefused, match=r"link\.md: a symlink"):
        read_inside(root, "link.md", LIMIT)


def test_refuses_a_symlink_to_the_outside(root: Path):
    (root / "link.md").symlink_to(root.parent / "secret")
    with pytest.raises(PathRefused):
        read_inside(root, "link.md", LIMIT)


@pytest.mark.parametrize("target", ["..", "../../rooted", "/"])
def test_refuses_a_directory_whose_real_path_is_outside(root: Path, target: str):
    # The name of `rooted` begins with that of the root, and it is another directory all the same.
    (root / "docs" / "out").symlink_to(root.parent if target == ".." else target)
    for path in ("docs/out/secret", "docs/out/a.md", "docs/out/etc/hostname"):
        with pytest.raises(PathRefused, match="leaves the repository"):
            read_inside(root, path, LIMIT)


def test_reads_through_a_directory_that_stays_inside(root: Path):
    (root / "decisions").symlink_to("docs/adrs")
    assert read_inside(root, "decisions/a.md", LIMIT) == b"inside"


def test_refuses_a_cycle_of_symlinks(root: Path):
    (root / "circle").symlink_to("circle")
    with pytest.raises((PathRefused, FileNotFoundError)):
        read_inside(root, "circle/a.md", LIMIT)


def test_does_not_wait_for_a_pipe(root: Path):
    os.mkfifo(root / "pipe")
    with pytest.raises(PathRefused, match="not a regular file"):
        read_inside(root, "pipe", LIMIT)


def test_limit(root: Path):
    (root / "file").write_bytes(b"x" * 1000)
    assert len(read_inside(root, "file", 1000)) == 1000
    with pytest.raises(FileTooLarge, match="larger than 999 bytes"):
        read_inside(root, "file", 999)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_limit_applies_to_a_file_that_hides_its_size():
    with pytest.raises(FileTooLarge):
        read_inside(Path("/proc"), f"{os.getpid()}/status", 1)


def test_many_reads_leave_no_descriptor_open(root: Path):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        for _ in range(500):
            read_inside(root, "docs/adrs/a.md", LIMIT)
            with pytest.raises(FileTooLarge):
                read_inside(root, "docs/adrs/a.md", 1)
            with pytest.raises(FileNotFoundError):
                read_inside(root, "docs/adrs/a.md/x", LIMIT)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@given(
    st.lists(st.sampled_from(["..", ".", "", "docs", "adrs", "a.md", "out", "up", "x"]), max_size=6)
)
def test_never_reads_outside(tmp_path_factory: pytest.TempPathFactory, parts: list[str]):
    top = tmp_path_factory.getbasetemp() / "never"
    root = top / "root"
    if not root.exists():
        (root / "docs" / "adrs").mkdir(parents=True)
        (root / "docs" / "a.md").write_bytes(b"inside")
        (top / "a.md").write_bytes(b"outside")
        (root / "docs" / "out").symlink_to(top)
        (root / "up").symlink_to("..")
        (root / "out").symlink_to("docs/adrs/../../../a.md")
    with contextlib.suppress(SddError, FileNotFoundError):
        assert read_inside(root, "/".join(parts), LIMIT) == b"inside"


def test_resolve_inside(root: Path):
    (root / "decisions").symlink_to("docs/adrs")
    (root / "out").symlink_to("..")
    assert resolve_inside(root, "decisions/new.md") == root.resolve() / "docs/adrs/new.md"
    assert resolve_inside(root, "") == root.resolve()
    assert resolve_inside(root, str(root / "docs")) == root.resolve() / "docs"
    for path in ("..", "out", "out/rooted", "../rooted/a.md", "/etc", "docs/../../x", "a\0b"):
        with pytest.raises(PathRefused):
            resolve_inside(root, path)


def test_write_and_replace(tmp_path: Path):
    path = tmp_path / "state"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_write_keeps_the_mode(tmp_path: Path):
    path = tmp_path / "script"
    path.touch()
    path.chmod(0o750)
    write_atomically(path, b"x")
    assert path.stat().st_mode & 0o777 == 0o750


def test_write_of_a_new_file_follows_the_umask(tmp_path: Path):
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "new", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_write_replaces_a_link_and_leaves_its_target(tmp_path: Path):
    (tmp_path / "target").write_bytes(b"untouched")
    (tmp_path / "link").symlink_to("target")
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "target").read_bytes() == b"untouched"
    assert not (tmp_path / "link").is_symlink()


def test_write_with_the_longest_name(tmp_path: Path):
    path = tmp_path / ("\u6c34" * 85)
    write_atomically(path, b"x")
    assert path.read_bytes() == b"x"


def test_readers_see_the_old_or_the_new_file(tmp_path: Path):
    path = tmp_path / "state"
    contents = {b"a" * 100_000, b"b" * 100_000}
    write_atomically(path, b"a" * 100_000)
    done = threading.Event()
    seen: set[bytes] = set()

    def read() -> None:
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(50):
        for content in contents:
            write_atomically(path, content)
    done.set()
    reader.join()
    assert seen <= contents


def test_write_without_a_directory(tmp_path: Path):
    with pytest.raises(StorageError, match=r"cannot write .*/nowhere/state: No such file"):
        write_atomically(tmp_path / "nowhere" / "state", b"x")


def test_write_over_a_directory_leaves_nothing_behind(tmp_path: Path):
    (tmp_path / "state").mkdir()
    with pytest.raises(StorageError):
        write_atomically(tmp_path / "state", b"x")
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_write_beyond_the_file_size_limit(tmp_path: Path):
    """A limit on the size of files fails like a full disk: half way through."""
    path = tmp_path / "state"
    write_atomically(path, b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(StorageError, match="cannot write") as caught:
            write_atomically(path, b"x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert os.strerror(errno.EFBIG) in str(caught.value)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_the_message_about_a_full_disk():
    from sdd_hooks.system.files import ERRNO_REASONS

    with pytest.raises(OSError) as caught, Path("/dev/full").open("wb", buffering=0) as full:
        full.write(b"x")
    assert ERRNO_REASONS[caught.value.errno or 0] == "the disk is full"


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"text\n", False),
        ("Größe".encode("latin-1"), False),
        (b"a\0b", True),
        (b"x" * 8000 + b"\0", False),
        ("text".encode("utf-16"), False),
        ("text".encode("utf-32"), True),
        (b"\x89PNG\r\n\x1a\n\0\0", True),
    ],
)
def test_is_binary(data: bytes, binary: bool):
    assert is_binary(data) is binary


def ended_process() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_temporary_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    ended, running = ended_process(), os.getppid()
    left = tmp_path / f".sdd-{ended}-0123abcd"
    kept = [
        tmp_path / f".sdd-{running}-0123abcd",
        tmp_path / f".sdd-{ended}-0123abcg",
        tmp_path / f".sdd-{ended}",
        tmp_path / f"x.sdd-{ended}-0123abcd",
        tmp_path / ".sdd-half",
    ]
    for path in (left, *kept):
        path.write_text("half")
    folder, link = tmp_path / f".sdd-{ended}-00000000", tmp_path / f".sdd-{ended}-11111111"
    folder.mkdir()
    link.symlink_to(kept[0])
    write_atomically(tmp_path / "state", b"whole")
    assert set(tmp_path.iterdir()) == {*kept, folder, link, tmp_path / "state"}


def test_a_temporary_file_that_another_process_has_locked_stays(tmp_path: Path) -> None:
    path = tmp_path / f".sdd-{ended_process()}-0123abcd"
    path.write_text("half")
    with path.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_atomically(tmp_path / "state", b"whole")
        assert path.exists()
    write_atomically(tmp_path / "state", b"whole")
    assert not path.exists()


KILLED = """
import resource, signal, sys
from pathlib import Path
from sdd_hooks.system.files import write_atomically
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
write_atomically(Path(sys.argv[1]), bytes(1000))
"""


def test_a_killed_write_leaves_nothing_for_long(tmp_path: Path) -> None:
    state = tmp_path / "state"
    done = subprocess.run([sys.executable, "-c", KILLED, str(state)], check=False)
    assert done.returncode == -signal.SIGXFSZ
    assert len(list(tmp_path.iterdir())) == 1
    write_atomically(state, b"second")
    assert list(tmp_path.iterdir()) == [state]


# Files of state


def place_link(path: Path) -> None:
    path.with_name("elsewhere").write_bytes(b"elsewhere")
    path.symlink_to("elsewhere")


def place_hard_link(path: Path) -> None:
    path.with_name("elsewhere").write_bytes(b"elsewhere")
    path.hardlink_to(path.with_name("elsewhere"))


UNUSABLE = [
    (place_link, "symbolic link"),
    (lambda path: path.symlink_to("/dev/zero"), "symbolic link"),
    (os.mkfifo, "not a regular file"),
    (Path.mkdir, "not a regular file"),
]


@pytest.mark.parametrize(("place", "problem"), UNUSABLE)
def test_a_state_file_is_a_regular_file(
    tmp_path: Path, place: Callable[[Path], None], problem: str
) -> None:
    place(tmp_path / "state")
    for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT):
        with pytest.raises(StorageError, match=f"/state is a?n? ?{problem}: remove it$"):
            open_state(tmp_path / "state", flags)
    with pytest.raises(StorageError, match=problem):
        read_state(tmp_path / "state", 100)


def test_a_state_file_that_is_a_hard_link_is_not_written(tmp_path: Path) -> None:
    place_hard_link(tmp_path / "state")
    assert read_state(tmp_path / "state", 100) == b"elsewhere"
    with pytest.raises(StorageError, match="is a hard link: remove it"):
        open_state(tmp_path / "state", os.O_RDWR)


def test_a_state_file_is_read_to_a_limit(tmp_path: Path) -> None:
    (tmp_path / "state").write_bytes(b"12345")
    assert read_state(tmp_path / "state", 5) == b"12345"
    with pytest.raises(StorageError, match="is larger than 4 bytes"):
        read_state(tmp_path / "state", 4)
    with pytest.raises(FileNotFoundError):
        read_state(tmp_path / "missing", 4)


def test_a_mark_replaces_what_is_no_file_and_touches_nothing_else(tmp_path: Path) -> None:
    for place in (place_link, os.mkfifo, lambda path: path.symlink_to("missing")):
        place(tmp_path / "mark")
        create_mark(tmp_path / "mark")
        assert (tmp_path / "mark").is_file()
        assert not (tmp_path / "mark").is_symlink()
        assert not (tmp_path / "missing").exists()
        (tmp_path / "mark").unlink()
    assert (tmp_path / "elsewhere").read_bytes() == b"elsewhere"
    (tmp_path / "mark").mkdir()
    with pytest.raises(StorageError):
        create_mark(tmp_path / "mark")


def test_a_state_directory_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "real/below").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    assert state_directory(tmp_path, "real", "below", "new") == tmp_path / "real/below/new"
    with pytest.raises(StorageError, match="link is a symbolic link"):
        state_directory(tmp_path, "link", "below")


def test_a_state_directory_is_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for name in ("file", "pipe"):
        with pytest.raises(StorageError, match=f"{name} is not a directory: remove it$"):
            state_directory(tmp_path, name, "below")


def test_refusals_of_the_system() -> None:
    full = refusal(OSError(errno.ENOSPC, "No space left on device"))
    assert str(full) == "cannot use the output: the disk is full"
    denied = refusal(PermissionError(errno.EACCES, "no", "/etc/x"))
    assert str(denied) == "cannot use /etc/x: permission denied: check its permissions"
    assert refusal(OSError(errno.EBADF, "no")) is None
    assert refusal(ValueError("no")) is None
