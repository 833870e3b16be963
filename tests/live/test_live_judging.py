"""The exam of scorekeeping by asking, through the command: a witness behind a chat and behind typed answers."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from scripted import Answer, chat, serving
from witnessing import image_of

from voirdire.exam import read_run
from voirdire.formats.dialogues import read_dialogues
from voirdire.formats.model_judgements import read_model_judgements
from voirdire.live.pictures import Pictures
from voirdire.live.vision_check import two_pictures
from voirdire.world.witnesses import DialogueSoFar
from voirdire.world.witnesses.listeners import JUDGES
from voirdire.world.world_folder import scenes_by_id

pytestmark = pytest.mark.slow
COMMAND = [str(Path(sys.executable).parent / "voirdire")]
FEW = ("--limit", "3", "--turns", "0,5", "--pairs", "2")


class Judging:
    """The scorekeeper, who finds all that it needs in what is sent: the dialogue, the statement and the picture."""

    def __init__(self, world: Path, out: Path) -> None:
        self.judge = JUDGES.make("scorekeeper")
        self.scenes = scenes_by_id(str(world / "scenes.jsonl"))
        shown = Pictures([world / "pictures"])
        self.images = {shown.seen(image).picture: image for image in self.scenes}
        self.out = out
        self.checks = list(two_pictures())
        self.asked = 0

    def judged(self, text: str, picture: str | None) -> str:
        """The answer to what stands in a text."""
        caption, statement = (re.search(f"{start}: (.*)", text) for start in ("at the start", "Statement"))
        assert caption is not None
        assert statement is not None
        by_score = "established" in text
        # What is established has nothing to do with what is to be seen, so no picture is sent.
        assert (picture is None) == by_score
        image = self.image_of(text) if picture is None else self.images[picture]
        scene = self.scenes[image]
        heard = DialogueSoFar(scene, caption[1], re.findall("^Q: (.*)", text, re.MULTILINE))
        if by_score and not self.judge.judge(heard, statement[1], "sharing"):
            return "open"
        found = self.judge.judge(heard, statement[1], "truth")
        assert found is not None
        yes, no = ("true", "false") if by_score else ("yes", "no")
        return yes if found else no

    def image_of(self, text: str) -> int:
        """An image of which the same was answered, so that what is settled is settled in the same way."""
        answered = re.findall(r"^Q: (.*)\nA: (.*)", text, re.MULTILINE)
        survey = read_dialogues(self.out / "survey.json").dialogues
        return next(one.image_id for one in survey if list(one.rounds[: len(answered)]) == answered)

    def chat(self, path: str, headers: Mapping[str, str], body: Any) -> Answer:
        """As a chat model, with the likelihoods of the first word."""
        if path.endswith("/models"):
            return Answer()
        picture = image_of(body["messages"])
        if picture in self.checks or "logprobs" not in body:
            return chat(f"picture {picture}")
        (system, said) = body["messages"]
        assert "one word" in system["content"]
        content = said["content"]
        text = content if isinstance(content, str) else next(one["text"] for one in content if one["type"] == "text")
        word = self.judged(text, picture).capitalize()
        likely = [{"token": word, "logprob": -0.1}, {"token": "No" if word == "Yes" else "Yes", "logprob": -2.4}]
        return chat(word, logprobs={"content": [{"top_logprobs": likely}]})

    def hesitant(self, path: str, headers: Mapping[str, str], body: Any) -> Answer:
        """The same without likelihoods; each fourth time it cannot say."""
        said = json.loads(self.chat(path, headers, body).body or b"{}")
        if "choices" not in said:
            return Answer()
        self.asked += 1
        text = said["choices"][0]["message"]["content"]
        return chat("That is hard to say." if self.asked % 4 == 0 and not text.startswith("picture") else f"{text}.")

    def typed(self, path: str, headers: Mapping[str, str], body: Any) -> Answer:
        """As a model with typed answers."""
        assert path == "/v1/systemone"
        (image,) = body.get("images") or (None,)
        picture = None if image is None else hashlib.sha256(base64.b64decode(image.partition(",")[2])).hexdigest()
        (question,) = body["questions"].values()
        if picture in self.checks or "red disc" in question["instructions"]:
            share = 0.9 if picture == self.checks[0] else 0.2
        else:
            judged = self.judged(f"{body['state']}\n{question['instructions']}", picture)
            if question["type"] == "choice":
                assert sorted(question["criteria"]) == ["false", "open", "true"]
                answer = {"type": "choice", "choice": judged}
                return Answer(json.dumps({"model": "m", "answers": {"answer": answer}}).encode())
            share = 0.8 if judged == "yes" else 0.1
        said = {"model": "m", "answers": {"answer": {"type": "noul", "noul": share}}, "usage": {"input_tokens": 9}}
        return Answer(json.dumps(said).encode())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judging") / "world"
    subprocess.run([*COMMAND, "world", str(folder), "--scenes", "12", "--seed", "5", "--pictures"], check=True)
    return folder


def ask(model: str, world: Path, out: Path, *words: str) -> Path:
    """The folder of the run."""
    call = [*COMMAND, "ask", "scorekeeping", "--model", model, "--data", str(world), "-o", str(out), "--name", "live"]
    done = subprocess.run([*call, *FEW, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out / "runs" / "live" / "scorekeeping-judge"


@pytest.mark.parametrize(("provider", "how"), [("openai", "logprobs"), ("systemone", "typed")])
def test_a_witness_behind_an_endpoint_is_as_good_as_on_the_stand(
    world: Path, tmp_path: Path, provider: str, how: str
) -> None:
    judging = Judging(world, tmp_path / "endpoint")
    with serving(judging.chat if provider == "openai" else judging.typed) as server:
        run = read_run(ask(f"{provider}:keeper@{server.url}", world, tmp_path / "endpoint"))
    stood = read_run(ask("witness:scorekeeper", world, tmp_path / "interview"))
    assert run.coverage is not None
    assert run.coverage.complete
    assert run.coverage.asked == stood.coverage.asked
    assert 3 * 4 * 2 < run.coverage.asked < 3 * 4 * 2 * 2
    assert run.measures == stood.measures
    assert run.measures["accuracy[TFxPS]"].value == 1
    assert set(run.items["how"]) == {how}
    assert run.signature.options["asked"]["shown"] == "pictures"


def test_what_cannot_be_read_is_counted(world: Path, tmp_path: Path) -> None:
    with serving(Judging(world, tmp_path).hesitant) as server:
        run = read_run(ask(f"openai:keeper@{server.url}", world, tmp_path, "--connections", "1"))
    rows = read_model_judgements(tmp_path / "said" / "live" / "scorekeeping-judge" / "judgements.jsonl")
    unread = [row for row in rows if row.value is None]
    assert 24 < len(rows) < 48
    assert abs(len(unread) - len(rows) / 4) <= 1
    assert {row.text for row in unread} == {"That is hard to say."}
    assert {row.how for row in rows} == {"text"}
    assert run.measures["unread"].value == len(unread) / len(rows)
    assert run.measures["accuracy[TF]"].value == 1
    assert run.measures["accuracy[TF]:asked"].value == pytest.approx(1 - len(unread) / 24)
    assert any("no answer could be read" in line for line in run.warnings)
    # The check whether it sees is none of the exam's.
    assert (run.readings.asked, run.readings.read) == (len(rows), len(rows) - len(unread))
    assert run.readings.ways == {"a word": len(rows) - len(unread)}
    assert run.readings.examples == ("'That is hard to say.'",)
    page = (tmp_path / "report.html").read_text()
    assert str(run.readings) in page
