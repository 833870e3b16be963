"""The sky and the hour: sunny, cloudy, daytime, weather, daytime_answer, sunny/cloudy."""

import re
from collections.abc import Callable

from voirdire.scorekeeping.propositions.english import listed
from voirdire.scorekeeping.propositions.rule import Derived, Example, Rule, Turn, polar, said

__all__ = ["CLOUDY", "DAYTIME", "DAYTIME_ANSWER", "SKY_ANSWER", "SUNNY", "WEATHER"]

_ADJECTIVES = re.compile(
    r"\b(?:sunny|cloudy|clear|overcast|rainy|snowy|windy|foggy|hazy|stormy|warm|cold|cool|hot|nice|bright|dark|gloomy|"
    r"dreary|mild|calm|humid|wet|dry|beautiful|good|fair|chilly|misty|gray|grey|icy|breezy|pleasant|great|freezing|"
    r"lovely|perfect|fine)\b"
)
_WEATHER = re.compile(
    r"(?:how|what)(?:'s| is| does| was)? (?:the |kind of |type of )?weather(?: is it| look| like| look like| is it like"
    r"| outside| there| appear to be| seem| seem like)*"
)
_OUT = r"(?: out| outside| today| outdoors| there| in the (?:picture|photo|image))*"


def _fixed(word: str, forms: str) -> Callable[[Turn], Derived | None]:
    """A rule for the questions that ask for one word."""
    pattern = re.compile(forms + _OUT)

    def apply(turn: Turn) -> Derived | None:
        return polar(turn, f"it is {word}", f"it is not {word}") if pattern.fullmatch(turn.question) else None

    return apply


def _weather_forms(word: str) -> str:
    subject = "(?:is it|does it look|is the weather|is the day|is it a)"
    return rf"{subject} (?:very |bright and |nice and |really )?{word}(?: day)?"


def weather(turn: Turn) -> Derived | None:
    if not _WEATHER.fullmatch(turn.question):
        return None
    found = list(dict.fromkeys(_ADJECTIVES.findall(turn.answer)))
    if not found or re.search(r"\bnot\b|n't\b", turn.answer):
        return Derived(None, "the answer has no adjective of weather")
    return said(f"the weather is {listed(found)}", f"the weather is not {listed(found)}")


def daytime_answer(turn: Turn) -> Derived | None:
    if turn.answer not in ("day", "daytime", "day time"):
        return None
    return said("it is daytime", "it is not daytime")


def sky_answer(turn: Turn) -> Derived | None:
    if turn.answer not in ("sunny", "cloudy", "overcast"):
        return None
    return said(f"it is {turn.answer}", f"it is not {turn.answer}")


def _pair(word: str) -> tuple[str, str]:
    return f"it is {word}.", f"it is not {word}."


SUNNY = Rule(
    "sunny",
    "question",
    "is it sunny: it is sunny / it is not sunny",
    _fixed("sunny", _weather_forms("sunny")),
    (
        Example("is it sunny", "yes", _pair("sunny")),
        Example("is it sunny outside", "no", _pair("sunny")[::-1]),
        Example("is it a sunny day", "yes, very", _pair("sunny")),
        Example("is it sunny", "a little"),
        Example("is it sunny or cloudy", "sunny", matches=False),
        Example("is the beach sunny", "yes", matches=False),
    ),
)
CLOUDY = Rule(
    "cloudy",
    "question",
    "is it cloudy: it is cloudy / it is not cloudy",
    _fixed("cloudy", _weather_forms("cloudy")),
    (
        Example("is it cloudy", "yes", _pair("cloudy")),
        Example("is it cloudy out", "not really", _pair("cloudy")[::-1]),
        Example("is the weather cloudy", "yes", _pair("cloudy")),
        Example("is it cloudy", "partly"),
        Example("is it sunny", "yes", matches=False),
        Example("are the skies cloudy", "yes", matches=False),
    ),
)
DAYTIME = Rule(
    "daytime",
    "question",
    "is it daytime: it is daytime / it is not daytime",
    _fixed("daytime", r"(?:is it|does it look(?: like)?|is this|does it appear to be) (?:the )?day ?time"),
    (
        Example("is it daytime", "yes", _pair("daytime")),
        Example("is it day time", "no", _pair("daytime")[::-1]),
        Example("is it daytime outside", "yes", _pair("daytime")),
        Example("is it daytime", "evening"),
        Example("is it day", "yes", matches=False),
        Example("is it daytime or night", "day", matches=False),
    ),
)
WEATHER = Rule(
    "weather",
    "question",
    "how is the weather, and adjectives in the answer: the weather is X / is not X",
    weather,
    (
        Example("how is the weather", "sunny", ("the weather is sunny.", "the weather is not sunny.")),
        Example(
            "what is the weather like",
            "it looks cold and windy",
            ("the weather is cold and windy.", "the weather is not cold and windy."),
        ),
        Example("how's the weather", "warm, i think", ("the weather is warm.", "the weather is not warm.")),
        Example("how is the weather", "they are indoors"),
        Example("is the weather good", "yes", matches=False),
        Example("is it cold", "yes", matches=False),
    ),
)
DAYTIME_ANSWER = Rule(
    "daytime_answer",
    "answer",
    "the answer is day or daytime: it is daytime / it is not daytime",
    daytime_answer,
    (
        Example("is it night or day", "day", _pair("daytime")),
        Example("what time of day is it", "daytime", _pair("daytime")),
        Example("is it day or night", "Day.", _pair("daytime")),
        Example("is it day or night", "night", matches=False),
        Example("is it day", "yes it is day", matches=False),
    ),
)
SKY_ANSWER = Rule(
    "sunny/cloudy",
    "answer",
    "the answer is sunny, cloudy or overcast: it is sunny / it is not sunny",
    sky_answer,
    (
        Example("is it sunny or cloudy", "cloudy", _pair("cloudy")),
        Example("how does the sky look", "overcast", _pair("overcast")),
        Example("what is it like out", "sunny", _pair("sunny")),
        Example("is it sunny or cloudy", "rainy", matches=False),
        Example("is it sunny or cloudy", "it is sunny", matches=False),
    ),
)
