"""A dictionary on disk, laid out by pieces, so that no process ever holds it.

    FOLDER/
        original.npy               float32[n, d], the different columns, as they came
        exact.npy, single.npy      float64 and float32[n, r], after a rotation
        norms.npy, leak.npy, twins.npy, group.npy, basis.npy, main.npy      see `LassoColumns` and `Dictionary`
        layout.json                lists what is laid out; it comes last

The arrays are those of `Dictionary.of`, bit by bit. Each file is sealed. What is left in memory is about 40 bytes per
column, and a table of 16-byte hashes while equal columns are looked for.

Its parts can be actors of a Ray cluster, each with its own columns in its memory, spread over the nodes.

An actor reads its columns from the folder where they are laid out, where its node sees that folder; else it is given
them by pieces, through an actor on this program's node (the *shelf*) that reads them there. So no process ever holds
the whole. An actor that was lost is started again by Ray, at most `TRIES` times, reads its columns again and repeats
what it had under way.

Actors take no processor of their own by Ray's count: whoever asks them waits meanwhile. They take the memory of their
columns by that count, so that no node is given more of them than it can hold.

What travels is described in `parts`. Residuals are put into the object store once for all parts, so each node gets them
once.
"""

import contextlib
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.atomic import is_sealed, seal_of, write_atomic
from voirdire.engine import WorkerLost
from voirdire.engine.shared_files import map_array, write_array
from voirdire.engine.threads import one_thread
from voirdire.errors import UsageError, VoirDireError
from voirdire.figures import counted
from voirdire.robustness.lasso.columns import Float32, Int64
from voirdire.robustness.lasso.dictionary import CHUNK, basis_of_range, distinct, main_range, norms_of, rotated
from voirdire.robustness.lasso.parts import ColumnPart, HereParts, SplitColumns, Work, bounds_of_parts

HEAD = "layout.json"
SPACE = ("norms", "group", "twins", "basis", "main")
"""What every process knows of all columns."""


class _Contents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """length  d, the length of a target; `arrays` the names of the files"""

    length: int
    arrays: tuple[str, ...]


def lay_out(folder: Path, pieces: Callable[[], Iterable[Float32]], length: int) -> "ColumnLayout":
    """Lay out the dictionary of vectors in `folder`; an earlier one is replaced.

    pieces  gives the vectors, some at a time, in order; it is called twice, and must give the same both times
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    group, first = distinct(pieces(), length)
    layout = ColumnLayout(folder)
    write_array(layout.path("original"), _picked(pieces(), first), (len(first), length), np.float32)
    kept = layout.array("original")
    small: dict[str, Any] = {
        "group": group,
        "twins": np.bincount(group[group >= 0], minlength=len(first)),
        "leak": np.zeros(len(kept)),
    }
    basis = basis_of_range(kept) if len(kept) else None
    if basis is not None:
        shape = (len(kept), basis.shape[1])
        write_array(layout.path("exact"), rotated(kept, basis), shape, np.float64)
        exact = layout.array("exact")
        single = (exact[at : at + CHUNK] for at in range(0, len(exact), CHUNK))
        write_array(layout.path("single"), single, shape, np.float32)
        small |= {"basis": basis, "norms": norms_of(exact)}
    else:
        small["norms"] = norms_of(kept)
        if len(kept) and (main := main_range(kept)) is not None:
            small["main"], small["leak"] = main
    for name, array in small.items():
        write_array(layout.path(name), [array], array.shape, array.dtype)
    names = ("original", *(("exact", "single") if basis is not None else ()), *small)
    write_atomic(folder / HEAD, msgspec.json.encode(_Contents(length, names)))
    return layout


def _picked(pieces: Iterable[Float32], places: Int64) -> Iterator[Float32]:
    """These rows of all pieces, in order."""
    before = 0
    for piece in pieces:
        first, stop = np.searchsorted(places, [before, before + len(piece)])
        yield piece[places[first:stop] - before]
        before += len(piece)


@dataclass(frozen=True)
class ColumnLayout:
    """A dictionary that is laid out in a folder."""

    folder: Path

    def path(self, name: str) -> Path:
        """The file of one array."""
        return self.folder / f"{name}.npy"

    def contents(self) -> _Contents | None:
        """What is laid out; None where it is not complete."""
        try:
            return msgspec.json.decode((self.folder / HEAD).read_bytes(), type=_Contents)
        except (OSError, msgspec.DecodeError):
            return None

    def is_whole(self) -> bool:
        """Whether all arrays exist, as they were written."""
        contents = self.contents()
        return contents is not None and all(is_sealed(self.path(name)) for name in contents.arrays)

    def seals(self) -> dict[str, bytes]:
        """The seal of each file, by which somebody who sees such a folder knows that it is this one."""
        contents = self.contents()
        return {name: seal_of(self.path(name)) for name in contents.arrays} if contents is not None else {}

    def array(self, name: str) -> Any:
        """One array, mapped to be read."""
        # A plain array that looks at the map: slices of a map are slow to make.
        return np.asarray(map_array(self.path(name)))

    def space(self) -> dict[str, Any]:
        """What every process knows of all columns, by the names of `LassoColumns`."""
        contents = self.contents()
        assert contents is not None
        arrays = {name: self.array(name) if name in contents.arrays else None for name in SPACE}
        return {"length": contents.length, **arrays}

    def bounds(self, parts: int) -> list[int]:
        """Where parts begin, and the end."""
        return bounds_of_parts(len(self.array("norms")), parts)

    def rows(self, start: int, stop: int) -> dict[str, Any]:
        """The columns `start` to `stop - 1`, mapped, by the names of `ColumnPart`; what would be one array is one."""
        contents = self.contents()
        assert contents is not None
        names = ("original", "norms", "leak", *(("exact", "single") if "exact" in contents.arrays else ()))
        return {name: self.array(name)[start:stop] for name in names}


def part_of(start: int, rows: dict[str, Any]) -> ColumnPart:
    """A part of the arrays that `ColumnLayout.rows` names."""
    original = rows["original"]
    exact, single = rows.get("exact", original), rows.get("single", original)
    return ColumnPart(start, single, exact, original, rows["norms"], rows["leak"])


@dataclass(frozen=True)
class MappedParts:
    """Parts in files that whoever calls this maps: they work in that process, one after the other."""

    folder: Path
    parts: int

    def __call__(self) -> SplitColumns:
        layout = ColumnLayout(self.folder)
        bounds = layout.bounds(self.parts)
        parts = [part_of(start, layout.rows(start, stop)) for start, stop in pairwise(bounds)]
        return SplitColumns(**layout.space(), bounds=bounds, parts=HereParts(parts))


TRIES = 3
"""How often an actor that was lost is started again."""
PLACED = 120.0
"""Seconds that the cluster may take to find a node for every part."""
PIECE_BYTES = 2**26
"""Bytes that travel at once where columns do."""


@dataclass(frozen=True)
class ActorParts:
    """Actors by name; they travel to whoever ranks, and are called there.

    shelf  the actor that knows what every process has to know of all columns
    """

    names: tuple[str, ...]
    shelf: str
    bounds: tuple[int, ...]

    def __call__(self) -> SplitColumns:
        import ray

        with _errors_explained():
            # The object lies in the store once per node, and arrays of it are not copied.
            (space,) = ray.get(ray.get_actor(self.shelf).space.remote())
            return SplitColumns(**ray.get(space), bounds=list(self.bounds), parts=self)

    def ask(self, work: Work, requests: Sequence[Any]) -> list[Any]:
        import ray

        put: dict[int, Any] = {}
        answers: list[Any] = [None] * len(requests)
        with _errors_explained():
            asked = {}
            for i, (name, request) in enumerate(zip(self.names, requests, strict=True)):
                if request is not None:
                    if id(request) not in put:
                        put[id(request)] = ray.put(request)
                    asked[i] = getattr(ray.get_actor(name), work).remote(put[id(request)])
            for i, answer in zip(asked, ray.get(list(asked.values())), strict=True):
                answers[i] = answer
        return answers


@contextlib.contextmanager
def part_actors(layout: ColumnLayout, parts: int) -> Iterator[ActorParts]:
    """Actors for a dictionary that is split into so many parts; they end with the block. Ray must be connected."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    name = f"voirdire-columns-{secrets.token_hex(8)}"
    kept = {"num_cpus": 0, "max_restarts": TRIES, "max_task_retries": TRIES}
    bounds = layout.bounds(parts)
    with contextlib.ExitStack() as ends:

        def start(kind: type, called: str, *given: Any, **how: Any) -> Any:
            actor: Any = ray.remote(kind).options(name=called, **kept, **how).remote(*given)
            ends.callback(_end, actor)
            return actor

        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        start(_Shelf, name, layout.folder.absolute(), scheduling_strategy=here)
        actors, about = [], (layout.folder.absolute(), layout.seals())
        for part, (first, stop) in enumerate(pairwise(bounds)):
            size = sum(array.nbytes for array in layout.rows(first, stop).values())
            spread = {"scheduling_strategy": "SPREAD", "memory": size}
            actors.append(start(_PartActor, f"{name}-{part}", *about, (first, stop), name, **spread))
        _, missing = ray.wait([actor.ready.remote() for actor in actors], num_returns=len(actors), timeout=PLACED)
        if missing:
            raise UsageError(
                f"{len(missing)} of {len(actors)} parts of the pool found no node with {size / 1e9:.1f} GB "
                f"of free memory within {PLACED:.0f} s. Cut it into more parts (`pool_parts`), or add nodes"
            )
        yield ActorParts(tuple(f"{name}-{part}" for part in range(len(actors))), name, tuple(bounds))


def _end(actor: Any) -> None:
    import ray

    with contextlib.suppress(Exception):
        ray.kill(actor)


@contextlib.contextmanager
def _errors_explained() -> Iterator[None]:
    """Explain what it means that an actor is gone; an error of ours that came from one passes unchanged."""
    import ray

    try:
        yield
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, VoirDireError):
            raise error.cause from None
        raise
    # One that was lost is unknown by its name soon after.
    except (ray.exceptions.RayActorError, ValueError) as error:
        raise WorkerLost(
            "a part of the pool was lost with its node, or ran out of memory, and was started again "
            f"{counted(TRIES, 'time')} in vain. What was finished is kept: run the same command again, with more parts "
            f"(`pool_parts`) if memory was short ({type(error).__name__})."
        ) from None


class _Shelf:
    """On this program's node: reads what others do not see."""

    def __init__(self, folder: Path) -> None:
        self._layout = ColumnLayout(folder)
        self._space: Any = None

    def space(self) -> list[Any]:
        """What every process knows of all columns, as an object of the store."""
        import ray

        if self._space is None:
            self._space = ray.put(self._layout.space())
        return [self._space]

    def names(self) -> list[str]:
        """The arrays of a part."""
        return list(self._layout.rows(0, 0))

    def piece(self, name: str, start: int, stop: int) -> Any:
        """Some rows of one array."""
        return self._layout.array(name)[start:stop]


class _PartActor:
    """A part, wherever Ray has put it. Its columns are loaded when they are first needed: after a loss, too."""

    def __init__(self, folder: Path, seals: dict[str, bytes], span: tuple[int, int], shelf: str) -> None:
        self._folder, self._seals, self._span, self._shelf = folder, seals, span, shelf
        self._part: ColumnPart | None = None

    def ready(self) -> None:
        """Nothing: whoever has an answer knows that there is a node for this part."""

    def screen(self, request: Any) -> Any:
        """See `ColumnPart.screen`."""
        return self._work("screen", request)

    def exact_rows(self, places: Any) -> Any:
        """See `ColumnPart.exact_rows`."""
        return self._work("exact_rows", places)

    def original_rows(self, places: Any) -> Any:
        """See `ColumnPart.original_rows`."""
        return self._work("original_rows", places)

    def _work(self, work: Work, request: Any) -> Any:
        if self._part is None:
            self._part = part_of(self._span[0], self._loaded())
        with one_thread():
            return getattr(self._part, work)(request)

    def _loaded(self) -> dict[str, Any]:
        layout = ColumnLayout(self._folder)
        if layout.contents() is not None and layout.seals() == self._seals:
            return {name: np.array(array) for name, array in layout.rows(*self._span).items()}
        return self._fetched()

    def _fetched(self) -> dict[str, Any]:
        """The columns from the shelf, by pieces."""
        import ray

        shelf, (first, stop) = ray.get_actor(self._shelf), self._span
        names: list[str] = ray.get(shelf.names.remote())
        arrays: dict[str, Any] = {}
        for name in names:
            row = ray.get(shelf.piece.remote(name, first, first + 1))
            array = np.empty((stop - first, *row.shape[1:]), row.dtype)
            step = max(1, PIECE_BYTES // max(1, row.nbytes))
            for at in range(first, stop, step):
                upto = min(at + step, stop)
                array[at - first : upto - first] = ray.get(shelf.piece.remote(name, at, upto))
            arrays[name] = array
        return arrays
