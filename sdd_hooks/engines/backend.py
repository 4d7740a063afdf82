"""What an engine does without an open index."""

# Governing: ADR-0001 (two engines, chosen, never fallen back to)

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from sdd_hooks.engines.protocol import Engine
from sdd_hooks.named_tuple import NamedTuple

if TYPE_CHECKING:
    from sdd_hooks.project.project import Project


class Download(NamedTuple):
    """A download that an embed needs first.

    `content` is what it downloads, a noun phrase for messages. With `during_embed`, the engine
    downloads it while it embeds; else `EngineBackend.download` does.
    """

    content: str
    during_embed: bool = False


@runtime_checkable
class EngineBackend(Protocol):
    """An engine without an open index: what an entry point of `sdd_hooks.engines` refers to.

    A subclass implements `open` and `is_indexed`; the other members have defaults for an engine
    that downloads nothing. Hooks import the module of a backend, so it imports what the engine
    needs only inside its methods.
    """

    @property
    def default_model(self) -> str:
        """The embedding model of a project that configures none, as messages call it."""
        return ""

    @abstractmethod
    def open(self, project: Project, *, repair: bool = False) -> Engine:
        """Open the index of a project, and create it if there is none.

        With `repair`, an index that cannot be read is set aside and replaced by an empty one.

        Raises:
            EngineUnavailable: the engine cannot run here.
            IndexDamaged: the index cannot be read, and `repair` is False.
            StorageError: the index cannot be opened or written.
        """
        ...

    @abstractmethod
    def is_indexed(self, project: Project) -> bool:
        """Whether the project may have an index; False only if opening it would find nothing.

        Commands call this first. It imports little, opens no index and creates nothing. Raises
        EngineUnavailable or StorageError when the engine cannot find out.
        """
        ...

    def installation(self, project: Project) -> str:  # noqa: ARG002
        """Return what would run: the engine's name, or the version and path of its program.

        "" stands for the name. Raises EngineUnavailable when the engine cannot run here.
        """
        return ""

    def required_download(self, project: Project) -> Download | None:  # noqa: ARG002
        """Return what the first embed has to download. Uses no network and runs no program.

        Raises EngineUnavailable when the configured model cannot run here.
        """
        return None

    def download(self, project: Project) -> None:  # noqa: ARG002
        """Download what `required_download` returns, unless the engine does so while it embeds.

        Raises EngineUnavailable when the download fails.
        """
        return

    def embedder(self, project: Project) -> str:  # noqa: ARG002
        """Return the model that embeds and its device, as `MODEL on DEVICE`; "" if unknown.

        Raises EngineUnavailable when the configured model cannot run here.
        """
        return ""


class LocalModelBackend(EngineBackend):
    """`EngineBackend` of an engine whose model is that of the module `models`."""

    @property
    def default_model(self) -> str:
        """The default model of the hub."""
        from sdd_hooks.models.embedding_model import DEFAULT_MODEL

        return DEFAULT_MODEL

    def required_download(self, project: Project) -> Download | None:
        """Return the model of the hub that is not in the cache. Raises EngineUnavailable."""
        missing = self._missing_model(project)
        return Download(f"the model {missing}") if missing else None

    def download(self, project: Project) -> None:
        """Download the model. Raises EngineUnavailable."""
        missing = self._missing_model(project)
        if missing:
            from sdd_hooks.models.hub import fetch_model

            fetch_model(missing, project.environ)

    def embedder(self, project: Project) -> str:
        """Return the model, which is loaded to make sure that it runs. Raises EngineUnavailable."""
        from sdd_hooks.models.embedding_model import load_model

        name, root = project.configuration.search.embed_model, project.repository.root
        model = load_model(name, root, project.environ)
        return f"{model.id} on {model.device}"

    def _missing_model(self, project: Project) -> str:
        from sdd_hooks.models.embedding_model import find_missing_model

        name, root = project.configuration.search.embed_model, project.repository.root
        return find_missing_model(name, root, project.environ)
