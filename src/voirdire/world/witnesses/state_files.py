"""From a file of dialogues to a file of states, and to dialogues of a small closed vocabulary about the same images."""

from typing import get_args

import numpy as np

from voirdire.errors import UsageError
from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.formats.states import TURNS, States, write_states
from voirdire.formats.visdial import VisDial, read_visdial, write_visdial
from voirdire.formats.visdial_text import VisDialText
from voirdire.reports import Report, silent
from voirdire.world.survey import survey
from voirdire.world.witnesses.files import check_images
from voirdire.world.witnesses.paths import check_places, find_scenes, scenes_by_id
from voirdire.world.witnesses.state_witness import WIDTH, Heard, Role, make_state_witness

__all__ = ["states_file", "survey_file"]

EVERY = 100


def states_file(
    witness: str,
    dialogues: str,
    out: str,
    scenes: str | None = None,
    seed: int = 0,
    role: Role = "A",
    report: Report = silent,
) -> States:
    """The states of a witness that hears the dialogues of a file; written too, whole or not at all.

    There are always 11 turns; a dialogue that ends earlier has zeros after its end.
    """
    listener = make_state_witness(witness, seed)
    if role not in get_args(Role):
        raise UsageError(f"--role {role!r}; it may be A (the answerer) or Q (the questioner)")
    check_places(out, dialogues)
    source = open_source(dialogues)
    format_ = detect(source)
    if format_.name not in ("visdial", "visdial_text"):
        raise UsageError(f"{dialogues} holds {format_.title}; states are of VisDial dialogues")
    record = format_.parse(source)
    known = scenes_by_id(scenes or find_scenes(dialogues))
    check_images(record.image_ids.tolist(), known, dialogues)
    questions = _questions(record)
    made = np.zeros((len(questions), TURNS, WIDTH), np.float32)
    report(0, len(made))
    for place, image in enumerate(record.image_ids.tolist()):
        found = listener.states(Heard(known[image], record.captions[place], questions[place]), role)
        made[place, : len(found)] = found
        if (place + 1) % EVERY == 0 or place + 1 == len(made):
            report(place + 1, len(made))
    states = States(made)
    write_states(states, out)
    return states


def _questions(record: VisDial | VisDialText) -> list[list[str]]:
    """The questions that have an answer, dialogue by dialogue."""
    if isinstance(record, VisDialText):
        return [[record.questions[round_] for round_ in record.rounds(place)] for place in range(len(record))]
    return [
        [record.question_text(round_) for round_ in record.rounds(place) if record.answer[round_] >= 0]
        for place in range(len(record))
    ]


def survey_file(dialogues: str, out: str, scenes: str | None = None, seed: int = 0) -> VisDial:
    """Ask the questions of the survey about the images of a file; the dialogues, also written."""
    check_places(out, dialogues)
    visdial = read_visdial(dialogues)
    known = scenes_by_id(scenes or find_scenes(dialogues))
    check_images(visdial.image_ids.tolist(), known, dialogues)
    made = survey(visdial, known, seed)
    write_visdial(made, out)
    return made
