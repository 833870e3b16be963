"""The answer processing of the official VQA evaluation, step by step, with its quirks.

    tidy      line feeds and tabs become spaces; both ends are stripped
    points    each mark of PUNCTUATION goes: without a trace where the text has it next to a space, or has a digit,
              a comma and a digit in a row anywhere; else a space takes its place. Then full stops that no digit
              follows go, but only the first 32 of them
    words     lower case; number words up to ten become digits (`none` is 0); a, an and the go; then contractions
              that lost an apostrophe get it back

The marks next to a space are looked for in the text as it came, not as earlier marks have left it. Apostrophes and
colons are no marks. Processing runs only where a question's annotators do not all agree; where they do, texts are
compared as they are but for `tidy`.
"""

import re
from collections.abc import Sequence

__all__ = ["process_answer", "process_answers", "tidy_answer"]

PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
STOPS = 32

_DIGIT_COMMA_DIGIT = re.compile(r"\d,\d")
_STOP = re.compile(r"\.(?!\d)")

NUMBERS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten".split())  # noqa: SIM905
} | {"none": "0"}

ARTICLES = frozenset({"a", "an", "the"})

# As they should be. Each is found with any one of its apostrophes missing. Forms with a capital I are not here: the
# official table has them, but the text is in lower case by then.
_CONTRACTED = """
ain't aren't can't could've couldn't couldn't've didn't doesn't don't hadn't hadn't've hasn't haven't he'd he'd've he's
how'd how'll how's isn't it'd it'd've it'll ma'am mightn't mightn't've might've mustn't must've needn't not've o'clock
oughtn't 'ow's'at shan't she'd've should've shouldn't shouldn't've somebody'd've somebody'll somebody's someone'd
someone'd've someone'll someone's something'd something'd've something'll that's there'd there'd've there're there's
they'd they'd've they'll they're they've 'twas wasn't we'd've we've weren't what'll what're what's what've when's
where'd where's where've who'd who'd've who'll who's who've why'll why're why's won't would've wouldn't wouldn't've
y'all y'all'll y'all'd've you'd you'd've you'll you're you've
""".split()  # noqa: SIM905

CONTRACTIONS = {
    word[:place] + word[place + 1 :]: word for word in _CONTRACTED for place in range(len(word)) if word[place] == "'"
} | {"somebody'd": "somebodyd"}  # The official table has this one the wrong way round.


def tidy_answer(text: str) -> str:
    """Line feeds and tabs as spaces, both ends stripped."""
    return text.replace("\n", " ").replace("\t", " ").strip()


def process_answer(text: str) -> str:
    """All steps on one answer."""
    return _words(_points(tidy_answer(text)))


def process_answers(prediction: str, answers: Sequence[str]) -> tuple[str, list[str]]:
    """A prediction and its question's answers as the official evaluation compares them."""
    tidied = [tidy_answer(answer) for answer in answers]
    if len(set(tidied)) <= 1:
        return tidy_answer(prediction), tidied
    return process_answer(prediction), [process_answer(answer) for answer in tidied]


def _points(text: str) -> str:
    number = _DIGIT_COMMA_DIGIT.search(text) is not None
    out = text
    for mark in PUNCTUATION:
        loose = number or f"{mark} " in text or f" {mark}" in text
        out = out.replace(mark, "" if loose else " ")
    return _STOP.sub("", out, count=STOPS)


def _words(text: str) -> str:
    numbered = (NUMBERS.get(word, word) for word in text.lower().split())
    return " ".join(CONTRACTIONS.get(word, word) for word in numbered if word not in ARTICLES)
