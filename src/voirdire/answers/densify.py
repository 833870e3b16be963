"""Reference sets for every round of a whole dataset, in shards that survive being killed.

Two maps over fixed shards: first the texts that are used are projected, then the sets of the rounds are made. Finished
shards are kept in a folder beside the output, and the same call goes on from there; the folder is removed when the
output is complete. The bytes of the output do not depend on the engine, the number of workers or interruptions.
"""

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.answers.cca import Cca, fingerprint_of
from voirdire.answers.cca.projection import gather_dot, open_projector
from voirdire.answers.exam import DensifyOptions, SetOptions
from voirdire.answers.references import complete_rounds, members, warn_of_truths
from voirdire.answers.rounds import rounds_of
from voirdire.atomic import is_sealed, write_sealed
from voirdire.engine import Engine, Here, Span, Store, Task, run_map, shards
from voirdire.engine.shared_files import SharedFile, map_array, write_array
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.parquet import is_utf8
from voirdire.formats.reference_files import ENDINGS, write_sets
from voirdire.formats.visdial import VisDial, read_visdial
from voirdire.progress import UNSEEN, Stages

# Part of the definition of the shards, and so of what is kept of them.
TEXTS, ROUNDS = 8192, 4096
# What is written of the dialogues for workers to map: arrays, and the used texts of the two pools.
ARRAYS = ("image_ids", "numbers", "question", "gt_index", "options", "answer", "asked")
POOLS = ("answers", "questions")

Bool = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Densified:
    """How many sets were written, how many answers they have, and warnings."""

    sets: int
    answers: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Rounds:
    """The part of the dialogues that sets are made and written from, in sealed files that every worker can map.

    image_ids, numbers, question, gt_index, options  one row per round that has candidates and a ground truth
    answer, asked                                    the used places of the two pools, ascending
    """

    folder: Path

    def __getattr__(self, name: str) -> npt.NDArray[Any]:
        return map_array(self.folder / f"{name}.npy")

    def texts(self, name: str) -> list[str]:
        """The used texts of a pool, `answers` or `questions`."""
        return _texts(SharedFile(self.folder / f"{name}.json"))


def densify(
    visdial: VisDial,
    cca: Cca,
    output: str | Path,
    options: SetOptions | None = None,
    *,
    engine: Engine | None = None,
    work: Path | None = None,
    stages: Stages = UNSEEN,
) -> Densified:
    """Write the sets of all rounds to `output` (.parquet, .jsonl, .json; the latter two also with .gz).

    work  where finished shards are kept; beside the output where None
    """
    options, engine = options or DensifyOptions(), engine or Here()
    if options.method == "H":
        raise UsageError("method H is for annotated rounds only; densify with S, M or G")
    if not str(output).endswith(ENDINGS):
        raise UsageError(f"`output` must end in {' or '.join(ENDINGS)}, got {output}")
    if str(output).endswith(".parquet") and not is_utf8(Path(output).absolute()):
        raise UsageError(f"`output` of a Parquet file must be a name in UTF-8, got {output}")
    work = work or Path(f"{output}.work")
    projector = open_projector(cca, options.encoder)
    about = {"cca": fingerprint_of(cca), "visdial": visdial.fingerprint}
    rows, warnings = complete_rounds(visdial)
    warnings += warn_of_truths(projector)
    rounds = Rounds(work / f"rounds-{visdial.fingerprint[:16]}")
    choose = Task(
        "answers.densify",
        1,
        _Choosing.of(rounds.folder, about["cca"][:16], options),
        {**about, "options": options.plain()},
        lambda span: f"image {rounds.image_ids[span.start]}, round {rounds.numbers[span.start]}",
    )
    # Of two calls for the same dialogues the first to end would remove the files that the other uses.
    with Store(rounds.folder).opened(choose):
        _write_rounds(visdial, rows, rounds.folder, stages)
        # The dialogues are large; from here on only the written files are used.
        del visdial, projector
        project = partial(_project, cca, options.encoder)
        projecting, choosing = stages("project", "texts"), stages("choose", "rounds")
        views = ("answers", "questions") if options.pairing.startswith("question") else ("answers",)
        done, tasks = 0, list[Task[Span]]()
        counts = [len(rounds.answer), len(rounds.asked) if len(views) > 1 else 0]
        for view, count in zip(views, counts, strict=False):
            texts = SharedFile(rounds.folder / f"{view}.json")
            task: Task[Span] = Task("answers.project", 1, partial(project, texts, view), {**about, "view": view})
            tasks.append(task)
            before = done
            with run_map(
                task,
                shards(count, TEXTS),
                engine=engine,
                store=work,
                progress=lambda n, _, before=before, count=count: projecting(  # type: ignore[misc]
                    before + min(n * TEXTS, count), sum(counts)
                ),
            ) as parts:
                path = rounds.folder / f"{about['cca'][:16]}-{view}.npy"
                blocks = (np.frombuffer(part) for part in parts)
                write_array(path, blocks, (count, len(cca.eigenvalues)), np.float64)
            done += count
        n = len(rows)
        with run_map(
            choose,
            shards(n, ROUNDS),
            engine=engine,
            store=work,
            progress=lambda finished, _: choosing(min(finished * ROUNDS, n), n),
        ) as flags:
            width = rounds.options.shape[1]
            answers = write_sets(rounds, (_unpacked(part, width) for part in flags), output)
    _remove(work, [rounds.folder, *(Store.of(work, task).folder for task in (*tasks, choose))])
    return Densified(n, answers, warnings)


def densify_dataset(
    visdial: str,
    cca: Cca,
    *,
    options: DensifyOptions,
    output: str,
    work: str | None = None,
    engine: Engine | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """The same from the file of the dialogues, which are large: they are freed once their files are written."""
    kept = None if work is None else Path(work)
    sets = densify(read_visdial(visdial), cca, output, options, engine=engine, work=kept, stages=stages)
    line = f"{options.method}: {sets.sets:,} sets, {sets.answers / sets.sets:.2f} answers each: {output}"
    return Outcome((line,), warnings=sets.warnings)


def _remove(work: Path, folders: list[Path]) -> None:
    """Remove what this call kept, and nothing else in the folder."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        work.rmdir()


def _write_rounds(visdial: VisDial, rows: npt.NDArray[np.int64], folder: Path, stages: Stages) -> None:
    """Write the dialogues as files to map; an earlier call's are kept if all are as it wrote them."""
    files = [folder / name for name in (*(f"{name}.npy" for name in ARRAYS), *(f"{name}.json" for name in POOLS))]
    if all(map(is_sealed, files)):
        return
    if files[-1].exists():
        stages.say(f"{folder}: not as it was written; the dialogues are laid out anew")
    options = visdial.options[rows]
    answer, asked = np.unique(options), np.unique(visdial.question[rows])
    arrays: tuple[npt.NDArray[Any], ...] = (
        *rounds_of(visdial, rows),
        np.searchsorted(asked, visdial.question[rows]).astype(np.int32),
        visdial.gt_index[rows].astype(np.int64),
        np.searchsorted(answer, options).astype(np.int32),
        answer,
        asked,
    )
    texts = (
        msgspec.json.encode([pool[place] for place in places.tolist()])
        for pool, places in ((visdial.answers, answer), (visdial.questions, asked))
    )
    for path, array in zip(files, arrays, strict=False):
        write_array(path, [array], array.shape, array.dtype)
    for path, text in zip(files[len(arrays) :], texts, strict=True):
        write_sealed(path, [text], len(text))


def _texts(file: SharedFile) -> list[str]:
    return msgspec.json.decode(file.bytes(), type=list[str])


def _project(cca: Cca, encoder: str | None, file: SharedFile, view: str) -> Callable[[Span], bytes]:
    """In a worker: from a span of texts to their unit projections."""
    projector = open_projector(cca, encoder)
    texts = _texts(file)
    project = projector.answers if view == "answers" else projector.questions
    return lambda span: project(texts[span.start : span.stop]).tobytes()


@dataclass(frozen=True)
class _Choosing:
    """What a worker needs to choose sets; called there, it makes the function from a span of rounds to their sets.

    files  of the candidates, the ground truths, the questions and the projections of answers and questions; the last
           of them where sets are anchored at questions
    """

    files: tuple[SharedFile, ...]
    options: SetOptions

    @classmethod
    def of(cls, folder: Path, cca: str, options: SetOptions) -> "_Choosing":
        names = ["options", "gt_index", "question", f"{cca}-answers"]
        if options.pairing.startswith("question"):
            names.append(f"{cca}-questions")
        return cls(tuple(SharedFile(folder / f"{name}.npy") for name in names), options)

    def __call__(self) -> Callable[[Span], bytes]:
        """In a worker: from a span of rounds to their sets, one bit per candidate."""
        candidates, gt_index, question, answers, *more = (np.asarray(file.array()) for file in self.files)

        def compute(span: Span) -> bytes:
            here = slice(span.start, span.stop)
            asked, truth = np.array(candidates[here]), np.array(gt_index[here])
            anchor = question[here] if more else asked[np.arange(len(asked)), truth]
            values = gather_dot(more[0] if more else answers, anchor.astype(np.int64), answers, asked)
            return np.packbits(members(values, truth, self.options), axis=1).tobytes()

        return compute


def _unpacked(part: bytes, width: int) -> Bool:
    rows = np.frombuffer(part, np.uint8).reshape(-1, -(-width // 8))
    return np.unpackbits(rows, axis=1, count=width).astype(np.bool_)
