"""Witnesses: players whose flaws are known, so that an exam can be examined by what it says of them."""

from voirdire.world.witnesses import (
    aimless,
    blind,
    confirming,
    distractible,
    forgetful,
    keen,
    repetitive,
    truthful,
    uncertain,
    verbose,
)
from voirdire.world.witnesses.files import Testimony, answer_vqa, generate_visdial, rank_visdial
from voirdire.world.witnesses.guesser import GUESSERS, Guesser, make_guesser
from voirdire.world.witnesses.play import play
from voirdire.world.witnesses.protocol import WITNESSES, History, Witness, make_witness
from voirdire.world.witnesses.questioner import QUESTIONERS, GameState, Questioner, make_questioner

__all__ = [
    "GUESSERS",
    "QUESTIONERS",
    "WITNESSES",
    "GameState",
    "Guesser",
    "History",
    "Questioner",
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
    "make_witness",
    "play",
    "rank_visdial",
    "repetitive",
    "truthful",
    "uncertain",
    "verbose",
]
