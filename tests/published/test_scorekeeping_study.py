"""The published 100 × 3 judgements (scorekeeping, Table 3), put through a study: its figures come out at the end."""

import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "study"))

from benches import Judging, asgi, write_study

from voirdire.formats.judgements import KINDS, read_judgements
from voirdire.scorekeeping.exam import JudgedPropositionsOptions
from voirdire.scorekeeping.humans import score_judges
from voirdire.study.collect import collect_study
from voirdire.study.database import JudgedStore
from voirdire.study.design import StudyTask

pytestmark = pytest.mark.slow

LEFT_OUT = "14,798,1310,6447,7054,7417"
"""What the paper leaves out, by footnote 13."""


def test_table_3_comes_out_of_a_study(real_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("starlette", reason="needs the extra study: pip install -e '.[study]'")
    with (real_data / "scorekeeping" / "human_judgements.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    tasks: dict[tuple[str, str], StudyTask] = {}
    said: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        fact = None if row["qa_fact"] == "none" else row["qa_fact"]
        key = {
            "splits": row["split"], "dialogues": int(row["dlg_idx"]), "turns": int(row["turn_idx"]),
            "indices": int(row["prop_idx"]), "true_gold": row["content_gold"] == "1",
            "shared_gold": row["shared_gold"] == "1", "turns_shared": int(row["turn_shared"]), "rules": row["rule"],
            "kinds": KINDS[row["type"]], "facts": fact, "questions": row["question"], "answers": row["answer"],
            "propositions": row["prop"],
        }  # fmt: skip
        # What is shown names the point, by which a judge's answer is found below.
        text = f"{row['prop']} ({row['dlg_idx']})"
        tasks.setdefault((row["dlg_idx"], row["prop_idx"]), StudyTask("true-shared", text, key=key))
        answers = ["yes" if row[name] == "1" else "no" for name in ("content", "shared")]
        said.setdefault(row["username"], {})[text] = answers
    assert (len(tasks), len(said)) == (100, 3)
    study = write_study(tmp_path / "study", list(tasks.values()), judges=3)
    store = JudgedStore(study)
    invited = store.invite(names=list(said))
    store.close()
    with asgi(study) as wire:
        for one in invited:

            def decide(task: Any, answers: dict[str, list[str]] = said[one.name]) -> Sequence[str]:
                return answers[task["text"]]

            assert len(Judging(wire, one.token).judge_all(decide)) == 100
    made = collect_study(study, tmp_path / "out")
    assert [judge.judge for judge in made.judges if judge.named] == []
    judged = read_judgements(tmp_path / "out" / "judgements.csv")
    published = read_judgements(real_data / "scorekeeping" / "human_judgements.csv")
    assert sorted(zip(judged.judges, judged.points(), judged.true, judged.shared, strict=True)) == sorted(
        zip(published.judges, published.points(), published.true, published.shared, strict=True)
    )
    run = score_judges(judged, options=JudgedPropositionsOptions(exclude=LEFT_OUT))
    values = {name: run.measures[name].value for name in ("tfxps", "tf", "ps", "pxtsfs")}
    shown = {name: round(100 * value, 2) for name, value in values.items() if value is not None}
    assert shown == {"tfxps": 91.84, "tf": 94.33, "ps": 97.52, "pxtsfs": 96.10}
    assert run.measures["fleiss_kappa"].value == pytest.approx(0.862, abs=5e-4)
    assert run.measures["tfxps"].n == 94
