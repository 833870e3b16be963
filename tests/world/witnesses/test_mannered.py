"""Witnesses with manners as models: their words are read, cut at the room that there is, and their flaws stay."""

import asyncio
from dataclasses import replace

import msgspec
import pytest

from voirdire.errors import UsageError
from voirdire.live.model import (
    CUT,
    AnswerTask,
    AskTask,
    BoxedObject,
    GuessTask,
    JudgeTask,
    PointTask,
    RankTask,
    VisualInput,
)
from voirdire.live.providers import make_model
from voirdire.live.settings import LiveOptions
from voirdire.robustness.several_answers import first_of_several
from voirdire.world.build import build_world
from voirdire.world.scene import make_scene
from voirdire.world.witnesses.manners import MANNERS

SCENE = make_scene(3, 0)
SEEN = VisualInput(SCENE.id)
COLOUR, GREY = "is the picture in color?", "is the picture black and white?"
YES, NO = ("yes", "no") if SCENE.in_colour else ("no", "yes")


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> LiveOptions:
    folder = tmp_path_factory.mktemp("world") / "world"
    build_world(folder, 3, 3)
    return LiveOptions("witness:truthful", scenes=str(folder / "scenes.jsonl"))


def model(options, name, thinking=0):
    return make_model(replace(options, model=f"witness:{name}", thinking=thinking))


def ask(options, name, task, thinking=0):
    return asyncio.run(model(options, name, thinking).reply(task))


def test_names_tell_the_manner(options):
    one = model(options, "uncertain+hedges:3")
    assert one.name == "witness:uncertain+hedges:3"
    assert one.identity == {"model": one.name}
    assert one.skills == model(options, "uncertain:3").skills
    assert model(options, "uncertain+hedges", thinking=9).identity["thinking"] == "9"


@pytest.mark.parametrize("name", ["truthful+mumbles", "truthful+", "nobody+hedges", "truthful+hedges+json"])
def test_what_there_is_not_is_told(options, name):
    with pytest.raises(UsageError, match=r"there is no witness|have no manner.*hedges"):
        model(options, name)


@pytest.mark.parametrize("manner", sorted({*MANNERS} - {"yes", "foreign"}))
def test_all_kinds_of_replies_are_read_as_without_a_manner(options, manner):
    thing = SCENE.things[0]
    boxed = tuple(BoxedObject(one.category, (0, 0, 0.1, 0.1), one.id) for one in SCENE.things)
    order = tuple(reversed(range(len(boxed))))
    question = f"Is it a {thing.category}?"
    tasks = {
        "truth": PointTask(SEEN, question, boxed[0]),
        "keen": AskTask(SEEN, (), 5, boxed, 1),
        "consistent": GuessTask(SEEN, ((question, "yes"),), boxed, order, 1),
        "scorekeeper": JudgeTask(SEEN, "a picture", (), f"there is a {thing.category}.", "truth"),
    }
    for name, task in tasks.items():
        plain, spoken = ask(options, name, task), ask(options, f"{name}+{manner}", task, thinking=256)
        if isinstance(task, AskTask):
            plain = msgspec.structs.replace(plain, value=plain.value.lower())
            spoken = msgspec.structs.replace(spoken, value=str(spoken.value).lower())
        assert spoken.value == plain.value, spoken.text
        assert (spoken.text != plain.text) == (manner != "lists") or manner == "thinks"


def test_who_stops_says_so_in_its_manner(options):
    game = AskTask(SEEN, (), 5, (BoxedObject("dog", (0, 0, 1, 1), SCENE.things[0].id),), 1, may_stop=True)
    reply = ask(options, "keen+hedges", game)
    assert (reply.value, "READY" in reply.text) == ("", True)
    silent = ask(options, "keen+hedges", msgspec.structs.replace(game, may_stop=False))
    assert (silent.value, silent.text) == ("", "")


def test_a_list_has_an_answer_to_each_question(options):
    reply = ask(options, "truthful+lists", AnswerTask(SEEN, f"{COLOUR} {GREY} {COLOUR} how many peop", alone=True))
    assert reply.text == f"1. {YES}\n2. {NO}\n3. {YES}\n4. unknown"
    assert first_of_several(reply.text, [COLOUR, GREY, COLOUR, "how many?"]) == YES
    assert ask(options, "truthful+lists", AnswerTask(SEEN, GREY, alone=True)).text == NO


def test_who_is_distracted_is_so_in_a_list(options):
    two = AnswerTask(SEEN, f"{COLOUR} {GREY}", alone=True)
    assert ask(options, "distractible+lists", two).text == f"1. {NO}\n2. {NO}"
    assert ask(options, "truthful+lists", two).text == f"1. {YES}\n2. {NO}"


def test_thoughts_need_room(options):
    tasks = [AnswerTask(SEEN, COLOUR, "a picture", sample=number) for number in range(20)]
    cut = [ask(options, "truthful+thinks", task) for task in tasks]
    assert all(reply.fault == "length" or reply.mark == CUT for reply in cut)
    assert "length" in {reply.fault for reply in cut}
    whole = [ask(options, "truthful+thinks", task, 256) for task in tasks]
    assert all(reply.thought and not reply.fault and not reply.mark for reply in whole)


def test_ranks_have_no_manner(options):
    task = RankTask(SEEN, "is it sunny", ("yes", "no", "two"), "a picture")
    assert ask(options, "truthful+json", task) == ask(options, "truthful", task)
