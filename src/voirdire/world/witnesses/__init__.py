"""Witnesses: players whose flaws are known, so that an exam can be examined by what it says of them."""

from voirdire.world.witnesses.answerers import (
    WITNESSES,
    Blind,
    Distractible,
    Forgetful,
    History,
    Uncertain,
    Verbose,
    Witness,
    make_witness,
)
from voirdire.world.witnesses.listeners import STATE_WITNESSES, DialogueSoFar, StateWitness, make_state_witness
from voirdire.world.witnesses.outputs import Testimony, answer_file, answer_vqa, generate_visdial, rank_visdial
from voirdire.world.witnesses.play import GUESSERS, Guesser, make_guesser, play
from voirdire.world.witnesses.questioners import QUESTIONERS, GameState, Questioner, make_questioner

__all__ = [
    "GUESSERS",
    "QUESTIONERS",
    "STATE_WITNESSES",
    "WITNESSES",
    "Blind",
    "DialogueSoFar",
    "Distractible",
    "Forgetful",
    "GameState",
    "Guesser",
    "History",
    "Questioner",
    "StateWitness",
    "Testimony",
    "Uncertain",
    "Verbose",
    "Witness",
    "answer_file",
    "answer_vqa",
    "generate_visdial",
    "make_guesser",
    "make_questioner",
    "make_state_witness",
    "make_witness",
    "play",
    "rank_visdial",
]
