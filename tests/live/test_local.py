"""Models of Hugging Face's on this machine: what they say, how likely they find it, and what they see."""

import asyncio
import io
from pathlib import Path

import pytest
import torch
from tiny_models import make_reader, make_seer

from voirdire.live.local import LocalModel
from voirdire.live.model import AnswerTask, JudgeTask, RankTask, VisualInput
from voirdire.live.prompts import read_template

OPTIONS = ("yes", "no", "a red cup", "n")
ROUNDS = (("is there a cup", "yes"),)


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    folder = tmp_path_factory.mktemp("local") / "reader"
    make_reader(folder)
    return LocalModel(f"hf:{folder}", read_template())


def said(model: LocalModel, task, *pictures: bytes):
    return asyncio.run(model.reply(task, pictures))


@pytest.mark.slow
def test_an_answer_is_the_same_each_time_and_a_drawn_one_by_its_number(reader: LocalModel) -> None:
    task = AnswerTask(VisualInput(1, told="a cup"), "what is it", "a cup", ROUNDS)
    first = said(reader, task)
    assert first.text
    assert first.tokens[0] > 50
    assert said(reader, task) == first
    before = torch.random.get_rng_state()
    drawn = {
        said(reader, AnswerTask(VisualInput(1), "what is it", temperature=1.0, sample=number)).text for number in (0, 1)
    }
    assert len(drawn) == 2
    assert torch.equal(torch.random.get_rng_state(), before)


def test_candidates_have_the_likelihood_of_each_pass_by_itself(reader: LocalModel) -> None:
    task = RankTask(VisualInput(1), "what is it", OPTIONS, "a cup", ROUNDS)
    scores = said(reader, task).scores
    tokeniser, speaker = reader.model.tokeniser, reader.model.speaker
    prompt = reader._prompt(task, ())["input_ids"]
    for option, score in zip(OPTIONS, scores, strict=True):
        answer = torch.tensor([[*tokeniser(option, add_special_tokens=False)["input_ids"], tokeniser.eos_token_id]])
        with torch.inference_mode():
            logits = speaker(torch.cat([prompt, answer], 1)).logits[0, prompt.shape[1] - 1 : -1].log_softmax(-1)
        assert score == pytest.approx(float(logits.gather(1, answer.T).sum()), rel=1e-4)
    assert len(set(scores)) == len(OPTIONS)


def test_sentences_are_judged_by_likelihood(reader: LocalModel) -> None:
    task = JudgeTask(VisualInput(1), "a cup", ROUNDS, "The cup is red.", "truth")
    # Its weights are random: no word has much of the probability, so the words of its reply count.
    assert said(reader, task).how == "text-low"
    least, reader.least_mass = reader.least_mass, 0.0
    reply = said(reader, task)
    reader.least_mass = least
    assert reply.how == "logprobs"
    with torch.inference_mode():
        likely = reader.model.speaker(**reader._prompt(task, ())).logits[0, -1]
    yes, no = (likely[reader.model.tokeniser.convert_tokens_to_ids(word)] for word in ("Yes", "No"))
    assert reply.value == ("yes" if yes > no else "no")


def test_a_model_with_a_picture_sees_it(tmp_path: Path) -> None:
    from PIL import Image

    make_seer(tmp_path / "seer")
    model = LocalModel(f"hf:{tmp_path / 'seer'}", read_template())
    made = []
    for colour in ("red", "blue"):
        packed = io.BytesIO()
        Image.new("RGB", (80, 60), colour).save(packed, "PNG")
        made.append(packed.getvalue())
    task = AnswerTask(VisualInput(1, "hash"), "what is it", alone=True)
    texts = {said(model, task, picture).text for picture in made}
    assert len(texts) == 2
    assert len(said(model, RankTask(VisualInput(1, "hash"), "what", OPTIONS), made[0]).scores) == len(OPTIONS)
