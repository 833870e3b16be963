"""The `it` that stands for no phrase: weather, time, place and light, the picture as a whole, and figures of speech.

is it sunny?    what time of day is it?    is it in color?    is it a park?    does it look like they are happy?
it's hard to tell    looks like it    is it a man or a woman?
"""

from collections.abc import Sequence

__all__ = ["is_empty"]

_SCENE = frozenset(
    {"sunny", "cloudy", "overcast", "rain", "raining", "rained", "rainy", "snow", "snowing", "snowy", "foggy", "windy"}
    | {"day", "daytime", "daylight", "night", "nighttime", "morning", "afternoon", "evening", "dusk", "dawn", "noon"}
    | {"summer", "winter", "fall", "spring", "autumn", "season", "weather", "time", "hot", "cold", "warm", "crowded"}
    | {"outside", "outdoors", "outdoor", "inside", "indoors", "indoor", "bright", "brightly", "lit", "well-lit", "dark"}
)
_PICTURE = frozenset(
    {"photo", "picture", "image", "pic", "photograph", "shot", "close", "close-up", "closeup", "watermarked", "zoomed"}
    | {"professional", "professionally", "blurry", "frame", "scene", "portrait", "selfie"}
)
_PLACES = frozenset(
    {"park", "restaurant", "city", "kitchen", "house", "zoo", "street", "market", "court", "room", "forest", "farm"}
    | {"beach", "bathroom", "bedroom", "store", "airport", "home", "place", "office", "school", "stadium", "museum"}
    | {"mall", "lot", "yard", "town", "suburb", "building", "hotel", "apartment", "neighborhood", "country", "field"}
    | {"garage", "stand", "bar", "shop", "cafe", "party", "station", "garden", "lake", "ocean", "river", "mountain"}
    | {"competition", "game", "event", "wild", "area", "water", "sports", "road", "habitat", "enclosure", "fair"}
    | {"resort", "campus", "library", "hospital", "bakery", "diner", "harbor", "intersection", "playground", "desert"}
    | {"jungle", "woods", "island", "village", "commercial"}
)
_GENDERS = frozenset({"man", "woman", "boy", "girl", "male", "female", "person", "people", "just"})
_SEEM = frozenset({"look", "looks", "seem", "seems", "appear", "appears", "sound", "sounds"})
_ENDS = frozenset({",", "but", "?", ".", "!", "so", "because", "-"})


def is_empty(words: Sequence[str], place: int) -> bool:
    """Whether the `it` at this place of a piece (in lower case) stands for no phrase."""
    rest = list(words[place + 1 :])
    for at, word in enumerate(rest):
        if word in _ENDS:
            rest = rest[:at]
            break
    after, before = set(rest), set(words[:place])
    if after & (_SCENE | _PICTURE | _PLACES | _GENDERS) or before & {"time", "season", "room"}:
        return True
    if before & {"part"} and "day" in before:
        return True
    # `in color`, `a color photo`; but `what color is it` has its colour in front.
    if after & {"color", "colour", "colored"}:
        return True
    # `it looks like they …`, `does it look like the stove is on`
    if _SEEM & set(rest[:3]) and after & {"there", "they", "he", "she", "you", "is", "are"}:
        return True
    if rest and rest[-1] == "be":
        return True
    if rest and rest[0] in _SEEM and place and words[place - 1] == "so":
        return True
    # `looks like it`, `that's pretty much it`
    if not rest and place and words[place - 1] in ("like", "much", "about", "make"):
        return True
    if not rest and list(words[max(0, place - 2) : place]) in (["that", "is"], ["that", "'s"]):
        return True
    return not after.isdisjoint({"hard", "difficult", "out", "far", "show"})
