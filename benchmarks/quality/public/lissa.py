"""LiSSA's replication package as projects: sentences of documentation, and requirements.

Fuchß, Hey, Keim, Liu, Ewald, Thirolf and Koziolek: LiSSA: Toward Generic Traceability Link Recovery
through Retrieval-Augmented Generation (ICSE 2025).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.quality.public.questions import PublicProject, Question, write_project

DOCUMENTATION, REQUIREMENTS = "documentation to code", "requirements to code"


@dataclass(frozen=True)
class _Source:
    """Where a project is in the package: its texts, its code, and its links.

    `texts` is a file with a sentence in each line, or a folder with a requirement in each file.
    """

    name: str
    group: str
    texts: str
    code: str
    links: str
    suffixes: tuple[str, ...] = ()


_V1, _V2 = "LiSSA-RATLR-V1/evaluation/{0}/datasets/{0}", "LiSSA-RATLR-V2/lissa/datasets"
_CODE = (".java", ".sh")


def _documentation(name: str, top: str, texts: str, code: str, links: str) -> _Source:
    return _Source(
        name,
        DOCUMENTATION,
        f"{top}/{texts}",
        f"{top}/{code}/code",
        f"{top}/goldstandards/{links}.csv",
        _CODE,
    )


def _requirements(name: str, folder: str) -> _Source:
    top = f"{_V2}/req2code/{folder}"
    return _Source(name, REQUIREMENTS, f"{top}/UC", f"{top}/CC", f"{top}/answer.csv")


_SOURCES = (
    _documentation(
        "mediastore",
        f"{_V2}/doc2code/mediastore",
        "text_2016/mediastore.txt",
        "model_2016",
        "goldstandard-mediastore",
    ),
    _documentation(
        "teastore",
        f"{_V2}/doc2code/teastore",
        "text_2020/teastore.txt",
        "model_2022",
        "goldstandard-teastore",
    ),
    _documentation(
        "bigbluebutton",
        f"{_V2}/doc2code/bigbluebutton",
        "text_2021/bigbluebutton_1SentPerLine.txt",
        "model_2023",
        "goldstandard-bigbluebutton",
    ),
    _documentation(
        "teammates",
        _V1.format("teammates"),
        "text_2021/teammates.txt",
        "model_2023",
        "goldstandard-sad-code",
    ),
    _documentation(
        "jabref",
        _V1.format("jabref"),
        "text_2021/jabref.txt",
        "model_2023",
        "goldstandard-sad-code",
    ),
    _requirements("etour", "eTour_en"),
    _requirements("itrust", "iTrust"),
    _requirements("smos", "SMOS"),
)


def convert(package: Path, directory: Path, environ: Mapping[str, str]) -> list[str]:
    """Convert a copy of the replication package into projects below `directory`.

    Returns the names of the converted projects; those that the copy lacks are left out. Dronology
    is not among them: the package does not contain its code.

    Raises:
        ValueError: the package has other files than expected.
    """
    converted = []
    for source in _SOURCES:
        if not (package / source.texts).exists() or not (package / source.code).is_dir():
            continue
        files = dict(_files(package / source.code, source.suffixes))
        questions = _questions(package, source, list(files))
        project = PublicProject(source.name, source.group, tuple(questions))
        write_project(directory, project, files.items(), environ)
        converted.append(source.name)
    return converted


def _files(top: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    for path in sorted(top.rglob("*")):
        if path.is_file() and path.name.endswith(suffixes or ("",)):
            # The classes of SMOS have the suffix of prose.
            named = path.with_suffix(".java") if path.suffix == ".txt" else path
            yield named.relative_to(top).as_posix(), path.read_bytes()


def _questions(package: Path, source: _Source, paths: Sequence[str]) -> Iterator[Question]:
    """Yield each sentence or requirement with the files that it is linked to; often none."""
    links = _links(package / source.links, paths)
    texts = dict(_texts(package / source.texts))
    unknown = sorted(set(links) - set(texts))
    if unknown:
        raise ValueError(f"{source.name}: links of unknown texts: {', '.join(unknown[:3])}")
    for identifier, text in texts.items():
        yield Question(text, tuple(sorted(links.get(identifier, ()))))


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts with their ids: numbers of lines that are not blank, or
    names of files."""
    if path.is_dir():
        for file in sorted(path.glob("*.txt")):
            yield file.stem, file.read_text(encoding="utf-8", errors="replace").strip()
        return
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(filter(str.strip, lines), 1):
        yield str(number), line.strip()


def _links(path: Path, paths: Sequence[str]) -> dict[str, set[str]]:
    """Return the linked files of each text. A file may be called by its name without a suffix."""
    stems = {file.rpartition("/")[2].rpartition(".")[0]: file for file in paths}
    links: dict[str, set[str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            if len(row) < 2 or row[0] == "SentenceId":
                continue
            text, target = row[0].strip().removesuffix(".txt"), row[1].strip()
            links.setdefault(text, set()).add(stems.get(target, target))
    return links
