"""The scene as a whole, inside or outside, the sky and the hour.

is_inside, in_answer, out_answer; sunny, cloudy, daytime, weather, daytime_answer, sunny/cloudy.
"""

import re
from collections.abc import Callable

from voirdire.scorekeeping.propositions.english import listed
from voirdire.scorekeeping.propositions.rule import Derived, Example, Exchange, Rule, polar, said

_IS_INSIDE = re.compile(
    r"(?:is|was) (?:it|this|that|(?:the|this) (?:photo|picture|image|pic|photograph|scene|shot))"
    r"(?: (?:taken|located|set|shot|happening|being taken|photo|picture|image))* (?:a |an )?"
    r"(?P<where>inside|outside|indoors?|outdoors?)(?: (?:photo|picture|image|scene|shot|setting|photograph|pic|area))?"
)
_ADJECTIVES = re.compile(
    r"\b(?:sunny|cloudy|clear|overcast|rainy|snowy|windy|foggy|hazy|stormy|warm|cold|cool|hot|nice|bright|dark|gloomy|"
    r"dreary|mild|calm|humid|wet|dry|beautiful|good|fair|chilly|misty|gray|grey|icy|breezy|pleasant|great|freezing|"
    r"lovely|perfect|fine)\b"
)
_WEATHER = re.compile(
    r"(?:how|what)(?:'s| is| does| was)? (?:the |kind of |type of )?weather"
    r"(?: is it| is| looks?| looking| like| outside| out| there| today| appear| to be| seem)*"
    r"(?: in the (?:picture|photo|image))?"
)
_OUT = r"(?: out| outside| today| outdoors| there| in the (?:picture|photo|image))*"


def is_inside(exchange: Exchange) -> Derived | None:
    match = _IS_INSIDE.fullmatch(exchange.question)
    if match is None:
        return None
    where = {"indoor": "indoors", "outdoor": "outdoors"}.get(match["where"], match["where"])
    return polar(exchange, f"the image is {where}", f"the image is not {where}")


def _answered(*places: str) -> Callable[[Exchange], Derived | None]:
    def apply(exchange: Exchange) -> Derived | None:
        if exchange.answer not in places:
            return None
        return said(f"the image is {exchange.answer}", f"the image is not {exchange.answer}")

    return apply


def _fixed(word: str, forms: str) -> Callable[[Exchange], Derived | None]:
    """A rule for the questions that ask for one word."""
    pattern = re.compile(forms + _OUT)

    def apply(exchange: Exchange) -> Derived | None:
        return polar(exchange, f"it is {word}", f"it is not {word}") if pattern.fullmatch(exchange.question) else None

    return apply


def _weather_forms(word: str) -> str:
    subject = "(?:is it|does it look|is the weather|is the day|is it a)"
    return rf"{subject} (?:very |bright and |nice and |really )?{word}(?: day)?"


def weather(exchange: Exchange) -> Derived | None:
    if not _WEATHER.fullmatch(exchange.question):
        return None
    found = list(dict.fromkeys(_ADJECTIVES.findall(exchange.answer)))
    if not found or re.search(r"\bnot\b|n't\b", exchange.answer):
        return Derived(None, "the answer has no adjective of weather")
    return said(f"the weather is {listed(found)}", f"the weather is not {listed(found)}")


def daytime_answer(exchange: Exchange) -> Derived | None:
    if exchange.answer not in ("day", "daytime", "day time"):
        return None
    return said("it is daytime", "it is not daytime")


def sky_answer(exchange: Exchange) -> Derived | None:
    if exchange.answer not in ("sunny", "cloudy", "overcast"):
        return None
    return said(f"it is {exchange.answer}", f"it is not {exchange.answer}")


def _image_is(where: str) -> tuple[str, str]:
    return f"the image is {where}.", f"the image is not {where}."


def _it_is(word: str) -> tuple[str, str]:
    return f"it is {word}.", f"it is not {word}."


IS_INSIDE = Rule(
    "is_inside",
    "question",
    "is this outdoors, is the picture taken inside: the image is outdoors / is not outdoors",
    is_inside,
    (
        Example("is this outdoors", "yes", _image_is("outdoors")),
        Example("is the picture taken inside", "no", _image_is("inside")[::-1]),
        Example("is this an indoor scene", "yes", _image_is("indoors")),
        Example("is this outside", "in a barn"),
        Example("is this inside or outside", "inside", matches=False),
        Example("is the goat outside", "yes", matches=False),
    ),
)
IN_ANSWER = Rule(
    "in_answer",
    "answer",
    "the answer is inside or indoors: the image is inside / is not inside",
    _answered("inside", "indoors"),
    (
        Example("is this inside or outside", "inside", _image_is("inside")),
        Example("where was it taken", "indoors", _image_is("indoors")),
        Example("indoors or out", "Indoors.", _image_is("indoors")),
        Example("is this inside or outside", "outside", matches=False),
        Example("is this inside or outside", "inside a barn", matches=False),
    ),
)
OUT_ANSWER = Rule(
    "out_answer",
    "answer",
    "the answer is outside or outdoors: the image is outside / is not outside",
    _answered("outside", "outdoors"),
    (
        Example("is this inside or outside", "outside", _image_is("outside")),
        Example("where was it taken", "outdoors", _image_is("outdoors")),
        Example("indoors or out", "Outdoors.", _image_is("outdoors")),
        Example("is this inside or outside", "inside", matches=False),
        Example("is this inside or outside", "it is outside", matches=False),
    ),
)
SUNNY = Rule(
    "sunny",
    "question",
    "is it sunny: it is sunny / it is not sunny",
    _fixed("sunny", _weather_forms("sunny")),
    (
        Example("is it sunny", "yes", _it_is("sunny")),
        Example("is it sunny outside", "no", _it_is("sunny")[::-1]),
        Example("is it a sunny day", "yes, very", _it_is("sunny")),
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
        Example("is it cloudy", "yes", _it_is("cloudy")),
        Example("is it cloudy out", "not really", _it_is("cloudy")[::-1]),
        Example("is the weather cloudy", "yes", _it_is("cloudy")),
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
        Example("is it daytime", "yes", _it_is("daytime")),
        Example("is it day time", "no", _it_is("daytime")[::-1]),
        Example("is it daytime outside", "yes", _it_is("daytime")),
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
        Example("how is weather looking", "windy", ("the weather is windy.", "the weather is not windy.")),
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
        Example("is it night or day", "day", _it_is("daytime")),
        Example("what time of day is it", "daytime", _it_is("daytime")),
        Example("is it day or night", "Day.", _it_is("daytime")),
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
        Example("is it sunny or cloudy", "cloudy", _it_is("cloudy")),
        Example("how does the sky look", "overcast", _it_is("overcast")),
        Example("what is it like out", "sunny", _it_is("sunny")),
        Example("is it sunny or cloudy", "rainy", matches=False),
        Example("is it sunny or cloudy", "it is sunny", matches=False),
    ),
)
