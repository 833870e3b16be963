"""The real public files: each is recognised, and holds exactly what its publishers say."""

import numpy as np
import pytest

from voirdire.formats.coco import CATEGORIES, read_coco
from voirdire.formats.game_logs import FORMAT as GAME_LOGS
from voirdire.formats.guesswhat import read_games, write_games
from voirdire.formats.judgements import read_judgements
from voirdire.formats.oracle_answers import ORACLE_ANSWERS
from voirdire.formats.small_formats import HISTORY_QUESTIONS, ORACLE_QA, QUESTION_TYPES, read_word_types
from voirdire.formats.twenty_questions import FORMAT as TWENTY
from voirdire.formats.twenty_questions import TEXT as TWENTY_TEXT
from voirdire.formats.vqa_annotations import read_vqa_annotations, write_vqa_annotations
from voirdire.formats.vqa_questions import read_vqa_questions, write_vqa_questions
from voirdire.formats.vqa_results import VQA_ACCURACIES, VQA_GROUPED_ACCURACIES, VQA_PREDICTIONS, VQA_TOTALS
from voirdire.validation import examine, validate

pytestmark = pytest.mark.slow

FILES = {
    "guesswhat/GWHist.csv": ("history_questions", "204 questions of 196 games"),
    "guesswhat/coco_categories_80_with_supercategory.json": ("coco_categories", "80 categories in 12 wider ones"),
    "guesswhat/coco_instances_subset.json": ("coco", "196 images, 1,768 boxes, 80 categories"),
    "guesswhat/guesswhat_full_games_2.jsonl": ("guesswhat", "2 games, 7 questions, 14 objects (2 success)"),
    "guesswhat/human_100_games.jsonl": ("game_logs", "100 games, 407 questions, no object lists (100 success)"),
    "guesswhat/oracle_answers_test.csv.gz": (
        "oracle_answers",
        "99,784 questions of 19,994 games, human and QSpCa, LXMERT, QSpCr, QSp",
    ),
    "guesswhat/oracle_qa_101.jsonl": ("oracle_qa", "101 questions with a box (40 yes, 60 no, 1 n/a)"),
    "guesswhat/rl_qgen_100_games.jsonl": (
        "game_logs",
        "100 games, 500 questions, no object lists (60 success, 40 failure)",
    ),
    "guesswhat/shekhar2019_word_annotation.tsv": ("word_types", "423 words of 10 types"),
    "guesswhat/twenty_questions/16_mcrae_dialogues.txt": ("twenty_questions_text", "90 dialogues, 780 questions"),
    "guesswhat/twenty_questions/16_mcrae_oracle_annotations.json": (
        "twenty_questions",
        "90 games of 16 candidates, 780 questions",
    ),
    "guesswhat/twenty_questions/8_mcrae_dialogues.txt": ("twenty_questions_text", "90 dialogues, 652 questions"),
    "guesswhat/twenty_questions/8_mcrae_oracle_annotations.json": (
        "twenty_questions",
        "90 games of 8 candidates, 652 questions",
    ),
    "guesswhat/vdst_1606_games.jsonl": (
        "game_logs",
        "1,606 games, 8,030 questions, no object lists (927 success, 679 failure)",
    ),
    "scorekeeping/human_judgements.csv": ("judgements", "300 judgements of 100 propositions by 3 judges"),
    "guesswhat/guesswhat_human_12_games.jsonl": ("guesswhat", "12 games, 79 questions, 81 objects (12 success)"),
    "pictures/instances.json": ("coco", "54 images, 461 boxes, 80 categories"),
    "scorekeeping/dialogues/chatir_ChatGPT_BLIP2_clean.json": ("visdial_text", "1,925 dialogues, 19,250 rounds"),
    **{
        f"scorekeeping/dialogues/visdial_diversity_{pair}_text.json": ("visdial_text", "80 dialogues, 800 rounds")
        for pair in ("RL-Diverse-Qbot-A-Bot", "SL-QBOT-ABOT", "SL_Div-QBOT-ABOT")
    },
    "visdial/dense/cca_aq_g_val_generations.json": ("generations", None),
    "visdial/dense/refs_H_human_train.json": ("references", None),
    "visdial/dense/refs_H_human_val.json": ("references", None),
    "visdial/dense/refs_S_human_train.json": ("references", None),
    "visdial/dense/refs_S_human_val.json": ("references", None),
    "visdial/dialogues/blip2_val_generations.json": ("generations", None),
    "visdial/dialogues/visdial_1.0_val_text.json": ("visdial_text", None),
    "visdial/ranks/vdbert_test_ranks.json": ("ranks", None),
    "visdial/visdial_1.0_test_first50.json": ("visdial", None),
    "visdial/visdial_1.0_val_first50.json": ("visdial", None),
    "visdial/visdialconv/crowdsourced_image_ids.txt": ("image_ids", None),
    "visdial/visdialconv/visdial_1.0_val_crowdsourced.json": ("visdial", None),
    "visdial/visdialconv/visdial_1.0_val_dense_annotations_crowdsourced.json": ("dense", None),
    "visdial/visdialconv/visdialconv_raw_amt_annotations.csv": ("conv_judgements", None),
    "visdial/vispro/val.vispro.1.1.jsonlines": ("vispro", None),
    "vqa/lstm_baseline_val100k/accuracy.json": ("vqa_totals", "overall accuracy 45.89 %, 65 question types"),
    "vqa/lstm_baseline_val100k/ans_type.json": (
        "vqa_grouped_accuracies",
        "the accuracy of 100,000 questions in 3 groups",
    ),
    "vqa/lstm_baseline_val100k/eval_qa.json": ("vqa_accuracies", "the accuracy of 100,000 questions, mean 45.89 %"),
    "vqa/lstm_baseline_val100k/predictions.json": ("vqa_predictions", "answers to 100,000 questions"),
    "vqa/lstm_baseline_val100k/ques_type.json": (
        "vqa_grouped_accuracies",
        "the accuracy of 100,000 questions in 65 groups",
    ),
    "vqa/mscoco_question_types.txt": ("question_types", "65 question types"),
    "vqa/okvqa_train_questions.json": ("vqa_questions", "9,009 questions about 8,998 images"),
    "vqa/smallval589/smallval_annotations.json": (
        "vqa_annotations",
        "589 questions with 10 answers each (208 yes/no, 82 number, 299 other)",
    ),
    "vqa/smallval589/smallval_questions.json": ("vqa_questions", "589 questions about 100 images"),
    "vqa/transformer_vqa_val100k/gpt2_accuracy.json": ("vqa_totals", "overall accuracy 10.56 %, 65 question types"),
    "vqa/transformer_vqa_val100k/vggpt2_accuracy.json": ("vqa_totals", "overall accuracy 34.39 %, 65 question types"),
    **{
        f"vqa/transformer_vqa_val100k/{model}_eval_qa.json.gz": (
            "vqa_accuracies",
            f"the accuracy of 100,000 questions, mean {mean} %",
        )
        for model, mean in (("gpt2", "10.56"), ("vggpt2", "34.39"))
    },
    **{
        f"vqa/transformer_vqa_val100k/{model}_results.json.gz": ("vqa_results", "answers to 100,000 questions")
        for model in ("gpt2", "vggpt2")
    },
    "vqa/vqa2_subset_train_annotations.json.gz": (
        "vqa_annotations",
        "48,061 questions with 10 answers each (16,033 yes/no, 16,086 number, 15,942 other)",
    ),
    "vqa/vqa2_subset_train_questions.json.gz": ("vqa_questions", "48,061 questions about 33,745 images"),
    "vqa/vqa2_subset_valid_annotations.json.gz": (
        "vqa_annotations",
        "8,977 questions with 10 answers each (2,947 yes/no, 2,948 number, 3,082 other)",
    ),
    "vqa/vqa2_subset_valid_questions.json.gz": ("vqa_questions", "8,977 questions about 8,260 images"),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_is_recognised_and_holds_what_it_should(real_data, name):
    one = examine(real_data / name)
    format_, holds = FILES[name]
    assert one.problems == ()
    assert one.format == format_
    if holds is not None:
        assert one.holds == holds


def test_every_picture_has_its_boxes(real_data):
    ids = read_coco(real_data / "pictures/instances.json").image_ids.tolist()
    names = {f"{image:012d}.jpg" for image in ids}
    assert len(names) == 54
    assert names <= {path.name for path in (real_data / "pictures").iterdir()}


def test_the_faults_of_the_real_files_are_noted(real_data):
    def notes(name):
        return examine(real_data / name).notes

    assert notes("guesswhat/coco_instances_subset.json") == ("2 images without a box",)
    assert notes("guesswhat/vdst_1606_games.jsonl") == ("75 games with the log, image and target of an earlier one",)
    (empty,) = notes("vqa/lstm_baseline_val100k/predictions.json")
    assert "5 more of this kind" in empty
    assert len(notes("guesswhat/shekhar2019_word_annotation.tsv")) == 5


@pytest.mark.parametrize(
    ("file", "against"),
    [
        ("vqa/vqa2_subset_valid_annotations.json.gz", "vqa/vqa2_subset_valid_questions.json.gz"),
        ("vqa/lstm_baseline_val100k/predictions.json", "vqa/lstm_baseline_val100k/eval_qa.json"),
        ("vqa/lstm_baseline_val100k/ans_type.json", "vqa/lstm_baseline_val100k/ques_type.json"),
        ("visdial/dense/cca_aq_g_val_generations.json", "visdial/dense/refs_H_human_val.json"),
        ("visdial/dialogues/blip2_val_generations.json", "visdial/dialogues/visdial_1.0_val_text.json"),
        (
            "visdial/visdialconv/visdial_1.0_val_dense_annotations_crowdsourced.json",
            "visdial/visdialconv/visdial_1.0_val_crowdsourced.json",
        ),
        (
            "guesswhat/twenty_questions/8_mcrae_dialogues.txt",
            "guesswhat/twenty_questions/8_mcrae_oracle_annotations.json",
        ),
    ],
)
def test_files_that_belong_together(real_data, file, against):
    result = validate([real_data / file], real_data / against)
    assert result.checks
    assert result.ok


def test_files_that_do_not_belong_together(real_data):
    result = validate(
        [real_data / "vqa/vqa2_subset_train_annotations.json.gz"], real_data / "vqa/vqa2_subset_valid_questions.json.gz"
    )
    # The two ask other questions about some of the same images.
    assert [(check.kind, check.ok) for check in result.checks] == [("question", False), ("image", True)]
    assert not result.ok
    assert (result.checks[0].common, result.checks[0].missing, result.checks[0].unknown) == (0, 8_977, 48_061)


def test_vqa_answers_and_confidences(real_data, tmp_path):
    record = read_vqa_annotations(real_data / "vqa/vqa2_subset_valid_annotations.json.gz")
    assert np.bincount(record.confidences.ravel()).tolist() == [72_606, 14_929, 2_235]
    assert set(record.question_types) == set(QUESTION_TYPES.read(real_data / "vqa/mscoco_question_types.txt"))
    write_vqa_annotations(record, tmp_path / "a.json.gz")
    assert read_vqa_annotations(tmp_path / "a.json.gz") == record
    questions = read_vqa_questions(real_data / "vqa/okvqa_train_questions.json")
    assert questions.meta["data_subtype"] == "train2014"
    write_vqa_questions(questions, tmp_path / "q.json")
    assert read_vqa_questions(tmp_path / "q.json") == questions


def test_the_files_of_the_vqa_tool_agree(real_data):
    folder = real_data / "vqa/lstm_baseline_val100k"
    accuracies = VQA_ACCURACIES.read(folder / "eval_qa.json")
    totals = VQA_TOTALS.read(folder / "accuracy.json")
    assert round(float(accuracies.accuracies.mean()), 2) == totals.overall
    by_id = dict(zip(accuracies.question_ids.tolist(), accuracies.accuracies.tolist(), strict=True))
    for name, published in (("ans_type", totals.by_answer_type), ("ques_type", totals.by_question_type)):
        grouped = VQA_GROUPED_ACCURACIES.read(folder / f"{name}.json")
        assert dict(zip(grouped.question_ids.tolist(), grouped.accuracies.tolist(), strict=True)) == by_id
        for place, group in enumerate(grouped.names):
            assert round(float(grouped.accuracies[grouped.groups == place].mean()), 2) == published[group]
    assert set(VQA_PREDICTIONS.read(folder / "predictions.json").question_ids.tolist()) == set(by_id)


def test_games(real_data, tmp_path):
    games = read_games(real_data / "guesswhat/guesswhat_full_games_2.jsonl")
    assert [game.id for game in games] == [2416, 223875]
    assert [len(game.qas) for game in games] == [2, 5]
    assert games.notes == ()
    for layout in (1, 2):
        write_games(games, tmp_path / "games.jsonl.gz", layout)
        assert read_games(tmp_path / "games.jsonl.gz") == games
    human = GAME_LOGS.read(real_data / "guesswhat/human_100_games.jsonl")
    assert [qa.question for qa in human[0].qas] == [qa.question for qa in games[0].qas]


def test_oracles(real_data):
    record = ORACLE_ANSWERS.read(real_data / "guesswhat/oracle_answers_test.csv.gz")
    agreement = {name: float((record.of(name) == record.human).mean()) for name in record.oracles}
    assert {name: round(share, 3) for name, share in agreement.items()} == {
        "QSpCa": 0.780,
        "LXMERT": 0.839,
        "QSpCr": 0.744,
        "QSp": 0.683,
    }
    assert len(ORACLE_QA.read(real_data / "guesswhat/oracle_qa_101.jsonl")) == 101
    assert len(HISTORY_QUESTIONS.read(real_data / "guesswhat/GWHist.csv")) == 204
    assert read_word_types(real_data / "guesswhat/shekhar2019_word_annotation.tsv").by_word["orange"] == (
        "color",
        "object",
    )


def test_coco(real_data):
    record = read_coco(real_data / "guesswhat/coco_instances_subset.json")
    assert int(record.crowd.sum()) == 18
    categories = CATEGORIES.read(real_data / "guesswhat/coco_categories_80_with_supercategory.json")
    assert tuple(categories) == record.categories


@pytest.mark.parametrize("size", [8, 16])
def test_twenty_questions_as_text_and_as_answers_agree(real_data, size):
    folder = real_data / "guesswhat/twenty_questions"
    games = TWENTY.read(folder / f"{size}_mcrae_oracle_annotations.json")
    dialogues = TWENTY_TEXT.read(folder / f"{size}_mcrae_dialogues.txt")
    for game, dialogue in zip(games, dialogues, strict=True):
        assert (game.id, game.target, game.candidates) == (dialogue.id, dialogue.target, dialogue.candidates)
        assert game.questions == tuple(question for question, _ in dialogue.turns)


def test_judgements(real_data):
    record = read_judgements(real_data / "scorekeeping/human_judgements.csv")
    kept = ~np.isin(record.dialogues, [14, 798, 1310, 6447, 7054, 7417])
    assert kept.sum() == 94 * 3
    assert round(100 * float((record.true == record.true_gold)[kept].mean()), 2) == 94.33
    assert round(100 * float((record.shared == record.shared_gold)[kept].mean()), 2) == 97.52
