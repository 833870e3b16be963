"""Validation of files as a library, and the comparison of ids."""

import json
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.catalogue import formats
from voirdire.validation import check_ids, examine, find_files, validate

KNOWN = {format_.name: format_ for format_ in formats()}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def questions(*ids):
    return {"questions": [{"question_id": i, "image_id": i // 10, "question": "Is it red?"} for i in ids]}


def results(*ids):
    return [{"question_id": i, "answer": "yes"} for i in ids]


def generations(*rounds, image=5):
    return [{"image_id": image, "round_id": i, "generations": ["yes"]} for i in rounds]


class TestExamine:
    def test_a_good_file(self, tmp_path):
        one = examine(write(tmp_path / "q.json", questions(10, 11)))
        assert one.ok
        assert (one.format, one.title, one.exams) == ("vqa_questions", "VQA questions", ("robustness",))
        assert one.holds == "2 questions about 1 image"
        assert (one.notes, one.problems) == ((), ())

    def test_a_bad_file_keeps_what_is_known_of_it(self, tmp_path):
        one = examine(write(tmp_path / "r.json", [{"question_id": i, "answer": 5} for i in range(30)]))
        assert not one.ok
        assert (one.format, one.holds) == ("vqa_results", None)
        assert (len(one.problems), one.problem_count) == (3, 30)

    def test_an_unknown_and_a_missing_file(self, tmp_path):
        assert examine(write(tmp_path / "x.txt", "Dear reader")).format is None
        missing = examine(tmp_path / "none.json")
        assert (missing.format, missing.problem_count) == (None, 1)

    def test_the_base_of_rounds(self, tmp_path):
        path = write(tmp_path / "g.json", generations(3, 4))
        assert "`round_base`" in str(examine(path).problems[0])
        assert examine(path, round_base=1).ids["round"].tolist() == [[5, 2], [5, 3]]
        assert examine(path, round_base=0).ids["round"].tolist() == [[5, 3], [5, 4]]

    def test_the_given_base_is_for_files_that_leave_it_open_only(self, tmp_path):
        path = write(tmp_path / "g.json", generations(0, 4))
        one = examine(path, round_base=1)
        assert one.ids["round"].tolist() == [[5, 0], [5, 4]]
        assert one.notes == ("`round_base` 1 was not used: it holds round_id 0, so that rounds are counted from 0",)
        assert examine(path, round_base=0).notes == ()
        path = write(tmp_path / "g.json", generations(1, 10))
        assert "it holds round_id 10, so that rounds are counted from 1" in examine(path, round_base=0).notes[0]
        assert examine(write(tmp_path / "q.json", questions(1)), round_base=0).notes == ()


class TestFiles:
    def test_a_folder_stands_for_all_files_below(self, tmp_path):
        for name in (
            "b/x.json",
            "a.JSONL",
            "c.csv.gz",
            "README.md",
            "b/p.png",
            "items.parquet",
            ".hidden.json",
            "d.gz",
        ):
            write(tmp_path / name, "")
        files, skipped, below, empty = find_files([tmp_path])
        assert (below, empty) == (frozenset(files), ())
        assert [path.removeprefix(f"{tmp_path}/") for path in files] == ["a.JSONL", "b/x.json", "c.csv.gz"]
        assert [path.removeprefix(f"{tmp_path}/") for path in skipped] == [
            ".hidden.json", "README.md", "b/p.png", "d.gz", "items.parquet",
        ]  # fmt: skip

    def test_a_file_that_is_named_is_examined_whatever_its_ending_and_once(self, tmp_path):
        path = str(write(tmp_path / "README.md", "hello"))
        assert find_files([path, path, "-"]) == ((path, "-"), (), frozenset(), ())

    @pytest.mark.parametrize("kind", [str, Path])
    def test_one_path_alone(self, tmp_path, kind):
        path = write(tmp_path / "q.json", questions(1))
        assert find_files(kind(path)).files == (str(path),)
        assert [file.path for file in validate(kind(path)).files] == [str(path)]

    def test_a_file_that_is_named_and_lies_in_a_named_folder_counts_as_named(self, tmp_path):
        path = write(tmp_path / "q.json", questions(1))
        assert find_files([tmp_path, path]) == ((str(path),), (), frozenset(), ())

    def test_a_folder_without_data_is_a_fault(self, tmp_path):
        (tmp_path / "empty").mkdir()
        write(tmp_path / "other" / "README.md", "hello")
        result = validate([tmp_path / "empty", tmp_path / "other"])
        assert [(file.path, file.ok) for file in result.files] == [
            (str(tmp_path / "empty"), False),
            (str(tmp_path / "other"), False),
        ]
        assert str(result.files[0].problems[0]).startswith("found no data file below it, expected at least one. Data ")
        assert not result.ok

    def test_links_in_a_folder_are_named(self, tmp_path):
        (tmp_path / "a.json").symlink_to("gone.json")
        (tmp_path / "folder").symlink_to("b")
        write(tmp_path / "b" / "q.json", questions(1))
        result = validate([tmp_path])
        assert [file.ok for file in result.files] == [False, True]
        assert "found a link to gone.json, which is not there" in str(result.files[0].problems[0])
        assert result.skipped == (str(tmp_path / "folder"),)

    def test_the_head_of_a_run_is_no_data_but_another_file_of_its_name_may_be(self, tmp_path):
        for name in ("x/run.json", "x/items.parquet", "y/run.json", "y/0.shard", "z/run.json"):
            write(tmp_path / name, "")
        found = find_files(tmp_path)
        assert found.files == (str(tmp_path / "z/run.json"),)
        assert len(found.skipped) == 4


class TestCompare:
    def check(self, tmp_path, file, reference, **options):
        path, against = write(tmp_path / "file.json", file), write(tmp_path / "reference.json", reference)
        return validate([path], against, **options)

    def test_two_files_with_the_same_ids(self, tmp_path):
        result = self.check(tmp_path, results(11, 10), questions(10, 11))
        (check,) = result.checks
        assert (check.kind, check.common, check.missing, check.unknown, check.ok) == ("question", 2, 0, 0, True)
        assert result.ok
        assert [file.path for file in result.files] == [str(tmp_path / "file.json"), str(tmp_path / "reference.json")]

    def test_missing_and_unknown_ids_are_counted_and_the_first_three_listed(self, tmp_path):
        result = self.check(tmp_path, results(5, *range(100, 130)), questions(5, 6))
        (check,) = result.checks
        assert (check.common, check.missing, check.unknown, check.ok) == (1, 1, 30, True)
        assert check.first_missing == (6,)
        assert check.first_unknown == (100, 101, 102)
        assert result.ok
        assert not self.check(tmp_path, results(5, *range(100, 130)), questions(5, 6), strict=True).ok

    def test_nothing_in_common_is_a_fault_with_its_likely_reason(self, tmp_path):
        (check,) = self.check(tmp_path, results(7), questions(5)).checks
        assert (check.ok, check.reason) == (False, "they may be of another split, or have other ids")
        _, rounds = self.check(tmp_path, generations(0, 9), generations(4), round_base=0).checks
        assert "the same images, but none of their rounds" in rounds.reason

    def test_rounds_that_are_counted_from_another_base_are_a_fault(self, tmp_path):
        images, rounds = self.check(tmp_path, generations(0, 1, 2), generations(1, 2, 3), round_base=0).checks
        assert images.ok
        assert (rounds.common, rounds.ok) == (2, False)
        assert rounds.reason.startswith("3 would be in both if those of the first file were counted one round later")

    def test_rounds_are_compared_as_pairs_counted_from_0(self, tmp_path):
        ranks = [{"image_id": 5, "round_id": i, "ranks": [*range(1, 101)]} for i in (1, 10)]
        result = self.check(tmp_path, generations(0, 8), ranks, strict=True)
        images, rounds = result.checks
        assert (images.kind, images.ok) == ("image", True)
        assert (rounds.kind, rounds.common, rounds.ok) == ("round", 1, False)
        assert (rounds.first_missing, rounds.first_unknown) == (((5, 9),), ((5, 8),))

    def test_a_sample_may_lack_what_a_full_file_has_and_not_the_reverse(self, tmp_path):
        dense = [{"image_id": 5, "round_id": 10, "gt_relevance": [0.0] * 99 + [1.0]}]
        assert self.check(tmp_path, dense, generations(0, 9), strict=True).ok
        assert self.check(tmp_path, generations(0, 9), dense, strict=True).ok
        assert not self.check(tmp_path, dense, generations(0, 8)).ok
        assert not self.check(tmp_path, generations(0, 8), dense).ok

    def test_of_a_test_split_only_rounds_with_options_are_due(self, tmp_path):
        rounds = [{"question": 0, "answer": 1}, {"question": 0, "answer_options": list(range(100))}]
        data = {
            "questions": ["is it"],
            "answers": [f"answer {i}" for i in range(100)],
            "dialogs": [{"image_id": 5, "caption": "a cup", "dialog": rounds}],
        }
        split = {"version": "1.0", "split": "test2018", "data": data}
        ranks = [{"image_id": 5, "round_id": 2, "ranks": [*range(1, 101)]}]
        assert self.check(tmp_path, ranks, split, round_base=1).ok
        ranks[0]["round_id"] = 1
        assert not self.check(tmp_path, ranks, split, round_base=1).ok

    def test_files_without_a_common_kind_of_id(self, tmp_path):
        result = self.check(tmp_path, results(1), {"overall": 1.0, "perQuestionType": {}, "perAnswerType": {}})
        assert not result.ok
        assert "expected a kind of id that both have" in str(result.files[0].problems[0])

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_states_are_compared_by_their_number(self, tmp_path, count):
        official = {"questions": ["is it"], "answers": ["yes"], "dialogs": []}
        official["dialogs"] = [{"image_id": i, "caption": "", "dialog": [{"question": 0}]} for i in (7, 5)]
        text = [{"img": f"{i}.jpg", "dialog": ["", "is it? yes"]} for i in (7, 5)]
        np.savez(tmp_path / "states.npz", states=np.zeros((count, 2, 3), np.float32))
        for dialogues in ({"data": official}, text):
            reference = write(tmp_path / "reference.json", dialogues)
            assert validate([tmp_path / "states.npz"], reference).ok
            (check,) = validate([tmp_path / "states.npz"], reference, strict=True).checks
            missing, unknown = tuple(range(count, 2)), tuple(range(2, count))
            assert (check.kind, check.common, check.ok) == ("dialogue", min(count, 2), count == 2)
            assert (check.first_missing, check.first_unknown) == (missing, unknown)

    @pytest.mark.parametrize(("place", "ok"), [(0, True), (1, True), (2, False)])
    def test_propositions_name_some_of_the_dialogues(self, tmp_path, place, ok):
        record = {"proposition": "it is old.", "a_thinks_true": 1, "turn_shared": 1, "rule": "x", "qa_fact": None}
        propositions = {"orig_data": "", "set": "val", "dialogues": {str(place): {"0": record}}}
        text = [{"img": f"{i}.jpg", "dialog": ["", "is it? yes"]} for i in (7, 5)]
        (check,) = self.check(tmp_path, propositions, text).checks
        assert (check.kind, check.ok) == ("dialogue", ok)

    def test_dialogues_of_other_images_do_not_match_by_their_number(self, tmp_path):
        mine, theirs = ([{"img": f"{i}.jpg", "dialog": ["", "is it? yes"]}] for i in (1, 2))
        checks = self.check(tmp_path, mine, theirs).checks
        assert [(check.kind, check.ok) for check in checks] == [("image", False), ("round", False)]

    def test_a_bad_reference_is_said_and_the_files_examined(self, tmp_path):
        result = self.check(tmp_path, results(1), "nonsense")
        assert [file.ok for file in result.files] == [True, False]
        assert result.checks == ()
        assert not result.ok

    def test_the_reference_is_not_compared_with_itself(self, tmp_path, monkeypatch):
        path, other = write(tmp_path / "q.json", questions(1)), write(tmp_path / "r.json", results(1))
        result = validate([tmp_path], path)
        assert [file.path for file in result.files] == [str(other), str(path)]
        assert result.ok
        monkeypatch.chdir(tmp_path)
        other.unlink()
        for alone in (path, tmp_path, "q.json", "./q.json"):
            with pytest.raises(UsageError, match="is not compared with itself"):
                validate(alone, path)

    def test_of_a_folder_only_files_that_share_an_id_are_compared(self, tmp_path):
        reference = write(tmp_path / "q.json", questions(1, 2))
        mine, train = write(tmp_path / "a.json", results(1)), write(tmp_path / "b.json", results(7))
        ids = write(tmp_path / "c.json", {"overall": 1.0, "perQuestionType": {}, "perAnswerType": {}})
        result = validate([tmp_path], reference)
        assert [(check.path, check.ok) for check in result.checks] == [(str(mine), True)]
        notes = {file.path: file.notes for file in result.files}
        assert notes[str(train)] == (f"not compared: it shares no id with {reference}",)
        assert notes[str(ids)] == (f"not compared: no ids, where {reference} has ids of questions and images",)
        assert all(file.ok for file in result.files)
        named = validate([train, ids], reference)
        assert [check.ok for check in named.checks] == [False]
        assert [file.ok for file in named.files] == [True, False, True]

    @pytest.mark.parametrize("names", [("dense", "references"), ("references", "dense")])
    def test_two_samples_need_only_meet(self, names):
        mine, theirs = ({"image": np.array(ids)} for ids in ([1, 2], [2, 3]))
        (check,) = check_ids("a", KNOWN[names[0]], mine, "b", KNOWN[names[1]], theirs)
        assert check.ok
        (check,) = check_ids("a", KNOWN[names[0]], mine, "b", KNOWN[names[1]], {"image": np.array([7])})
        assert not check.ok

    def test_a_pool_may_hold_more(self):
        games, boxes = {"image": np.array([2])}, {"image": np.array([1, 2])}
        assert check_ids("a", KNOWN["guesswhat"], games, "b", KNOWN["coco"], boxes)[0].ok
        assert not check_ids("a", KNOWN["guesswhat"], boxes, "b", KNOWN["coco"], games, strict=True)[0].ok
        assert check_ids("a", KNOWN["guesswhat"], boxes, "b", KNOWN["coco"], games)[0].ok
        assert check_ids("a", KNOWN["scenes"], boxes, "b", KNOWN["visdial"], games)[0].ok

    def test_two_pools_hold_the_same(self):
        few, many = {"image": np.array([2])}, {"image": np.array([1, 2])}
        assert check_ids("a", KNOWN["scenes"], many, "b", KNOWN["coco"], many, strict=True)[0].ok
        assert not check_ids("a", KNOWN["scenes"], few, "b", KNOWN["coco"], many, strict=True)[0].ok
        assert not check_ids("a", KNOWN["scenes"], many, "b", KNOWN["coco"], few, strict=True)[0].ok

    def test_no_id_at_all(self):
        empty = {"round": np.empty((0, 2), np.int64)}
        (check,) = check_ids("a", KNOWN["ranks"], empty, "b", KNOWN["ranks"], empty)
        assert (check.common, check.missing, check.unknown, check.ok) == (0, 0, 0, False)


def test_every_file_is_examined_and_reported(tmp_path):
    write(tmp_path / "a.json", "[")
    write(tmp_path / "b.json", questions(1))
    told = []
    result = validate([tmp_path], report=lambda done, total: told.append((done, total)))
    assert [file.ok for file in result.files] == [False, True]
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert json.loads(json.dumps(result.to_dict()))["files"][1]["holds"] == "1 question about 1 image"
