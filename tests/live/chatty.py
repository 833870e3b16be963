"""A chatty model behind a scripted server that plays games: it talks around its questions, and listens to answers."""

import base64
import io
import re
from typing import Any

from PIL import Image
from scripted import Answer, chat

__all__ = ["Chatty", "picture_of", "text_of"]

BOX = re.compile(r"(?P<category>.+), from (?P<left>\d+) % to (?P<right>\d+) % of the width .*")
POINTED = re.compile(r"Think of (?:this: )?(.*?)\. ([^.]*\?) Answer with yes, no or n/a")
ASKED = (
    "Sure! Here is my question: Is it a person? I hope that helps.",
    'Thank you. My next one would be: "Is it on the left?" Let me know!',
    "Let me think about that for a moment.",
    "**Question 4:** Is it large?",
)
"""What it says in its turns; the third is no question."""


def text_of(message: dict[str, Any]) -> str:
    """The words of a message."""
    content = message["content"]
    return content if isinstance(content, str) else next(one["text"] for one in content if one["type"] == "text")


def picture_of(messages: list[dict[str, Any]]) -> bytes | None:
    """The picture that stands in them."""
    parts = [part for one in messages if isinstance(one["content"], list) for part in one["content"]]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return base64.b64decode(urls[0].partition(",")[2]) if urls else None


class Chatty:
    """Counts what it is asked by kind; `shown` are the pictures it was sent with questions about objects."""

    def __init__(self, asked: tuple[str, ...] = ASKED) -> None:
        self.asked = asked
        self.counts = {"ask": 0, "point": 0, "guess": 0, "sight": 0}
        self.shown: list[bytes | None] = []

    def __call__(self, path: str, headers: dict[str, str], body: Any) -> Answer:
        return Answer() if path.endswith("/models") else chat(self.say(body["messages"]))

    def say(self, messages: list[dict[str, Any]]) -> str:
        system, last = text_of(messages[0]), text_of(messages[-1])
        if "Say which object it is" in system:
            return self._guess(messages, last)
        if "Ask one question at a time" in system:
            self.counts["ask"] += 1
            (left,) = re.findall(r"You may ask (\d+) more", last)
            turns = max(self.turns, int(left))
            self.turns = turns
            return self.asked[(turns - int(left)) % len(self.asked)]
        if found := POINTED.search(last):
            self.counts["point"] += 1
            self.shown.append(picture_of(messages))
            thing, question = found.groups()
            return {True: "Yes, it is.", False: "No.", None: "Hard to say."}[_true(question, thing)]
        self.counts["sight"] += 1
        picture = picture_of(messages)
        if picture is None:
            return "I see no picture."
        with Image.open(io.BytesIO(picture)) as opened:
            return f"A picture with the colour {opened.convert('RGB').getpixel((112, 112))} in the middle."

    turns = 0

    def _guess(self, messages: list[dict[str, Any]], last: str) -> str:
        self.counts["guess"] += 1
        things = re.findall(r"^\d+\. (.*)$", last, re.MULTILINE)
        asked = [text_of(one) for one in messages if one["role"] == "assistant"]
        heard = [text_of(one).partition("\n")[0] for one in messages if one["role"] == "user"][1:]

        def wrong(thing: str) -> int:
            truths = {"yes": True, "no": False, "n/a": None}
            return sum(_true(q, thing) != truths[a] for q, a in zip(asked, heard, strict=True))

        number = min(range(len(things)), key=lambda place: wrong(things[place])) + 1
        return f"Let me see. I believe that the answer is number {number}, the {things[number - 1]}."


def _true(question: str, thing: str) -> bool | None:
    """By category and, where it is told, by the box."""
    box = BOX.match(thing)
    name = (box["category"] if box else thing).removeprefix("the ").removesuffix(" in the red box")
    if "left" in question:
        return int(box["left"]) + int(box["right"]) < 100 if box else None
    if "large" in question:
        return None
    return re.search(rf"\b{re.escape(name)}\b", question) is not None
