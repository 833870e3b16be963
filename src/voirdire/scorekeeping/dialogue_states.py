"""Dialogue states, turn by turn: those of a text encoder, a baseline that anybody can run, or of a model's layers.

The state of turn t is the vector of what was said up to it (`text.turn_states`). A text encoder sees no image, so an
answerer's states hold nothing of what is private but what the words themselves give away. There are always 11 turns; a
dialogue that ends earlier, as those of the test split do, has zeros after its end.

A language model's states go to one HDF5 file per layer. Each dialogue goes through the model once, where its tokens and
the model allow it; where not, as often as it takes, and the outcome says so. Each worker checks with the first dialogue
whether the model allows it: states of one pass and of one pass per turn may differ by 1e-4 of their length.

Dialogues are worked on in fixed shards; finished ones are kept beside the output until it is whole.
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
from voirdire.formats.states import TURNS, States, filling_states, write_states
from voirdire.formats.strict import Problems
from voirdire.live.interview import Interview
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.scorekeeping.exam import AskStatesOptions, Role, StatesOptions
from voirdire.text.encoders import ENCODERS, DistinctEncoder
from voirdire.text.language_model import STATE_MODELS, StateModel, layer_numbers
from voirdire.text.turn_states import StateReader, dialogue_turns, tokens_of

DEFAULT = "minilm"
ENDINGS, LAYER_ENDINGS = (".h5", ".hdf5", ".npz"), (".h5", ".hdf5")
LAYER = "{}"
"""The placeholder of the layer's number in the name of the output."""
ENCODER_SHARD, MODEL_SHARD = 32, 8
"""Dialogues of a shard; part of the definition of the shards, and so of what is kept of them."""
CHECKED = 64
"""Dialogues between two reports while their lengths are checked."""
ONE, SEVERAL = "one per dialogue", "one per turn"


def states_part(
    dialogues: Dialogues,
    options: StatesOptions | None = None,
    *,
    output: str,
    engine: Engine | None = None,
    stages: Stages = UNSEEN,
) -> Outcome:
    """Write the states of all dialogues, and say how many there are."""
    if options is not None and options.model is not None:
        return hidden_states(dialogues, options, output=output, engine=engine, stages=stages)
    written = encode_states(dialogues, options, output=output, engine=engine, progress=stages("states", "dialogues"))
    count, turns, width = written.states.shape
    return Outcome((f"{count:,} dialogues, {turns} turns, {width:,} dimensions: {output}",))


def ask_states(dialogues: Dialogues, options: AskStatesOptions, interview: Interview) -> None:
    """Write the states of a live model that has them, as `states` does for the same model."""
    if interview.dry:
        return  # It is asked nothing.
    layer = str(options.state_layer)
    chosen = StatesOptions(model=interview.model.name, role=options.role, layers=layer, pool=options.pool)
    written = states_part(dialogues, chosen, output=str(interview.folder / "states.h5"), stages=interview.stages)
    interview.notes += written.warnings


@contextlib.contextmanager
def _state_shards(
    task: Task[Span], dialogues: Dialogues, size: int, output: str | Path, engine: Engine | None, progress: Progress
) -> Iterator[Iterator[tuple[Span, bytes]]]:
    """The result of each shard of so many dialogues, in order; what is kept beside `output` goes when all is done."""
    spans, work, count = shards(len(dialogues), size), Path(f"{output}.work"), len(dialogues)

    def report(finished: int, total: int) -> None:
        progress(min(finished * size, count), count)

    with run_map(task, spans, engine=engine or Here(), store=work, progress=report) as parts:
        yield zip(spans, parts, strict=True)
    shutil.rmtree(Store.of(work, task).folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        work.rmdir()


def _first_dialogue(dialogues: Dialogues, span: Span) -> str:
    """The first dialogue of a span, in a message."""
    return f"dialogue {span.start} (from 0), image {dialogues[span.start].image_id}"


def encode_states(
    dialogues: Dialogues,
    options: StatesOptions | None = None,
    *,
    output: str | Path,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> States:
    """The states of all dialogues, also written to `output` (.h5, .hdf5, .npz), whole or not at all.

    progress  counts dialogues
    """
    options = options or StatesOptions()
    if options.model is not None:
        raise UsageError("`model` has no encoder's states; `voirdire.scorekeeping.dialogue_states` writes its own")
    encoder, role = options.encoder or DEFAULT, options.role
    out = Path(output)
    if out.suffix not in ENDINGS:
        raise UsageError(f"`output` must end in {' or '.join(ENDINGS)}, got {out}")
    check_output(out)
    backend = ENCODERS.make(encoder)
    about = {"encoder": backend.signature, "dialogues": dialogues.fingerprint, "role": role}
    prepare = partial(_prepare_encoder, encoder, dialogues.dialogues, role)
    task: Task[Span] = Task("scorekeeping.states", 1, prepare, about, partial(_first_dialogue, dialogues))
    states = np.zeros((len(dialogues), TURNS, backend.dimension), np.float32)
    with _state_shards(task, dialogues, ENCODER_SHARD, out, engine, progress) as parts:
        for span, part in parts:
            rows = np.frombuffer(part, np.float32).reshape(-1, backend.dimension)
            at = 0
            for place in range(span.start, span.stop):
                turns = len(dialogues[place].rounds) + 1
                states[place, :turns] = rows[at : at + turns]
                at += turns
        written = States(states)
        write_states(written, out)
    return written


def _prepare_encoder(encoder: str, dialogues: Sequence[Dialogue], role: Role) -> Callable[[Span], bytes]:
    """In a worker: from a span of dialogues to the vectors of all their turns."""
    # Without the cache: the texts of a whole dataset would fill it, and finished shards are kept already.
    distinct = DistinctEncoder(ENCODERS.make(encoder))

    def encode(span: Span) -> bytes:
        texts = [
            text for dialogue in dialogues[span.start : span.stop] for text in dialogue_turns(dialogue, role).texts()
        ]
        return np.ascontiguousarray(distinct.encode(texts), np.float32).tobytes()

    return encode


@dataclass
class _Passes:
    """How the states were made.

    causal   whether the model's states do not depend on what follows
    several  places of the dialogues that took several passes though the model is causal
    """

    causal: bool = True
    several: list[int] = field(default_factory=list)

    def summary(self, count: int) -> str:
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
    if Path(output).suffix not in LAYER_ENDINGS:
        raise UsageError(f"`output` must end in {' or '.join(LAYER_ENDINGS)} with a `model`, got {output}")
    model = STATE_MODELS.make(options.model)
    layers = layer_numbers(options.layers, model.last)
    files = {layer: Path(str(output).replace(LAYER, str(layer))) for layer in layers}
    if len(set(files.values())) < len(layers):
        problem = f"`output` must have {LAYER} for the number of each of {len(layers)} layers, got {output}"
        raise UsageError(f"{problem}; for instance states-{LAYER}.h5")
    for file in files.values():
        check_output(file)
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
    prepare = partial(_prepare_model, reader, options.role, dialogues.dialogues)
    task: Task[Span] = Task("scorekeeping.hidden", 1, prepare, about, partial(_first_dialogue, dialogues))
    count, passes = len(dialogues), _Passes()
    progress = stages("states", "dialogues")
    with (
        _state_shards(task, dialogues, MODEL_SHARD, output, engine, progress) as parts,
        contextlib.ExitStack() as stack,
    ):
        puts = []
        for layer, file in files.items():
            attributes = partial(_attributes, model, options, reader, passes, layer, count)
            puts.append(stack.enter_context(filling_states(file, (count, TURNS, model.dimension), attributes)))
        for span, part in parts:
            for put, states in zip(puts, _unpacked(part, span, len(layers), model.dimension, passes), strict=True):
                put(span.start, states)
    which = f"layer {layers[0]}" if len(layers) == 1 else f"{len(layers)} layers from {layers[0]} to {layers[-1]}"
    size = f"{counted(count, 'dialogue')}, {TURNS} turns, {model.dimension:,} dimensions"
    return Outcome((f"{size}, {which} of {model.last}: {output}",), warnings=tuple(passes.warnings(count)))


def _attributes(
    model: StateModel, options: StatesOptions, reader: StateReader, passes: _Passes, layer: int, count: int
) -> dict[str, str | int]:
    """The attributes of a layer's file."""
    return {
        "model": model.name,
        "sha256": model.signature,
        "layer": layer,
        "layers": model.last,
        "pool": options.pool,
        "role": options.role,
        "form": reader.form,
        "passes": passes.summary(count),
    }


def _check_lengths(dialogues: Dialogues, options: StatesOptions, reader: StateReader, progress: Progress) -> None:
    """Refuse dialogues that the model cannot take whole, and those of more turns than states have."""
    problems, most = Problems(dialogues.file or "the dialogues"), reader.model.context
    for place, dialogue in enumerate(dialogues):
        if place % CHECKED == 0:
            progress(place, len(dialogues))
        heard = dialogue_turns(dialogue, options.role)
        (tokens,) = tokens_of(reader.model.tokeniser, heard, reader.form, last=True)
        if most is not None and len(tokens) > most:
            expected = f"at most {most:,}, as many as {reader.model.name} takes"
            problems.add(f"dialogue {place} (from 0)", "", f"{len(tokens):,} tokens", expected)
        if len(heard.turns) > TURNS:
            problems.add(f"dialogue {place} (from 0)", "", f"{len(heard.turns) - 1} rounds", f"at most {TURNS - 1}")
    progress(len(dialogues), len(dialogues))
    problems.check()


def _prepare_model(reader: StateReader, role: Role, dialogues: Sequence[Dialogue]) -> Callable[[Span], bytes]:
    """In a worker: from a span of dialogues to how they were read and their states."""
    reader.shared = causal = reader.is_causal(dialogue_turns(dialogues[0], role))

    def read(span: Span) -> bytes:
        states, counts = zip(
            *(reader.read(dialogue_turns(dialogue, role)) for dialogue in dialogues[span.start : span.stop]),
            strict=True,
        )
        about = {"causal": causal, "passes": counts, "turns": [layers.shape[1] for layers in states]}
        return json.dumps(about).encode() + b"\n" + np.concatenate(states, axis=1).tobytes()

    return read


def _unpacked(
    part: bytes, span: Span, layers: int, dimension: int, passes: _Passes
) -> Iterator[npt.NDArray[np.float32]]:
    """The states of each layer of a shard, with zeros after the end of a dialogue; how they were made is noted."""
    head, _, data = part.partition(b"\n")
    about = json.loads(head)
    passes.causal = about["causal"]
    passes.several += [
        place for place, count in zip(range(span.start, span.stop), about["passes"], strict=True) if count > 1
    ]
    ends = np.cumsum(about["turns"])
    for rows in np.frombuffer(data, np.float32).reshape(layers, -1, dimension):
        states = np.zeros((span.stop - span.start, TURNS, dimension), np.float32)
        for place, (end, turns) in enumerate(zip(ends, about["turns"], strict=True)):
            states[place, :turns] = rows[end - turns : end]
        yield states
