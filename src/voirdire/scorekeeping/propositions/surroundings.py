"""The scene as a whole, inside or outside, the sky and the hour.

is_inside, in_answer, out_answer; sunny, cloudy, daytime, weather, daytime_answer, sunny/cloudy.
"""

import re
from collections.abc import Callable

from voirdire.scorekeeping.propositions.english import listed
from voirdire.scorekeeping.propositions.rule import Derived, Exchange, Rule, nonpolar, polar

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
        return nonpolar(f"the image is {exchange.answer}", f"the image is not {exchange.answer}")

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
    return nonpolar(f"the weather is {listed(found)}", f"the weather is not {listed(found)}")


def daytime_answer(exchange: Exchange) -> Derived | None:
    if exchange.answer not in ("day", "daytime", "day time"):
        return None
    return nonpolar("it is daytime", "it is not daytime")


def sky_answer(exchange: Exchange) -> Derived | None:
    if exchange.answer not in ("sunny", "cloudy", "overcast"):
        return None
    return nonpolar(f"it is {exchange.answer}", f"it is not {exchange.answer}")


IS_INSIDE = Rule(
    "is_inside",
    "question",
    "is this outdoors, is the picture taken inside: the image is outdoors / is not outdoors",
    is_inside,
    """
    is this outdoors | yes | the image is outdoors. | the image is not outdoors.
    is the picture taken inside | no | the image is not inside. | the image is inside.
    is this an indoor scene | yes | the image is indoors. | the image is not indoors.
    is this outside | in a barn | nothing
    is this inside or outside | inside | no match
    is the goat outside | yes | no match
    """,
)
IN_ANSWER = Rule(
    "in_answer",
    "answer",
    "the answer is inside or indoors: the image is inside / is not inside",
    _answered("inside", "indoors"),
    """
    is this inside or outside | inside | the image is inside. | the image is not inside.
    where was it taken | indoors | the image is indoors. | the image is not indoors.
    indoors or out | Indoors. | the image is indoors. | the image is not indoors.
    is this inside or outside | outside | no match
    is this inside or outside | inside a barn | no match
    """,
)
OUT_ANSWER = Rule(
    "out_answer",
    "answer",
    "the answer is outside or outdoors: the image is outside / is not outside",
    _answered("outside", "outdoors"),
    """
    is this inside or outside | outside | the image is outside. | the image is not outside.
    where was it taken | outdoors | the image is outdoors. | the image is not outdoors.
    indoors or out | Outdoors. | the image is outdoors. | the image is not outdoors.
    is this inside or outside | inside | no match
    is this inside or outside | it is outside | no match
    """,
)
SUNNY = Rule(
    "sunny",
    "question",
    "is it sunny: it is sunny / it is not sunny",
    _fixed("sunny", _weather_forms("sunny")),
    """
    is it sunny | yes | it is sunny. | it is not sunny.
    is it sunny outside | no | it is not sunny. | it is sunny.
    is it a sunny day | yes, very | it is sunny. | it is not sunny.
    is it sunny | a little | nothing
    is it sunny or cloudy | sunny | no match
    is the beach sunny | yes | no match
    """,
)
CLOUDY = Rule(
    "cloudy",
    "question",
    "is it cloudy: it is cloudy / it is not cloudy",
    _fixed("cloudy", _weather_forms("cloudy")),
    """
    is it cloudy | yes | it is cloudy. | it is not cloudy.
    is it cloudy out | not really | it is not cloudy. | it is cloudy.
    is the weather cloudy | yes | it is cloudy. | it is not cloudy.
    is it cloudy | partly | nothing
    is it sunny | yes | no match
    are the skies cloudy | yes | no match
    """,
)
DAYTIME = Rule(
    "daytime",
    "question",
    "is it daytime: it is daytime / it is not daytime",
    _fixed("daytime", r"(?:is it|does it look(?: like)?|is this|does it appear to be) (?:the )?day ?time"),
    """
    is it daytime | yes | it is daytime. | it is not daytime.
    is it day time | no | it is not daytime. | it is daytime.
    is it daytime outside | yes | it is daytime. | it is not daytime.
    is it daytime | evening | nothing
    is it day | yes | no match
    is it daytime or night | day | no match
    """,
)
WEATHER = Rule(
    "weather",
    "question",
    "how is the weather, and adjectives in the answer: the weather is X / is not X",
    weather,
    """
    how is the weather | sunny | the weather is sunny. | the weather is not sunny.
    what is the weather like | it looks cold and windy
        | the weather is cold and windy. | the weather is not cold and windy.
    how's the weather | warm, i think | the weather is warm. | the weather is not warm.
    how is weather looking | windy | the weather is windy. | the weather is not windy.
    how is the weather | they are indoors | nothing
    is the weather good | yes | no match
    is it cold | yes | no match
    """,
)
DAYTIME_ANSWER = Rule(
    "daytime_answer",
    "answer",
    "the answer is day or daytime: it is daytime / it is not daytime",
    daytime_answer,
    """
    is it night or day | day | it is daytime. | it is not daytime.
    what time of day is it | daytime | it is daytime. | it is not daytime.
    is it day or night | Day. | it is daytime. | it is not daytime.
    is it day or night | night | no match
    is it day | yes it is day | no match
    """,
)
SKY_ANSWER = Rule(
    "sunny/cloudy",
    "answer",
    "the answer is sunny, cloudy or overcast: it is sunny / it is not sunny",
    sky_answer,
    """
    is it sunny or cloudy | cloudy | it is cloudy. | it is not cloudy.
    how does the sky look | overcast | it is overcast. | it is not overcast.
    what is it like out | sunny | it is sunny. | it is not sunny.
    is it sunny or cloudy | rainy | no match
    is it sunny or cloudy | it is sunny | no match
    """,
)
