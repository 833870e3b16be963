"""Witnesses: players whose flaws are known, so that an exam can be examined by what it says of them."""

from voirdire.world.witnesses import (
    aimless,
    blind,
    confirming,
    distractible,
    forgetful,
    keen,
    repetitive,
    state_amnesic,
    state_noise,
    state_scorekeeper,
    truthful,
    uncertain,
    verbose,
)
from voirdire.world.witnesses.files import Testimony, answer_vqa, generate_visdial, rank_visdial
from voirdire.world.witnesses.guesser import GUESSERS, Guesser, make_guesser
from voirdire.world.witnesses.play import play
from voirdire.world.witnesses.protocol import WITNESSES, History, Witness, make_witness
from voirdire.world.witnesses.questioner import QUESTIONERS, GameState, Questioner, make_questioner
from voirdire.world.witnesses.state_witness import STATE_WITNESSES, Heard, StateWitness, make_state_witness

__all__ = [
    "GUESSERS",
    "QUESTIONERS",
    "STATE_WITNESSES",
    "WITNESSES",
    "GameState",
    "Guesser",
    "Heard",
    "History",
    "Questioner",
    "StateWitness",
    "Testimony",
    "Witness",
    "aimless",
    "answer_vqa",
    "blind",
    "confirming",
    "distractible",
    "forgetful",
    "generate_visdial",
    "keen",
    "make_guesser",
    "make_questioner",
    "make_state_witness",
    "make_witness",
    "play",
    "rank_visdial",
    "repetitive",
    "state_amnesic",
    "state_noise",
    "state_scorekeeper",
    "truthful",
    "uncertain",
    "verbose",
]
