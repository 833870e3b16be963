"""What a ranking works on and what it has finished, in a folder beside its output that every worker can read.

    OUT.parquet.work/
        signature.json      what this run is: a run with other options may not go on here
        laid/               main questions and pool, laid out once; the vectors of both, to be mapped; workers' notes
        robustness.rank-…/  the finished shards

The folder is there while a ranking runs and after it was stopped; what it holds can be looked at all the time.
"""

import contextlib
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.atomic import atomic_path, write_atomic
from voirdire.engine import Span, Store, Task
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.question_ranking import work_folder
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.progress import Progress
from voirdire.robustness.pool import Pool, fold
from voirdire.robustness.ranking_notes import clear_notes, read_notes
from voirdire.robustness.ranking_signature import unlike
from voirdire.text.encoders import Encoder

__all__ = [
    "SHARD",
    "Laid",
    "LaidEncoder",
    "fingerprint",
    "opened",
    "rank_task",
    "read_laid",
    "tidy",
    "what_workers_do",
]

# Distinct main questions a shard, and texts that are encoded at once: the first is part of what is kept.
SHARD, PIECE = 128, 4096
VERSION = 2
HEAD, WHOLE = "signature.json", "whole"

Int64 = npt.NDArray[np.int64]


def fingerprint(main: VqaQuestions) -> str:
    """SHA-256 of the main questions with their ids, however the file spells them."""
    digest = hashlib.sha256(main.question_ids.tobytes() + main.image_ids.tobytes())
    digest.update("\0".join(main.questions).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@dataclass(frozen=True)
class Laid:
    """Main questions and pool as files.

    A main question's text is ranked once however often it is asked; one without text is not ranked.
    """

    folder: Path

    @classmethod
    def of(cls, work: Path) -> "Laid":
        """Those of the run that keeps its work there."""
        return cls(work / "laid")

    def array(self, name: str) -> npt.NDArray[Any]:
        """question_ids, image_ids; text (the place in `ranked`, −1 where there is no text); own (by ranked text, the
        place in the pool that it may not have, −1 where there is none)."""
        array: npt.NDArray[Any] = np.load(self.folder / f"{name}.npy", mmap_mode="r")
        return array

    def _texts(self, name: str) -> list[str]:
        return msgspec.json.decode((self.folder / f"{name}.json").read_bytes(), type=list[str])

    @cached_property
    def ranked(self) -> list[str]:
        """The distinct texts of the main questions, in the order of their first appearance."""
        return self._texts("ranked")

    @cached_property
    def pool(self) -> list[str]:
        """The questions of the pool."""
        return self._texts("pool")

    def questions(self) -> list[str]:
        """All main questions as they were asked."""
        return self._texts("questions")

    @property
    def vectors(self) -> Path:
        """The file of the vectors: those of the pool, then those of the ranked texts."""
        return self.folder / "vectors.npy"

    def encode(self, encoder: Encoder, report: Progress) -> None:
        """Encode pool and main questions, each text once; nothing is done where that was finished before."""
        if self.vectors.exists():
            return
        texts = self.pool + self.ranked
        with atomic_path(self.vectors) as partial:
            shape = (len(texts), encoder.dimension)
            array = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float32, shape=shape)
            for start in range(0, len(texts), PIECE):
                report(start, len(texts))
                piece = texts[start : start + PIECE]
                array[start : start + PIECE] = _finite(encoder, piece)
            array.flush()
            del array
        report(len(texts), len(texts))

    def encoder(self, name: str, signature: str) -> "LaidEncoder":
        """An encoder that knows pool and main questions alone, and reads their vectors instead of making them."""
        return LaidEncoder(self, name, signature)


def _finite(encoder: Encoder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
    vectors: npt.NDArray[np.float32] = encoder.encode(texts)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        found = f"a vector of {texts[int(np.argmin(finite))]!r} with a number that is not finite"
        raise InputError(f"encoder {encoder.name}", [Problem("", "", found, "finite vectors")])
    return vectors


class LaidEncoder:
    """Vectors that are there already, under the name and signature of the encoder that made them."""

    def __init__(self, laid: Laid, name: str, signature: str) -> None:
        self.name = name
        self.signature = signature
        self._pool = laid.pool
        self._vectors: npt.NDArray[np.float32] = np.load(laid.vectors, mmap_mode="r")
        self._rows = {text: row for row, text in enumerate(laid.pool + laid.ranked)}

    @property
    def dimension(self) -> int:
        return int(self._vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One row a text; the pool as a whole is mapped, not copied."""
        if len(texts) == len(self._pool) and list(texts) == self._pool:
            return self._vectors[: len(self._pool)]
        return np.asarray(self._vectors[[self._rows[text] for text in texts]])


@contextlib.contextmanager
def opened(work: Path, task: Task[Span], main: VqaQuestions, pool: Pool, leave_out: bool) -> Iterator[Laid]:
    """Hold `work` for one run, with its questions laid out; what another run has finished is not touched."""
    head, laid, signature = work / HEAD, Laid.of(work), dict(task.parameters)
    before = json.loads(head.read_bytes()) if head.exists() else signature
    if before != signature and next(work.glob("*/[!.]*.shard"), None) is not None:
        raise _refused(work, before, signature)
    with Store(work).opened(task):
        if before != signature:
            shutil.rmtree(laid.folder, ignore_errors=True)
        write_atomic(head, (json.dumps(signature, indent=2, ensure_ascii=False) + "\n").encode())
        if not (laid.folder / WHOLE).exists():
            _lay_out(laid.folder, main, pool, leave_out)
        clear_notes(laid.folder)
        yield laid


def what_workers_do(output: str | Path) -> str:
    """What the workers of the ranking that is to become `output` do beside ranking, such as compiling; or nothing."""
    return read_notes(Laid.of(work_folder(output)).folder)


def tidy(work: Path, task: Task[Span]) -> None:
    """Remove what this run kept, and nothing else that may be there."""
    for folder in (Laid.of(work).folder, Store.of(work, task).folder):
        shutil.rmtree(folder, ignore_errors=True)
    for name in (HEAD, "run.json", "lock"):
        (work / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        work.rmdir()


def _lay_out(folder: Path, main: VqaQuestions, pool: Pool, leave_out: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    places: dict[str, int] = {}
    text = [places.setdefault(one, len(places)) if fold(one) else -1 for one in main.questions]
    own = [place if leave_out and (place := pool.find(one)) is not None else -1 for one in places]
    arrays = {
        "question_ids": main.question_ids,
        "image_ids": main.image_ids,
        "text": np.array(text, np.int64),
        "own": np.array(own, np.int64),
    }
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    for name, texts in (("ranked", list(places)), ("pool", pool.texts), ("questions", main.questions)):
        write_atomic(folder / f"{name}.json", msgspec.json.encode(texts))
    write_atomic(folder / WHOLE, b"")


def _refused(work: Path, before: dict[str, Any], now: dict[str, Any]) -> UsageError:
    return UsageError(
        f"{work}: holds the unfinished work of another run ({unlike(before, now)}). "
        "Call with the options of that run to go on with it, write to another file, or remove the folder."
    )


def rank_task(signature: Mapping[str, Any], prepare: Callable[[], Callable[[Span], bytes]]) -> Task[Span]:
    """The map from spans of ranked texts to their neighbours."""
    return Task("robustness.rank", VERSION, prepare, signature)


def read_laid(work: Path) -> tuple[Laid, dict[str, Any]] | None:
    """What a run has laid out in `work`, and what it is; None where no run has come so far."""
    head, laid = work / HEAD, Laid.of(work)
    if not head.exists() or not (laid.folder / WHOLE).exists():
        return None
    signature: dict[str, Any] = json.loads(head.read_bytes())
    return laid, signature
