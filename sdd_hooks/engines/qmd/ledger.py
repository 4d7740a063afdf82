"""The state of qmd's index as it is kept: opened, changed in one step, distrusted after damage."""

# Governing: ADR-0014 (the qmd engine), SPEC-0006 REQ "A damaged index"

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from sdd_hooks.engines.qmd.folder import is_database, make, set_aside
from sdd_hooks.engines.qmd.process import Place
from sdd_hooks.engines.qmd.state import State, read_state, write_state
from sdd_hooks.errors import IndexDamaged, StorageError


class Ledger:
    """What sdd knows about the index of a place. `rebuilt` says that the index was lost, and every
    collection has to be made again; `notes` what was set aside."""

    def __init__(self, place: Place, *, repair: bool) -> None:
        """Read it. With `repair`, what cannot be used is set aside, else IndexDamaged is raised."""
        self.notes: list[str] = []
        self.rebuilt = False
        self.state = State()
        self._place = place
        self._facts = place.directory / "state.json"
        self._begun_anew = False
        if not is_database(place.database):
            damaged = IndexDamaged(f"{place.database} is damaged: run `sdd index update`")
            if not repair:
                raise damaged
            self.reset(str(damaged))
        self._read(repair)

    def _read(self, repair: bool) -> None:
        state = read_state(self._facts)
        indexed = self._place.database.exists()
        if state is None and self._facts.exists():
            if not repair:
                raise IndexDamaged(f"{self._facts} is damaged: run `sdd index update`")
            aside = set_aside(self._facts)
            self.notes.append(f"{self._facts} is damaged; set aside as {aside.name} and rebuilt")
        if state is None:
            # Vectors that are there are as good as ever: nothing is thrown away.
            self.rebuilt = self.rebuilt or indexed
        elif state.filled and not indexed:
            self.rebuilt = self._begun_anew = True
        else:
            self.state = state

    def keep(self, change: Callable[[State], State]) -> None:
        """Store the state with a change, made to what another process may have stored meanwhile.

        Raises StorageError.
        """
        known = None if self._begun_anew else read_state(self._facts)
        self.state = change(known or self.state)
        self._begun_anew = False
        make(self._place)
        write_state(self._facts, self.state)

    def distrust(self) -> None:
        """Let the next update look at everything, whereupon qmd fails there and it is reset."""
        held = {
            name: replace(one, bookmark=None, seen="")
            for name, one in self.state.collections.items()
        }
        with suppress(StorageError):
            self.keep(lambda state: replace(state, collections=held))

    def reset(self, reason: str) -> None:
        """Set the whole folder aside, and begin with nothing."""
        if self._place.directory.exists():
            aside = set_aside(self._place.directory)
            about = reason.partition(": run")[0]
            self.notes.append(f"{about}; set aside as {aside.name} and rebuilt")
        self.rebuilt = True
        self.state = State()
