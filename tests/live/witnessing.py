"""A chat endpoint behind which a witness of the world sits: it sees pictures by their hash, and reads the turns."""

import base64
import hashlib
import json
import re
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scripted import Answer, chat, serving

from voirdire.live.pictures import Pictures
from voirdire.live.vision_check import two_pictures
from voirdire.world.witnesses.answerers import History, make_witness
from voirdire.world.world_folder import scenes_by_id

__all__ = ["Witnessing", "image_of", "said_by"]

CAPTION = re.compile("^The picture: (.*)$", re.MULTILINE)


class Witnessing:
    """Answers as a witness does, from what a chat model is sent."""

    def __init__(self, name: str, world: Path) -> None:
        self.witness = make_witness(name, 0)
        self.scenes = scenes_by_id(str(world / "scenes.jsonl"))
        shown = Pictures([world / "pictures"])
        self.images = {shown.seen(image).picture: image for image in self.scenes}
        self.checks = list(two_pictures())

    def say(self, path: str, headers: Mapping[str, str], body: Any) -> Answer:
        """What it says to a request."""
        return Answer() if path.endswith("/models") else chat(self.text(body["messages"]))

    def text(self, messages: list[dict[str, Any]]) -> str:
        """What it says to the messages of a dialogue, or of a question alone."""
        picture = image_of(messages)
        if picture in (None, *self.checks):
            return f"picture {self.checks.index(picture)}" if picture else "I see no picture."
        scene = self.scenes[self.images[picture]]
        turns = [one for one in messages if one["role"] != "system"]
        texts = [_text(one) for one in turns]
        caption = CAPTION.search(texts[0])
        texts[0] = texts[0].rpartition("\n")[2]
        if caption is None:
            return self.witness.answer(scene, texts[-1])
        history = History(caption[1], tuple(zip(texts[:-1:2], texts[1:-1:2], strict=True)))
        return self.witness.answer(scene, texts[-1], history)


def _text(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else next(one["text"] for one in content if one["type"] == "text")


def image_of(messages: list[dict[str, Any]]) -> str | None:
    """The SHA-256 of the picture in what a chat model is sent; None where there is none."""
    for message in messages:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                return hashlib.sha256(data).hexdigest()
    return None


def said_by(name: str, world: Path) -> Callable[[str, dict[str, str], Any], Answer]:
    """What a scripted server says for a witness."""
    return Witnessing(name, world).say


def main() -> None:
    """Serve a witness at a port until killed; each request is a line of a file before it is answered."""
    name, world, port, file = sys.argv[1:]
    witness = Witnessing(name, Path(world))

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        if body is None:
            return Answer()
        with Path(file).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(body, sort_keys=True) + "\n")
        return Answer(witness.say(path, headers, body).body, after=0.1)

    with serving(say, int(port)):
        threading.Event().wait()


if __name__ == "__main__":
    main()
