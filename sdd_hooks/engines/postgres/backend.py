"""The engine over PostgreSQL without an open index."""

# Governing: ADR-0058 (the organisation's index is on PostgreSQL), ADR-0001 (engines, chosen)

from __future__ import annotations

from typing import TYPE_CHECKING

from sdd_hooks.engines.backend import LocalModelBackend
from sdd_hooks.project.project import Project
from sdd_hooks.project.repository import has_search_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdd_hooks.engines.postgres.engine import PostgresEngine
    from sdd_hooks.engines.postgres.organisation import PostgresAdministration, PostgresOrganisation


class PostgresBackend(LocalModelBackend):
    """`EngineBackend` of the engine over PostgreSQL."""

    def open(self, project: Project, *, repair: bool = False) -> PostgresEngine:
        """Open the part of the project's repository. With `repair`, to write to it.

        A writer waits until no other one writes to the same repository.

        Raises:
            EngineUnavailable: there is no server, no remote, or no driver.
            StorageError: the server refuses or fails.
        """
        from sdd_hooks.engines.postgres.address import find_address
        from sdd_hooks.engines.postgres.engine import (
            PostgresEngine,
            RepositoryOnServer,
            repository_identity,
        )

        repository = project.repository
        place = RepositoryOnServer(
            repository.root,
            repository_identity(repository.git),
            find_address(project.environ),
            repository.slug,
            repository.git,
            repository.search_dir,
        )
        return PostgresEngine(
            place,
            environ=project.environ,
            settings=project.configuration.search,
            write=repair,
        )

    def is_indexed(self, project: Project) -> bool:
        """Whether the work tree, or the environment, refers to an index."""
        from sdd_hooks.engines.postgres.address import is_configured

        return has_search_dir(project.repository) or is_configured(project.environ)

    def installation(self, project: Project) -> str:
        """Return the engine and its server. Raises EngineUnavailable without an address."""
        from sdd_hooks.engines.postgres.address import find_address, import_driver

        import_driver()
        return f"postgres on {find_address(project.environ).place}"

    def has_organisation(self, environ: Mapping[str, str]) -> bool:
        """Whether the environment refers to a server."""
        from sdd_hooks.engines.postgres.address import is_configured

        return is_configured(environ)

    def open_organisation(self, project: Project) -> PostgresOrganisation:
        """Open every repository that the role may read.

        Raises EngineUnavailable without a server, NotIndexed and StorageError.
        """
        from sdd_hooks.engines.postgres.address import find_address
        from sdd_hooks.engines.postgres.organisation import PostgresOrganisation

        return PostgresOrganisation(
            find_address(project.environ),
            project.repository.root,
            project.environ,
            project.configuration.search,
        )

    def administer(self, environ: Mapping[str, str]) -> PostgresAdministration:
        """Open the index to see its state and change grants. Raises EngineUnavailable."""
        from sdd_hooks.engines.postgres.address import find_address
        from sdd_hooks.engines.postgres.organisation import PostgresAdministration

        return PostgresAdministration(find_address(environ))


ENGINE = PostgresBackend()
