"""The scene as a whole, inside or outside, the sky and the hour.

is_inside, in_answer, out_answer; sunny, cloudy, daytime, weather, daytime_answer, sunny/cloudy.
"""

from voirdire.scorekeeping.propositions.attributes import COLOURS
from voirdire.scorekeeping.propositions.english import listed
from voirdire.scorekeeping.propositions.rule import Apply, Derived, Exchange, Rule, nonpolar, stated

# Not: is this indoors, is it outdoors. The authors' list lacks a comma between them.
_IS_INSIDE = frozenset(
    {"is it inside", "is it outside", "is it indoors", "is this inside", "is this outside", "is this outdoors"}
)
_WEATHER = (
    *(
        "what is the weather",
        "what's the weather like",
        "what does the weather look like",
        "what kind of weather is it",
    ),
    *("how is the weather", "how is weather", "how's the weather"),
)


def is_inside(exchange: Exchange) -> Derived | None:
    if exchange.question not in _IS_INSIDE:
        return None
    return stated(exchange, "the image", "is", exchange.question.split()[-1])


def _answered(subject: str, *answers: str, as_word: str = "") -> Apply:
    """A rule for answers that are one of these words."""

    def apply(exchange: Exchange) -> Derived | None:
        if exchange.answer not in answers:
            return None
        word = as_word or exchange.answer
        return nonpolar(f"{subject} is {word}", f"{subject} is not {word}")

    return apply


def _asked(word: str, *questions: str) -> Apply:
    """A rule for the questions that ask for one word."""

    def apply(exchange: Exchange) -> Derived | None:
        return stated(exchange, "it", "is", word) if exchange.question in questions else None

    return apply


def weather(exchange: Exchange) -> Derived | None:
    if not exchange.question.startswith(_WEATHER):
        return None
    words = [token.text for token in exchange.answer_tokens if token.pos == "ADJ" and token.text not in COLOURS]
    if "overcast" in exchange.answer and "overcast" not in words:
        words.append("overcast")
    if not words:
        return Derived(None, "the answer has no adjective of weather")
    return nonpolar(f"the weather is {listed(words)}", f"the weather is not {listed(words)}")


IS_INSIDE = Rule(
    "is_inside",
    "question",
    "is this outdoors, is it inside: the image is outdoors / is not outdoors",
    is_inside,
    """
    is this outdoors | yes | the image is outdoors. | the image is not outdoors.
    is it inside | no | the image is not inside. | the image is inside.
    is this outside | in a barn | nothing
    is this indoors | yes | no match
    is this inside or outside | inside | no match
    is the goat outside | yes | no match
    """,
)
IN_ANSWER = Rule(
    "in_answer",
    "answer",
    "the answer is inside or indoors: the image is inside / is not inside",
    _answered("the image", "inside", "indoors"),
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
    _answered("the image", "outside", "outdoors"),
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
    _asked(
        "sunny",
        *("is it sunny", "is it sunny out", "is it sunny outside", "is it a sunny day"),
        "does it appear to be a sunny day",
    ),
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
    _asked("cloudy", "is it cloudy", "is it cloudy out", "is it cloudy outside", "is it a cloudy day"),
    """
    is it cloudy | yes | it is cloudy. | it is not cloudy.
    is it cloudy out | not really | it is not cloudy. | it is cloudy.
    is it cloudy | partly | nothing
    is it sunny | yes | no match
    are the skies cloudy | yes | no match
    """,
)
DAYTIME = Rule(
    "daytime",
    "question",
    "is it daytime: it is daytime / it is not daytime",
    _asked("daytime", "is it daytime", "is it day time"),
    """
    is it daytime | yes | it is daytime. | it is not daytime.
    is it day time | no | it is not daytime. | it is daytime.
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
    how is weather looking | overcast | the weather is overcast. | the weather is not overcast.
    how is the weather | they are indoors | nothing
    is the weather good | yes | no match
    is it cold | yes | no match
    """,
)
DAYTIME_ANSWER = Rule(
    "daytime_answer",
    "answer",
    "the answer is day or daytime: it is daytime / it is not daytime",
    _answered("it", "day", "daytime", "day time", as_word="daytime"),
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
    _answered("it", "sunny", "cloudy", "overcast"),
    """
    is it sunny or cloudy | cloudy | it is cloudy. | it is not cloudy.
    how does the sky look | overcast | it is overcast. | it is not overcast.
    what is it like out | sunny | it is sunny. | it is not sunny.
    is it sunny or cloudy | rainy | no match
    is it sunny or cloudy | it is sunny | no match
    """,
)
