r"""The short answer inside a sentence: "Yes, it is." → yes, "There are two dogs in the image." → 2.

The rule, version 3, takes the steps below in this order, on the text alone: neither the question nor anybody's answer
is looked at. A text that no step fits is left as it is, to the letter.

    object      of an object of JSON, the answer in it (`text.json_answers`); true and false are yes and no
    paragraph   marks of Markdown, quotes around words and emoji go, and \boxed{} around an answer; what stands after
                the first line break goes; a first line that ends with a colon goes where a single line follows it
    repeated    a question at the beginning, where something follows it: "Is it red? Yes." And "A:" before the answer
    reasons     where the text does not begin with yes or no, what stands before its last "the answer is", "answer:"
                at the beginning of a sentence, or before a last sentence "Therefore, …" of at most six words
    opening     "Sure!", "Certainly,", "Therefore,"; "Based on the image,", "Looking at the picture,", "In this photo,",
                "From what I can see,"; "I am not sure, but", "It is hard to say, but"
    sentence    what stands after the first full stop or exclamation mark goes, and the mark
    yes, no     that word alone, where a comma, or a pronoun and a verb, or nothing follows it, or where it ends
                behind a comma what begins with a pronoun; "there is no …", "there are not any …", "I don't see any …"
                and "no … is visible" are no
    prefix      "the answer is", "answer:", "colour:", "it is", "they are", "there are", "I can see", "the image shows",
                "I think", "probably", …, as often as there is one; then "the bus is …", a noun phrase of at most eight
                words
    number      alone after "there are", "I can see", "the image shows", or before "can be seen" and the like, unless a
                unit follows it: "there are two dogs" is 2, "it is 20 feet" is 20 feet; so it is before a colon
    clause      what begins with a comma and a word that opens a clause (which, as, but, because, it, …), with a
                semicolon, a dash or a bracket goes; so does "in the middle of the picture" and the like, and where a
                prefix or an article went, any place (in, on, with, near, …) that follows something, but not right
                after a word in -ing: "talking on the phone"
    words       "are visible" and the like go from the end; lower case; a, an, the go from the beginning; number words
                below a hundred become digits

A text is taken for a sentence only where it has a capital letter, ends with a mark or has a line break; without these
only yes, no and a prefix count, so that short answers in lower case, lists with commas ("red, white and blue") and
"no smoking" stay as they are. Where the steps would leave nothing, or "not …" or "so" behind a prefix, the
text stays. So does a list of several lines, an apology, and what says that a picture does not tell.
"""

import re

from voirdire.text.json_answers import json_answer
from voirdire.text.tokens import number_words

RULE = "short-answer-3"
"""The rule's name and version; a figure that depends on it says so."""

MOST = 2000
"""Characters of a text that are looked at; an answer stands in front."""
LEFT = frozenset({"not", "n't", "so"})
"""What a text behind a prefix may not begin with to be an answer by itself: "it is not", "I think so"."""
WORDS = 4
"""The fewest words of a text that counts as a sentence for its capital letter and its mark."""
ROUNDS = 6
"""How many prefixes may stand one after the other."""

NUMBERS = {number_words(str(value)): str(value) for value in range(100)}
NUMBERS |= {words.replace(" ", "-"): digits for words, digits in NUMBERS.items()}

_NUMBER_WORDS = "|".join(sorted(NUMBERS, key=len, reverse=True))
_PICTURE = r"(?:image|picture|photo|photograph|scene|snapshot|visual|question|information|context)s?"
_PRONOUN = r"(?:it|there|they|he|she|i|we|you|this|that|these|those|the|his|her|its|their)"
_VERB = r"(?:is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|may|might|should|seems?|appears?|looks?)"
_BE = (
    r"(?:is|are|was|were|'s|'re|would be|could be|may be|might be|must be|(?:appears?|seems?) (?:to be|like|as)|"
    r"(?:appears?|seems?)|looks? (?:to be|like)|looks?|shows?|reads?|says?)"
)
_HEDGE = (
    rf"(?:(?:about|approximately|around|roughly|at least)(?= (?:\d|(?:{_NUMBER_WORDS})\b))|"
    r"probably|(?:most )?likely|possibly|clearly|currently|definitely|actually|simply|just|indeed|also|called|named)"
)
_SEE = r"(?:see|count|spot|observe|identify|make out|find|notice)"

_BOXED = re.compile(r"\$?\\boxed\{(?:\\text\{)?([^{}]+)\}?\}\$?")
_EMOJI = re.compile("[\u2600-\u27bf\U0001f000-\U0001faff\u200b-\u200d\ufe0f]+")
_ITEM = re.compile(r"\s*(?:[-•*+]|\d+[.)])\s+\S")
_NUMBERED = re.compile(r"^\s*1[.)]\s+(?=(?:yes|no)\b)", re.IGNORECASE)
_APOLOGY = re.compile(
    rf"(?:i'm |i am )?sorry\b|i apologi[sz]e\b|(?:the|this) {_PICTURE} (?:does not|doesn't|do not|don't)\b"
)
_MARKDOWN = re.compile(r"[*`\"“”]+|(?<!\w)_+|_+(?!\w)|^\s*(?:#+|[-•>])\s+", re.MULTILINE)
_STOP = re.compile(r"(?<!\b[a-z])(?<!\bst)(?<!\bmr)(?<!\bdr)(?<!\bmrs)[.!?]+(?=\s|$)")
_ASKS = (
    r"(?:(?:q|question)\s*:|(?:you (?:asked|ask|want to know)|what|which|who|whose|where|when|why|how|is|are|was|were|"
    r"do|does|did|can|could|has|have|had|will|would|should|any)(?:'s|'re|n't)?\b)"
)
_REPEATED = re.compile(rf"\s*{_ASKS}[^?\n]*\?'?(?=\s)(?:[^?\n]*\?'?(?=\s))*\s*(?:[-–—:]+\s+)?(?=\S)", re.IGNORECASE)
_LABEL = re.compile(r"a:\s+(?=\S)", re.IGNORECASE)
_CONCLUDES = r"(?:so|therefore|thus|hence|then|in conclusion|in short|overall|finally)"
_ANSWER_IS = re.compile(
    rf"(?:^|[.!?:,\n])\s*(?:{_CONCLUDES},?\s+)?(?P<rest>(?:(?:the|my)\s+)?(?:(?:final|short|correct|best|right)\s+)?"
    r"answer(?::|\s+is:?|\s+would be|\s+must be|\s+should be)\s+\S)",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(rf"[.!?\n]\s*(?P<rest>{_CONCLUDES},?:?\s+(?:[^\s]+\s*){{1,6}})$", re.IGNORECASE)
_OPENINGS = (
    re.compile(r"(?:sure(?: thing)?|certainly|of course|absolutely|great question|okay|ok|well|hello|hi)\s*[,.!:]+\s*"),
    re.compile(r"(?:therefore|thus|hence|so|in conclusion|overall),\s*"),
    re.compile(
        r"(?:i am|i'm|it is|it's)(?: [\w']+){0,2}? (?:sure|certain|hard|difficult|tricky|unclear|confident)\b"
        r"[^,.!?]{0,40}, but (?!it \w+(?: like it| so)?$)"
    ),
    re.compile(r"(?:from what|as far as) (?:i|we|you|one) can (?:see|tell),\s*"),
    re.compile(
        rf"(?:based on|looking at|judging (?:by|from)|according to|from|in|given|as seen in|as shown in|within)\s"
        rf"(?:[\w' ]{{0,40}}\s)?{_PICTURE}(?:\s[\w' ]{{0,30}})?,\s*"
    ),
)
_YES_NO = re.compile(
    rf"(?P<word>yes|no|(?:yeah|yep|yup|nope)(?!$))(?:$|\s*[,;:]|\s[-–—]|\s{_PRONOUN}(?:\s(?:\w+\s)?{_VERB}(?:n't)?\b|'s\b|'re\b))"
)
_YES_NO_LAST = re.compile(rf"(?:{_PRONOUN}\b.*|probably not|probably)[,:]\s*(?:so )?(?P<word>yes|no)$")
_NONE = re.compile(
    r"there(?: is|'s| are| were| was| appears? to be| seems? to be) (?:no|not any)\b"
    r"|there (?:is not|isn't|are not|aren't|was not|wasn't|were not|weren't) an?y?\b"
    rf"|i (?:do not|don't|can't|cannot) see an?y? (?!{_PICTURE}\b)"
)
_NONE_SEEN = re.compile(
    rf"no(?: [\w'-]+){{1,4}} (?:is|are|can be) (?:visible|shown|present|seen|(?:in|on) (?:the|this) {_PICTURE})\b"
)
SAYS, COUNTS = "says", "counts"
"""What a prefix tells: what something is, or what there is; only behind the latter a number stands for itself."""
_PREFIXES = (
    (
        re.compile(
            rf"(?:the |my |your )?(?:[\w-]+ )?(?:[\w-]+ )?answer(?: to [\w' ]{{1,60}})?(?::| {_BE}(?: that)?:?)\s*"
        ),
        SAYS,
    ),
    (
        re.compile(r"(?:colou?rs?|objects?|type|kind|material|location|time|weather|sport|animal|number|count):\s+"),
        SAYS,
    ),
    (re.compile(rf"there ?{_BE}(?!\w)\s*(?:only (?=(?:\d|{_NUMBER_WORDS})\b))?"), COUNTS),
    (re.compile(rf"(?:i|we|you|one)(?: can| could| may)?(?: clearly| only| also)? {_SEE}\s+"), COUNTS),
    (
        re.compile(rf"(?:the|this) {_PICTURE} (?:shows?|depicts?|contains?|features?|displays?|has|includes?)\s+"),
        COUNTS,
    ),
    (re.compile(rf"(?:it|they|he|she|this|that|these|those) ?{_BE}(?!\w)\s*"), SAYS),
    (re.compile(r"(?:looks?|seems?|appears?) (?:like|to be)\s+"), SAYS),
    (re.compile(r"(?:i|we)(?:'d| would)? (?:think|believe|guess|say|assume|suppose)(?: that)?\s+"), SAYS),
    (re.compile(rf"{_HEDGE}\s+"), ""),
    (re.compile(r"an? (?:total|group|photo|photograph|picture|image) of\s+"), ""),
    (re.compile(rf"(?:the|this|that|these|those|his|her|their|its)(?: [\w'-]+){{1,8}}? {_BE}(?!\w)\s*"), SAYS),
)
_NUMBER = re.compile(rf"(?P<number>\d+|{_NUMBER_WORDS})(?![\w.,:/-]*\d)(?! \d)(?![\w-])")
_SEEN = re.compile(
    rf"(?:can be seen|(?:is|are) (?:visible|shown|present|seen|there|in|on|at)|in (?:the|this) {_PICTURE})\b"
)
_CLAUSE = re.compile(
    r"\s*,\s*(?:which|that|who|where|as|but|because|since|although|though|while|so|however|not|it|they|there|he|she|i|"
    r"you|one (?:is|of|can|could|may|might|would)|and (?:it|they|there|he|she|i|the)|judging|suggesting|indicating|"
    r"given|based|making|possibly|probably|likely|specifically|especially|with|in|on|at|\w+ing \w+)\b.*"
    r"|\s*[;(].*|\s[-–—]\s.*|\s*—.*"
)
_PLACE = re.compile(
    r"(?<=\w)\s+(?:(?:parked|sitting|standing|lying|located|placed|visible|shown|hanging|resting|mounted|seen|pictured|"
    r"displayed)(?:\s+(?=in|on|at|near|behind|under|next|beside|by|from|with|against|along|across|inside|over|above)|$)|"
    r"(?:in|on|at|near|behind|under|next to|beside|by|with|against|along|across|inside|outside|above|below|during|"
    r"while|because|since|that|which|who|where)\s).*"
)
_IN_PICTURE = re.compile(
    rf"(?<=\w)\s+(?:in|on|at|from|of|within) (?:the|this) (?:[\w-]+ ){{0,2}}?"
    rf"(?:{_PICTURE}|middle|cent(?:er|re)|background|foreground|corner|left|right|side)\b.*"
)
_MEASURED = re.compile(
    r"[\w-]+ (?:feet|foot|ft|inch(?:es)?|meters?|metres?|miles?|mph|years?|hours?|minutes?|pounds?|dollars?|cents?|"
    r"percent|degrees|o'?clock|am|pm|a\.m|p\.m|st|nd|rd|th)\b"
)
_DANGLING = re.compile(r"(?<=\w) (?:(?:is|are|was|were|can be) (?:visible|shown|present|seen)|is|are|was|were)$")
_TAIL = re.compile(r"\s+(?:in total|altogether|visible|present|here|there|to me)$")
_ARTICLE = re.compile(r"(?:an?|the)\s+")
TRUTH = {"true": "yes", "false": "no"}
"""What the truth values of JSON answer."""
ARTICLES = frozenset({"a", "an", "the"})
_MARKS = re.compile(r"[^\w']+|(?<!\w)'|'(?!\w)")


def short_answer(text: str) -> str:
    """The short answer in a text, or the text itself where the rule finds none."""
    if inside := (json_answer(text[:MOST]) or "").strip():
        return TRUTH.get(inside.lower()) or short_answer(inside)
    marked, boxed = _BOXED.subn(r"\1", _EMOJI.sub("", text[:MOST].replace("’", "'")))
    if sum(_ITEM.match(line) is not None for line in marked.splitlines()) > 1:
        return text
    plain = _NUMBERED.sub("", _MARKDOWN.sub("", marked)).strip()
    paragraph, _, after = (part.strip() for part in _without_reasons(plain).partition("\n"))
    if paragraph.endswith(":") and after:
        if "\n" in after:
            return text
        paragraph = after
    rest = " ".join(paragraph.lower().split())
    sentence = bool(boxed) or paragraph != plain or paragraph != paragraph.lower() or rest.endswith((".", "!"))
    rest = _without_openings(rest)
    if stop := _STOP.search(rest):
        sentence = sentence or stop.end() < len(rest)
        if rest[stop.start()] != "?":
            rest = rest[: stop.start()]
    rest = rest.rstrip(" .!")
    if _APOLOGY.match(rest):
        return text
    if match := _YES_NO.match(rest):
        return "yes" if match["word"].startswith("y") else "no"
    if _NONE.match(rest) or (sentence and _NONE_SEEN.match(rest)):
        return "no"
    if match := _YES_NO_LAST.match(rest):
        return match["word"]
    behind, prefix = _without_prefixes(rest)
    if not (sentence or prefix):
        return text
    rest = behind
    if match := _YES_NO.match(rest):
        return "yes" if match["word"].startswith("y") else "no"
    if article := _ARTICLE.match(rest):
        rest = rest[article.end() :]
    number = _NUMBER.match(rest)
    counts = number and (prefix == COUNTS or _SEEN.search(rest) or rest[number.end() :].startswith(": "))
    if number and counts and not _MEASURED.match(rest):
        return NUMBERS.get(number["number"], number["number"])
    rest = _DANGLING.sub("", _IN_PICTURE.sub("", _CLAUSE.sub("", rest)))
    if prefix or article:
        rest = _TAIL.sub("", _without_place(rest))
    short = rest.strip(" ,:")
    if len(short) > 2 and short[0] == short[-1] == "'":
        short = short[1:-1]
    if not short or (prefix and short.split()[0] in LEFT):
        return text
    return NUMBERS.get(short, short)


def is_sentence(text: str, short: str) -> bool:
    """Whether an answer is a sentence: the rule took words from it, or it is written as one.

    Articles, marks and letter case are no words, and a number in words is as good as one in digits: "Red." and "A dog"
    are no sentences. Written as one is what has a capital letter in front, a mark at the end and at least four words.
    """
    if _bare(text) != _bare(short):
        return True
    stripped = text.strip()
    return stripped[:1].isupper() and stripped.endswith((".", "!")) and len(_bare(text)) >= WORDS


def _bare(text: str) -> list[str]:
    """The words without letter case, marks and articles, numbers as digits."""
    words = _MARKS.sub(" ", text.lower().replace("’", "'")).split()
    return [NUMBERS.get(word, word) for word in words if word not in ARTICLES]


def _without_reasons(text: str) -> str:
    """The text without a question that it repeats first, and without what stands before its answer or conclusion."""
    repeated = _REPEATED.match(text)
    if repeated and "?" not in text[repeated.end() :]:
        text = _LABEL.sub("", text[repeated.end() :], count=1)
    if _YES_NO.match(text.lower().rstrip(" .!")):
        return text
    found = [*_ANSWER_IS.finditer(text)][-1:] or [*_CONCLUSION.finditer(text)]
    return text[found[0].start("rest") :] if found else text


def _without_openings(text: str) -> str:
    for opening in _OPENINGS:
        if (match := opening.match(text)) and match.end() < len(text):
            text = text[match.end() :]
    return text


def _without_prefixes(text: str) -> tuple[str, str]:
    """The text behind all its prefixes, and the kind of the last that is a sign of a sentence, if there is one.

    Short answers have "about 5", too: such a word alone is no sign.
    """
    rest, last = text, ""
    for _ in range(ROUNDS):
        matches = [(match, kind) for prefix, kind in _PREFIXES if (match := prefix.match(rest))]
        if not matches or matches[0][0].end() == len(rest):
            break
        match, kind = matches[0]
        rest, last = rest[match.end() :], kind or last
    return rest, last


def _without_place(text: str) -> str:
    """Where something is does not belong to what it is, but "talking on the phone" is one thing."""
    match = _PLACE.search(text)
    if match is None or re.fullmatch(r"\w+ing", text[: match.start()]):
        return text
    return text[: match.start()]
