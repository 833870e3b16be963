"""Witnesses: players whose flaws are known, so that an exam can be examined by what it says of them."""

from voirdire.world.witnesses.answerer import WITNESSES, History, Witness, make_witness
from voirdire.world.witnesses.files import Testimony, answer_vqa, generate_visdial, rank_visdial
from voirdire.world.witnesses.flawed import Blind, Distractible, Forgetful, Uncertain, Verbose
from voirdire.world.witnesses.play import GUESSERS, Guesser, make_guesser, play
from voirdire.world.witnesses.questioners import QUESTIONERS, GameState, Questioner, make_questioner
from voirdire.world.witnesses.states import STATE_WITNESSES, Heard, StateWitness, make_state_witness

__all__ = [
    "GUESSERS",
    "QUESTIONERS",
    "STATE_WITNESSES",
    "WITNESSES",
    "Blind",
    "Distractible",
    "Forgetful",
    "GameState",
    "Guesser",
    "Heard",
    "History",
    "Questioner",
    "StateWitness",
    "Testimony",
    "Uncertain",
    "Verbose",
    "Witness",
    "answer_vqa",
    "generate_visdial",
    "make_guesser",
    "make_questioner",
    "make_state_witness",
    "make_witness",
    "play",
    "rank_visdial",
]
