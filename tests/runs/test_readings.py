"""How replies were read, counted and told."""

from dataclasses import replace

import polars as pl

from voirdire.metrics.key import Key
from voirdire.runs import Run, write_run
from voirdire.runs.estimate import Estimate, Measures
from voirdire.runs.provenance import Provenance, with_provenance
from voirdire.runs.readings import EXAMPLES, ReadingCount, Readings
from voirdire.runs.run import Signature
from voirdire.runs.store import read_run
from voirdire.section.content import Model


def counted():
    count = ReadingCount()
    for way, text in [("a word", "yes")] * 6 + [("likelihoods", "No")] * 2 + [("", "Hm.")] * 3 + [("", "")]:
        count.add(way, text)
    return count


def test_ways_examples_and_the_share_read():
    readings = counted().readings()
    assert readings == Readings({"a word": 6, "likelihoods": 2}, 12, ("'Hm.'",))
    assert str(readings) == "8 of 12 replies read (66.7 %)"
    assert readings.line == (
        "8 of 12 replies read (66.7 %): 6 by a word, 2 by likelihoods. Nothing could be read, for example, in 'Hm.'."
    )
    assert str(Readings({"a word": 1}, 1)) == "all of 1 reply read"


def test_only_some_examples_are_kept_and_each_is_short():
    count = ReadingCount()
    for number in range(20):
        count.add("", f"{number} " + "word " * 500)
    examples = count.readings().examples
    assert len(examples) == EXAMPLES
    assert max(map(len, examples)) < 200


def test_what_turns_out_later_is_counted_as_that():
    count = counted()
    count.move("a word", "a list", 6)
    assert count.readings().ways == {"a list": 6, "likelihoods": 2}
    assert count.readings().read == 8


def run(readings):
    measures = Measures({Key("accuracy"): Estimate(0.5, 0.4, 0.6, 12)})
    made = Run("answers", {}, pl.DataFrame({"image_id": [1]}), measures, Signature("0"), part="humans")
    return replace(made, readings=readings)


def test_a_run_keeps_them(tmp_path):
    write_run(run(counted().readings()), tmp_path / "run")
    assert read_run(tmp_path / "run").readings == counted().readings()
    write_run(run(None), tmp_path / "other")
    assert read_run(tmp_path / "other").readings is None


def test_the_share_read_stands_beside_the_figures(tmp_path):
    Provenance("m", {}, "nothing", replies=12, readings=counted().readings()).write(tmp_path)
    asked = with_provenance(run(None), [tmp_path / "answers.json"])
    assert asked.readings.read == 8
    assert asked.warnings[1] == counted().readings().line
    assert "8 of 12 replies read (66.7 %)" in Model("m", "m", asked).coverage("accuracy")
    assert "read" not in Model("m", "m", run(Readings({"a word": 12}, 12))).coverage("accuracy")
