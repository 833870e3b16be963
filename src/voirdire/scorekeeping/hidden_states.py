"""Dialogue states of a language model's layers, turn by turn, one HDF5 file per layer.

The text of a turn is the same as for encoders, as the turns of a chat (`text.turn_states`). Each dialogue goes
through the model once, where its tokens and the model allow it; where not, as often as it takes, and the outcome says
so. Whether the model allows it, each worker looks at in the first dialogue: states of one pass and of one pass per turn
may differ by 1e-4 of their length. Dialogues go in fixed shards; finished ones are kept beside the output until it is
whole.
"""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.atomic import check_output
from voirdire.engine import Engine, Here, Span, Store, Task, run_map, shards
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.states import TURNS, filling_states
from voirdire.formats.strict import Problems
from voirdire.progress import UNSEEN, Progress, Stages
from voirdire.scorekeeping.exam import Role, StatesOptions
from voirdire.scorekeeping.states import dialogue_called
from voirdire.text.language_model import STATE_MODELS, StateModel, layer_numbers
from voirdire.text.turn_states import StateReader, dialogue_turns, tokens_of

ENDINGS = (".h5", ".hdf5")
LAYER = "{}"
"""What stands for the layer's number in the name of the output."""
DIALOGUES = 8
"""Dialogues of a shard; part of the definition of the shards, and so of what is kept of them."""
CHECKED = 64
"""Dialogues between two reports while their lengths are looked at."""
ONE, SEVERAL = "one per dialogue", "one per turn"


@dataclass
class _Passes:
    """How the states were made.

    causal   whether the model's states do not depend on what follows
    several  places of the dialogues that took several passes though the model is causal
    """

    causal: bool = True
    several: list[int] = field(default_factory=list)

    def told(self, count: int) -> str:
        """In few words, for the file."""
        if not self.causal:
            return SEVERAL
        return f"{ONE}; several for {len(self.several):,} of {count:,}" if self.several else ONE

    def warnings(self, count: int) -> Iterator[str]:
        if not self.causal:
            yield (
                "The model's states depend on what follows them, as those of a model that reads both ways do, so each "
                "turn of each dialogue went through it alone."
            )
        elif self.several:
            first = ", ".join(map(str, self.several[:3])) + (", …" if len(self.several) > 3 else "")
            yield (
                f"{len(self.several):,} of {counted(count, 'dialogue')} ({first}, from 0) went through the model more "
                "than once: in the model's template the tokens of a turn are not the beginning of those of the next."
            )


def hidden_states(
    dialogues: Dialogues,
    options: StatesOptions,
    *,
    output: str | Path,
    engine: Engine | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Write the states of all dialogues, whole or not at all, and say how many there are.

    output  a file in .h5 or .hdf5; its name has {} for the layer's number where several layers are asked for
    """
    assert options.model is not None
    if Path(output).suffix not in ENDINGS:
        raise UsageError(f"`output` must end in {' or '.join(ENDINGS)} with a `model`, got {output}")
    model = STATE_MODELS.make(options.model)
    layers = layer_numbers(options.layers, model.last)
    files = {layer: Path(str(output).replace(LAYER, str(layer))) for layer in layers}
    if len(set(files.values())) < len(layers):
        found = f"`output` must have {LAYER} for the number of each of {len(layers)} layers, got {output}"
        raise UsageError(f"{found}; for instance states-{LAYER}.h5")
    for one in files.values():
        check_output(one)
    reader = StateReader(model, layers, options.pool)
    _check_lengths(dialogues, options, reader, stages("read", "dialogues"))
    about = {
        "model": model.signature,
        "dialogues": dialogues.fingerprint,
        "role": options.role,
        "layers": layers,
        "pool": options.pool,
        "form": reader.form,
    }
    prepare = partial(_prepare, reader, options.role, dialogues.dialogues)
    task: Task[Span] = Task("scorekeeping.hidden", 1, prepare, about, partial(dialogue_called, dialogues))
    work, count = Path(f"{output}.work"), len(dialogues)
    spans, progress, made = shards(count, DIALOGUES), stages("states", "dialogues"), _Passes()
    with (
        contextlib.ExitStack() as stack,
        run_map(
            task,
            spans,
            engine=engine or Here(),
            store=work,
            progress=lambda done, _: progress(min(done * DIALOGUES, count), count),
        ) as parts,
    ):
        puts = [
            stack.enter_context(
                filling_states(
                    file, (count, TURNS, model.dimension), partial(_told, model, options, reader, made, layer, count)
                )
            )
            for layer, file in files.items()
        ]
        for span, part in zip(spans, parts, strict=True):
            for put, states in zip(puts, _unpacked(part, span, len(layers), model.dimension, made), strict=True):
                put(span.start, states)
    shutil.rmtree(Store.of(work, task).folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        work.rmdir()
    which = f"layer {layers[0]}" if len(layers) == 1 else f"{len(layers)} layers from {layers[0]} to {layers[-1]}"
    size = f"{counted(count, 'dialogue')}, {TURNS} turns, {model.dimension:,} dimensions"
    said = f"{size}, {which} of {model.last}: {output}"
    return Outcome((said,), warnings=tuple(made.warnings(count)))


def _told(
    model: StateModel, options: StatesOptions, reader: StateReader, made: _Passes, layer: int, count: int
) -> dict[str, str | int]:
    """What a file says of itself."""
    return {
        "model": model.name,
        "sha256": model.signature,
        "layer": layer,
        "layers": model.last,
        "pool": options.pool,
        "role": options.role,
        "form": reader.form,
        "passes": made.told(count),
    }


def _check_lengths(dialogues: Dialogues, options: StatesOptions, reader: StateReader, progress: Progress) -> None:
    """Refuse dialogues that the model cannot take whole, and those of more turns than states have."""
    problems, most = Problems(dialogues.file or "the dialogues"), reader.model.context
    for place, dialogue in enumerate(dialogues):
        if place % CHECKED == 0:
            progress(place, len(dialogues))
        told = dialogue_turns(dialogue, options.role)
        (tokens,) = tokens_of(reader.model.tokeniser, told, reader.form, last=True)
        if most is not None and len(tokens) > most:
            expected = f"at most {most:,}, as many as {reader.model.name} takes"
            problems.add(f"dialogue {place} (from 0)", "", f"{len(tokens):,} tokens", expected)
        if len(told.turns) > TURNS:
            problems.add(f"dialogue {place} (from 0)", "", f"{len(told.turns) - 1} rounds", f"at most {TURNS - 1}")
    progress(len(dialogues), len(dialogues))
    problems.check()


def _prepare(reader: StateReader, role: Role, dialogues: Sequence[Dialogue]) -> Callable[[Span], bytes]:
    """In a worker: from a span of dialogues to how they were read and their states."""
    reader.shared = causal = reader.is_causal(dialogue_turns(dialogues[0], role))

    def read(span: Span) -> bytes:
        found = [reader.read(dialogue_turns(one, role)) for one in dialogues[span.start : span.stop]]
        about = {"causal": causal, "passes": [count for _, count in found], "turns": [one.shape[1] for one, _ in found]}
        states = np.concatenate([one for one, _ in found], axis=1)
        return json.dumps(about).encode() + b"\n" + states.tobytes()

    return read


def _unpacked(part: bytes, span: Span, layers: int, dimension: int, made: _Passes) -> Iterator[npt.NDArray[np.float32]]:
    """The states of each layer of a shard, with zeros after the end of a dialogue; how they were made is noted."""
    head, _, data = part.partition(b"\n")
    about = json.loads(head)
    made.causal = about["causal"]
    made.several += [
        place for place, count in zip(range(span.start, span.stop), about["passes"], strict=True) if count > 1
    ]
    ends = np.cumsum(about["turns"])
    for rows in np.frombuffer(data, np.float32).reshape(layers, -1, dimension):
        states = np.zeros((span.stop - span.start, TURNS, dimension), np.float32)
        for place, (end, turns) in enumerate(zip(ends, about["turns"], strict=True)):
            states[place, :turns] = rows[end - turns : end]
        yield states
