"""What the grammar says is understood as it was meant, is good English, and other text is not understood."""

import re
from random import Random

import pytest

from voirdire.world import words
from voirdire.world.grammar import STYLES, say
from voirdire.world.meaning import IT, TEMPLATES, Meaning, Ref
from voirdire.world.random_questions import ask_about, ask_scene
from voirdire.world.reference import refer, refer_all
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import guess_question
from voirdire.world.truth import denotes
from voirdire.world.understand import split_questions, understand


def questions(scenes, seed):
    """Meanings of all sorts, each with a generator to say it with."""
    for index in range(scenes):
        scene, rng = make_scene(seed, index), Random(f"{seed}/{index}")
        for _ in range(6):
            yield ask_scene(scene, rng), rng
            yield guess_question(scene, list(scene.things), rng), rng
            thing = rng.choice(scene.things)
            for ref in (refer(thing, scene, rng), Ref(pronoun=rng.choice(("it", "he", "she")))):
                if ref is not None and (meaning := ask_about([thing], ref, scene, rng)) is not None:
                    yield meaning, rng
            if (several := refer_all(scene, rng)) is not None:
                for ref in (several[0], Ref(pronoun="they")):
                    if (meaning := ask_about(several[1], ref, scene, rng)) is not None:
                        yield meaning, rng


@pytest.mark.slow
def test_every_question_is_understood_as_it_was_meant():
    kinds = set()
    for count, (meaning, rng) in enumerate(questions(scenes=350, seed=11)):
        style = STYLES[count % 3]
        text = say(meaning, rng, style)
        assert understand(text) == meaning, text
        kinds.add(meaning.kind)
    assert count > 9000
    assert kinds == set(TEMPLATES)


def test_articles_agreement_and_spacing():
    for meaning, rng in questions(scenes=250, seed=12):
        text = " " + say(meaning, rng, "visdial") + " "
        assert "  " not in text, text
        assert not re.search(r" a [aeiou]| an [^aeiou]", text), text
        assert not re.search(r" (is|does) (they|there any|there some) ", text), text
        assert not re.search(r" are (he|she|it|there an?) ", text), text
        assert not re.search(r" a (scissors|skis|broccoli|glasses|pants|shorts|shoes) ", text), text


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("What color is the small red car next to the bench?",
         Meaning("colour", Ref("car", size="small", colour="red", relation="next to", other=Ref("bench")))),
        ("are there any oranges", Meaning("exists", Ref("orange"))),
        ("is the orange orange", Meaning("is_colour", Ref("orange"), "orange")),
        ("Is there an orange chair?", Meaning("exists", Ref("chair", colour="orange"))),
        ("what's her hat's color", None),
        ("what color are her shoes", Meaning("garment_colour", Ref(pronoun="she"), "shoes")),
        ("is it next to her", Meaning("relation", IT, relation="next to", to=Ref(pronoun="she"))),
        ("is it sunny", Meaning("is_weather", None, "sunny")),
        ("Is it the third cup from the left?", Meaning("nth", IT, "3 left", to=Ref("cup"))),
        ("the second sheep from the right?", Meaning("nth", IT, "2 right", to=Ref("sheep"))),
        ("on the left?", Meaning("is_side", IT, "left")),
        ("how many sheep are in the background", Meaning("count", Ref("sheep", side="background"))),
        ("are all the sheep white", Meaning("is_colour", Ref("sheep", many=True), "white")),
        ("is the man in the red hat talking on the phone",
         Meaning("is_action", Ref("man", garment="hat", shade="red"), "talking on the phone")),
        ("who is wearing glasses", Meaning("who", None, "glasses")),
        ("What is the meaning of life?", None),
        ("what color is the dragon", None),
        ("", None),
        ("?", None),
    ],
)  # fmt: skip
def test_single_questions(text, meaning):
    assert understand(text) == meaning


def test_a_text_of_several_questions_is_split():
    assert split_questions("Is it red? How many dogs are there?  where is it") == [
        "Is it red?",
        "How many dogs are there?",
        "where is it",
    ]
    assert split_questions("") == []
    assert split_questions(" ? ") == []


def test_what_no_pattern_says_is_refused():
    with pytest.raises(ValueError, match="no vqa pattern"):
        say(Meaning("is_side", Ref("car", side="left"), "left"), Random(1), "vqa")


def test_a_description_denotes_the_thing_alone():
    found = 0
    for index in range(120):
        scene, rng = make_scene(13, index), Random(str(index))
        for thing in scene.things:
            ref = refer(thing, scene, rng)
            if ref is not None:
                found += 1
                assert denotes(ref, scene) == [thing]
    assert found > 600


def test_no_word_has_two_senses_in_one_table():
    for table in (words.COLOURS, words.SIZES, words.MATERIALS, words.ACTIONS, words.RELATION_WORDS, words.SIDE_WORDS):
        forms = [form for forms in table.values() for form in forms]
        assert len(forms) == len(set(forms))
    nouns = [form for one, many in words.NOUNS.values() for form in {*one, *many}]
    assert len(nouns) == len(set(nouns))
