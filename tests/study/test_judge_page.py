"""The texts of a study's page: every language has every text that a study needs."""

import pytest

from voirdire.exam import exams, load, studied
from voirdire.study.judge_page import LANGUAGES, expected, parse_texts, written_texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_text(language: str) -> None:
    for exam in exams():
        for part in exam.parts:
            if part.study is not None:
                _, found = studied(exam.name)
                assert found is part
                load(part.study.function)
                load(part.study.gather)
                assert set(part.study.writes) <= {input_.name for input_ in part.inputs}
    for place, way in (
        ("voirdire.answers:study_texts", "deselect"),
        ("voirdire.questions:study_texts", "yes-no-na"),
        ("voirdire.scorekeeping:study_texts", "true-shared"),
    ):
        found = parse_texts(written_texts(language, place, way), "texts")
        assert set(found) == set(expected(way))
        assert all(found.values())
