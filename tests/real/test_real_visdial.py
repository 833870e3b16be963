"""The real files of the VisDial family: every one is recognised, read whole and without a note, and counted."""

import numpy as np
import pytest

from voirdire.formats.catalogue import detect
from voirdire.formats.files import open_source
from voirdire.formats.generations import read_generations
from voirdire.formats.option_numbers import read_dense, read_ranks
from voirdire.formats.references import read_references
from voirdire.formats.small_formats import CONV_JUDGEMENTS, IMAGE_IDS
from voirdire.formats.visdial import read_visdial, write_visdial
from voirdire.formats.visdial_text import FORMAT as VISDIAL_TEXT
from voirdire.formats.vispro import FORMAT as VISPRO

pytestmark = pytest.mark.slow

DESCRIPTIONS = {
    "visdial_1.0_test_first50.json": "VisDial 1.0 test2018: 50 dialogues, 257 rounds, 100 options in 50 of them",
    "visdial_1.0_val_first50.json": "VisDial 1.0 val2018: 50 dialogues, 500 rounds, 100 options each",
    "visdialconv/visdial_1.0_val_crowdsourced.json": "VisDial 1.0 val2018: 97 dialogues, 970 rounds, 100 options each",
    "visdialconv/visdial_1.0_val_dense_annotations_crowdsourced.json": (
        "relevance of 100 options in 97 rounds, rounds counted from 1"
    ),
    "visdialconv/visdialconv_raw_amt_annotations.csv": "3,105 judgements of 1,035 images by 3 judges",
    "visdialconv/crowdsourced_image_ids.txt": "97 image ids",
    "dialogues/visdial_1.0_val_text.json": "2,064 dialogues, 20,640 rounds",
    "dialogues/blip2_val_generations.json": "1 generation per round for 20,640 rounds, rounds counted from 0",
    "dense/cca_aq_g_val_generations.json": "1 generation per round for 20,640 rounds, rounds counted from 0",
    "dense/refs_H_human_train.json": "1,996 sets, 7.67 references each, rounds counted from 0",
    "dense/refs_H_human_val.json": "2,064 sets, 12.77 references each, rounds counted from 0",
    "dense/refs_S_human_train.json": "1,996 sets, 7.25 references each, rounds counted from 0",
    "dense/refs_S_human_val.json": "2,064 sets, 7.17 references each, rounds counted from 0",
    "ranks/vdbert_test_ranks.json": "rankings of 100 options in 8,000 rounds, rounds counted from 1",
    "vispro/val.vispro.1.1.jsonlines": "500 dialogues, 2,999 pronouns, 2,164 of them refer to a phrase",
}


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "visdial"


@pytest.mark.parametrize("name", sorted(DESCRIPTIONS))
def test_every_file_is_recognised_and_counted(folder, name):
    source = open_source(folder / name)
    format_ = detect(source)
    record = format_.parse(source)
    assert format_.describe(record) == DESCRIPTIONS[name]
    assert tuple(format_.notes(record)) == ()


def test_pools_and_truths(folder):
    first = read_visdial(folder / "visdial_1.0_val_first50.json")
    assert (len(first.questions), len(first.answers)) == (45_237, 34_821)
    conv = read_visdial(folder / "visdialconv/visdial_1.0_val_crowdsourced.json")
    assert (first.questions, first.answers) == (conv.questions, conv.answers)
    for visdial in (first, conv):
        rows = np.arange(len(visdial.question))
        assert np.array_equal(visdial.options[rows, visdial.gt_index], visdial.answer)


def test_official_dialogues_and_text_say_the_same(folder):
    text = VISDIAL_TEXT.read(folder / "dialogues/visdial_1.0_val_text.json")
    places = {image: place for place, image in enumerate(text.image_ids.tolist())}
    for name in ("visdial_1.0_val_first50.json", "visdialconv/visdial_1.0_val_crowdsourced.json"):
        visdial = read_visdial(folder / name)
        for dialogue, image in enumerate(visdial.image_ids.tolist()):
            other = places[image]
            assert visdial.captions[dialogue] == text.captions[other]
            official = [(visdial.question_text(row), visdial.answer_text(row)) for row in visdial.rounds(dialogue)]
            assert official == [(text.questions[row], text.answers[row]) for row in text.rounds(other)]


def test_rounds_and_images_fit_together(folder):
    text = VISDIAL_TEXT.read(folder / "dialogues/visdial_1.0_val_text.json")
    images = set(text.image_ids.tolist())
    for name in ("dialogues/blip2_val_generations.json", "dense/cca_aq_g_val_generations.json"):
        generations = read_generations(folder / name)
        assert set(generations.image_ids.tolist()) == images
        assert len(generations.texts) == 20_640
    conv = read_visdial(folder / "visdialconv/visdial_1.0_val_crowdsourced.json")
    ids = IMAGE_IDS.read(folder / "visdialconv/crowdsourced_image_ids.txt")
    dense = read_dense(folder / "visdialconv/visdial_1.0_val_dense_annotations_crowdsourced.json")
    judged = CONV_JUDGEMENTS.read(folder / "visdialconv/visdialconv_raw_amt_annotations.csv")
    assert set(conv.image_ids.tolist()) == set(ids.image_ids.tolist()) == set(dense.image_ids.tolist())
    assert set(ids.image_ids.tolist()) <= set(judged.image_ids.tolist())
    assert dense.spelling == "gt_relevance"


def test_reference_sets_agree_with_the_dialogues(folder):
    text = VISDIAL_TEXT.read(folder / "dialogues/visdial_1.0_val_text.json")
    first = dict(zip(text.image_ids.tolist(), text.first_round.tolist(), strict=False))
    sets = read_references(folder / "dense/refs_H_human_val.json")
    for row, (image, number) in enumerate(zip(sets.image_ids.tolist(), sets.rounds.tolist(), strict=True)):
        assert sets.questions[row] == text.questions[first[image] + number]
        assert sets.gt_answers[row] == text.answers[first[image] + number]
    assert int(read_references(folder / "dense/refs_H_human_train.json").in_set.sum()) == 15_317


def test_ranks_are_one_round_an_image(folder):
    ranks = read_ranks(folder / "ranks/vdbert_test_ranks.json")
    assert len(np.unique(ranks.image_ids)) == 8_000
    assert np.bincount(ranks.rounds).tolist() == [800] * 10


def test_pronouns(folder):
    pronouns = [
        p
        for dialogue in VISPRO.read(folder / "vispro/val.vispro.1.1.jsonlines").dialogues
        for p in dialogue.pronoun_info
    ]
    assert np.bincount([pronoun.reference_type for pronoun in pronouns]).tolist() == [2_164, 169, 666]
    assert sum(pronoun.not_discussed for pronoun in pronouns) == 356


def test_a_real_file_written_and_read_again(folder, tmp_path):
    visdial = read_visdial(folder / "visdialconv/visdial_1.0_val_crowdsourced.json")
    write_visdial(visdial, tmp_path / "x.json.gz")
    assert read_visdial(tmp_path / "x.json.gz") == visdial
