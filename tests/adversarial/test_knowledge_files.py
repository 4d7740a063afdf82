"""Whatever happens to the files of a knowledge base, its index is in step with them."""

import json
import os
import random
import shutil

from sdd_hooks.errors import SddError
from sdd_hooks.knowledge.entries import entry_text
from sdd_hooks.knowledge.lookup import Wanted
from sdd_hooks.knowledge.store import load_index, read_files, read_index, write_entries
from sdd_hooks.usecases.knowledge.entries import look_up, writing
from tests.knowledge.bases import base_of, lesson
from tests.support.repos import Repo

NAMES = [f"l-{number}" for number in range(6)]
TAGS = ("a", "b", "c", "d")


def some_lesson(generator, name):
    tags = tuple(generator.sample(TAGS, generator.randrange(1, 4)))
    return lesson(name, tags=tags, advice=f"Advice {generator.randrange(10**6)}")


def save(base, generator):
    with writing(base) as now:
        known, _ = load_index(now.place)
        names = generator.sample(NAMES, generator.randrange(1, 4))
        write_entries(now.place, known, [some_lesson(generator, name) for name in names])


def delete(base, generator):
    with writing(base) as now:
        known, _ = load_index(now.place)
        listed = sorted(known)
        write_entries(now.place, known, deleted=generator.sample(listed, min(len(listed), 2)))


def replace_a_file(base, generator):
    """As git and most editors do: by another file with its name."""
    name = generator.choice(NAMES)
    path = base.place.directory / "lessons" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    other = path.with_name("other")
    text = entry_text(some_lesson(generator, name))
    other.write_text(generator.choice([text, text[: len(text) // 2], "", "<<<<<<< ours\n" + text]))
    other.replace(path)


def remove_files(base, generator):
    folder = base.place.directory / "lessons"
    for path in list(folder.glob("*.json")) if folder.is_dir() else []:
        if generator.random() < 0.3:
            path.unlink()


def damage_the_index(base, generator):
    path = base.place.directory / "index.json"
    if not path.is_file():
        return
    data = path.read_bytes()
    times = path.stat()
    if generator.random() < 0.3:
        path.unlink()
        return
    start = generator.randrange(len(data) + 1)
    path.write_bytes(generator.choice([data[:start], data[start:], generator.randbytes(9)]))
    if generator.random() < 0.5:
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def remove_a_directory(base, generator):
    name = generator.choice(["patterns", "lessons"])
    shutil.rmtree(base.place.directory / name, ignore_errors=True)


EVENTS = (save, save, delete, replace_a_file, remove_files, damage_the_index, remove_a_directory)


def test_the_index_is_in_step_after_any_history(rounds, tmp_path):
    repo = Repo.init(tmp_path / "repo")

    def case(generator: random.Random) -> None:
        shutil.rmtree(repo.root / ".sdd", ignore_errors=True)
        base = base_of(repo)
        for _ in range(generator.randrange(1, 12)):
            generator.choice(EVENTS)(base, generator)
            if generator.random() < 0.3:
                continue
            try:
                known, _ = read_index(base.repository, base.place)
            except SddError as error:
                raise AssertionError(f"a lookup failed: {error}") from error
            assert known == read_files(base.place)
            assert read_index(base.repository, base.place).notes == ()
            if base.place.directory.is_dir():
                json.loads((base.place.directory / "index.json").read_bytes())
            tag = generator.choice(TAGS)
            found, _ = look_up(base, Wanted((tag,), (), 99))
            wanted = {one.id for one in known.lessons.values() if tag in one.tags}
            assert {one.entry.id for one in found.entries} == wanted
            assert found.warnings == ()

    rounds.run(case)
