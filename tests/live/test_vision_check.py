"""The check whether a model sees: what it remembers, and what it does not."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from scripted import Answer, Scripted, chat, serving

from voirdire.errors import UsageError, VoirDireError
from voirdire.live.interview import Interview
from voirdire.live.model import AnswerTask, Asking
from voirdire.live.settings import LiveOptions

IMAGE = 7


def interview(server: Scripted, folder: Path) -> int:
    """Ask about one picture; how many requests that took."""
    (folder / "pictures").mkdir(exist_ok=True)
    Image.new("RGB", (40, 30), "red").save(folder / "pictures" / f"{IMAGE}.png")
    before = len([body for _, _, body in server.seen if body])
    options = LiveOptions(model=f"openai:m@{server.url}", tries=1)
    with Interview(options, folder, folder / "m.journal", [folder / "pictures"]) as asked:

        async def script(ask: Asking) -> str:
            return (await ask(AnswerTask(asked.seen(IMAGE), "is it red?", alone=True))).text

        asked.ask_all([script])
    return len([body for _, _, body in server.seen if body]) - before


def sees(body: Any) -> Answer:
    """What a model says that sees: something else of each picture."""
    return chat(f"I see {len(str(body['messages']))} things.")


def test_a_check_that_failed_is_made_anew_and_one_that_passed_is_remembered(tmp_path: Path) -> None:
    mended = False

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        return Answer() if body is None else sees(body) if mended else chat("A picture.")

    with serving(say) as server:
        for _ in range(2):
            with pytest.raises(UsageError, match="does not see: it says the same to two different pictures"):
                interview(server, tmp_path)
        mended = True
        assert interview(server, tmp_path) == 4
        assert interview(server, tmp_path) == 0


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_server_that_takes_no_pictures_is_told_before_anything_else(status: int, tmp_path: Path) -> None:
    complaint = Answer(b'{"error": {"message": "this model does not support image input"}}', status)

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        return Answer() if body is None else complaint if "image_url" in str(body) else chat("yes")

    with serving(say) as server:
        with pytest.raises(VoirDireError, match=r"it takes no pictures: show it words or nothing \(`show`\)"):
            interview(server, tmp_path)
        assert len([body for _, _, body in server.seen if body]) <= 3


def test_two_pictures_that_are_refused_are_no_sight(tmp_path: Path) -> None:
    complaint = Answer(b'{"error": {"message": "Could not process image"}}', 400)

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        return Answer() if body is None else complaint if "image_url" in str(body) else chat("yes")

    with serving(say) as server, pytest.raises(UsageError, match=r"it takes no pictures: .*Could not process image"):
        interview(server, tmp_path)
