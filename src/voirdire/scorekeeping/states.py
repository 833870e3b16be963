"""Dialogue states of a text encoder, turn by turn: a baseline that anybody can run.

The state of turn t is the encoder's vector of what has been heard by then (`text.turn_states`). A text encoder
sees no image, so an answerer's states say nothing of what is private but what the words themselves give away. There are
always 11 turns; a dialogue that ends earlier, as
those of the test split do, has zeros after its end. Dialogues are encoded in fixed shards; finished ones are kept
beside the output until it is whole.
"""

import contextlib
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from voirdire.atomic import check_output
from voirdire.engine import Engine, Here, Span, Store, Task, run_map, shards
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.states import TURNS, States, write_states
from voirdire.live.stand import Stand
from voirdire.progress import UNSEEN, Progress, Stages, silent
from voirdire.scorekeeping.exam import AskStatesOptions, Role, StatesOptions
from voirdire.text.encoders import ENCODERS, DistinctEncoder
from voirdire.text.turn_states import dialogue_turns

DEFAULT = "minilm"
ENDINGS = (".h5", ".hdf5", ".npz")
DIALOGUES = 32
"""Dialogues of a shard; part of the definition of the shards, and so of what is kept of them."""


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
        from voirdire.scorekeeping.hidden_states import hidden_states

        return hidden_states(dialogues, options, output=output, engine=engine, stages=stages)
    made = encode_states(dialogues, options, output=output, engine=engine, progress=stages("states", "dialogues"))
    count, turns, width = made.states.shape
    return Outcome((f"{count:,} dialogues, {turns} turns, {width:,} dimensions: {output}",))


def ask_states(dialogues: Dialogues, options: AskStatesOptions, stand: Stand) -> None:
    """Write the states of a live model that has them, as `states` does for the same model."""
    if stand.dry:
        return  # It is asked nothing.
    layer = str(options.state_layer)
    chosen = StatesOptions(model=stand.model.name, role=options.role, layers=layer, pool=options.pool)
    made = states_part(dialogues, chosen, output=str(stand.folder / "states.h5"), stages=stand.stages)
    stand.notes += made.warnings


def encode_states(
    dialogues: Dialogues,
    options: StatesOptions | None = None,
    *,
    output: str | Path,
    engine: Engine | None = None,
    progress: Progress = silent,
) -> States:
    """The states of all dialogues, also written to `output` (.h5, .hdf5, .npz), whole or not at all.

    progress  told how many dialogues are done
    """
    options = options or StatesOptions()
    if options.model is not None:
        raise UsageError("`model` has no encoder's states; `voirdire.scorekeeping.hidden_states` writes its own")
    encoder, role = options.encoder or DEFAULT, options.role
    out = Path(output)
    if out.suffix not in ENDINGS:
        raise UsageError(f"`output` must end in {' or '.join(ENDINGS)}, got {out}")
    check_output(out)
    backend = ENCODERS.make(encoder)
    about = {"encoder": backend.signature, "dialogues": dialogues.fingerprint, "role": role}
    prepare = partial(_prepare, encoder, dialogues.dialogues, role)
    task: Task[Span] = Task("scorekeeping.states", 1, prepare, about, partial(dialogue_called, dialogues))
    work, count = Path(f"{out}.work"), len(dialogues)
    states = np.zeros((count, TURNS, backend.dimension), np.float32)
    spans = shards(count, DIALOGUES)
    with run_map(
        task,
        spans,
        engine=engine or Here(),
        store=work,
        progress=lambda done, _: progress(min(done * DIALOGUES, count), count),
    ) as parts:
        for span, part in zip(spans, parts, strict=True):
            rows = np.frombuffer(part, np.float32).reshape(-1, backend.dimension)
            at = 0
            for place in range(span.start, span.stop):
                said = len(dialogues[place].rounds) + 1
                states[place, :said] = rows[at : at + said]
                at += said
        made = States(states)
        write_states(made, out)
    shutil.rmtree(Store.of(work, task).folder, ignore_errors=True)
    with contextlib.suppress(OSError):
        work.rmdir()
    return made


def dialogue_called(dialogues: Dialogues, span: Span) -> str:
    """The first dialogue of a span, in a message."""
    return f"dialogue {span.start} (from 0), image {dialogues[span.start].image_id}"


def _prepare(encoder: str, dialogues: Sequence[Dialogue], role: Role) -> Callable[[Span], bytes]:
    """In a worker: from a span of dialogues to the vectors of all their turns."""
    # Without the cache: the texts of a whole dataset would fill it, and finished shards are kept already.
    made = DistinctEncoder(ENCODERS.make(encoder))

    def encode(span: Span) -> bytes:
        texts = [text for one in dialogues[span.start : span.stop] for text in dialogue_turns(one, role).texts()]
        return np.ascontiguousarray(made.encode(texts), np.float32).tobytes()

    return encode
