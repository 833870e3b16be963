"""Read a model's reply: yes, no or n/a, the number of an object, a question. Each rule is stated; none guesses.

a thought   what stands before </think>, or in a part of its own, is no answer; nor is what follows a <think> without
            an end. Of the rest only what stands between <answer> and </answer> counts, where these are present
a refusal   in words: an apology for what cannot be done, "I can't assist", "as an AI", or that no picture is there to
            be seen; "I can't tell" is an answer
yes or no   the first word, where it is one of these ("true" and "correct" are yes); else what stands after a label
            ("Answer:", "the verdict is") or alone in a line, where all such agree; else the only one of the two that
            is in the text. There "not" right before it reverses it, and what is no answer does not count: "no"
            before a noun ("no idea"), what follows "whether" or "if". None where there is none, where both are present
            ("yes and no"), or where it is "not quite" so
n/a         "n/a", "not applicable", "does not apply"
a number    the only one after a label or alone in a line; else that with which the text begins, where it ends there, or
            a sign follows; else the only number from 1 to n in it; else the only object whose category is named
a question  of the sentences that end in a question mark those that do not begin with "what", "which", "how", …, if
            there are any, as yes or no must answer it; of these the first behind a label ("My question:"), else the
            first; without quotes, or a number, a label, an "Okay," or an "I am not sure, but" before it. Without a
            question mark the first line that begins as a yes/no question does (is, are, does, …); else there is none
the end     "ready" alone, or READY as the last word
a label     one of some given words: the first word, where no "or" follows; else what stands after "Answer:" or alone in
            a line, where all such agree; else the only one in the text, without what is asked back ("… true or
            false?") and what follows "whether" or "if". None where "not" is right before it
a likelihood  the label that has more of the first token's probability than the others, where all labels together have
            at least a stated share of it: a token that reads as none of them has been found likelier otherwise

Of an object of JSON only the answer in it is read (`text.json_answers`).
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

_THOUGHT = r"(?:think|thinking|thought|reasoning)"
_OPENED = re.compile(rf"\s*(?:<{_THOUGHT}>|◁think▷|<\|channel\|>analysis<\|message\|>)", re.IGNORECASE)
_CLOSED = re.compile(rf"</{_THOUGHT}>|◁/think▷|<\|channel\|>final<\|message\|>", re.IGNORECASE)
_ENVELOPE = re.compile(
    r"<answer>(?P<tag>.*?)(?:</answer>|$)|<\|begin_of_box\|>(?P<box>.*?)(?:<\|end_of_box\|>|$)",
    re.IGNORECASE | re.DOTALL,
)
_LEFTOVER = re.compile(r"<\|(?:end|return|im_end|eot_id|endoftext|end_of_box|begin_of_box)\|>\s*$|<end_of_turn>\s*$")
_CANNOT = r"(?:can(?:no|')t|can not|could(?: not|n't)|am (?:not able|unable)|'m (?:not able|unable)|won't|will not)"
_PICTURE = r"(?:image|picture|photo|photograph|attachment|visual)s?"
_DECLINES = re.compile(
    rf"(?:i'm sorry|i am sorry|sorry|i apologi[sz]e|my apologies|unfortunately)\b[^.!?]*\b{_CANNOT}\b"
    rf"|i ?{_CANNOT} (?:to )?(?:assist|help|comply|fulfil|provide|discuss|engage|answer (?:that|this))\b"
    rf"|(?:i'm sorry[^.!?]*?)?as an? (?:ai|language model|text-based)\b"
    rf"|i(?: do not| don't| ?{_CANNOT}) (?:to )?(?:directly )?"
    rf"(?:see|view|access|have|analy[sz]e|process)(?: to)? (?:an?y? |the |any actual |your )?{_PICTURE}\b"
    rf"|(?:there is|there's|i see) no {_PICTURE} (?:attached|provided|included|here|in your message)\b"
)
_YES_NO = re.compile(r"[a-z]+(?:'[a-z]+)?")
YES = frozenset({"yes", "yeah", "yep", "yup", "true", "correct"})
NO = frozenset({"no", "nope", "nah", "false", "incorrect"})
YES_NO: Mapping[str, Collection[str]] = {"yes": YES, "no": NO}
"""The words that are read as yes and as no."""
_YES_OR_NO = re.compile(
    r"(?:(?P<not>\bnot|n't|\bcannot|\bnever)(?P<between>(?: [a-z]+){0,2}?) )?"
    rf"\b(?P<word>{'|'.join(sorted(YES | NO))})\b"
)
_NOUN = re.compile(r" (?!because\b|since\b|as\b|it\b|they\b|there\b|this\b|that\b|the\b|he\b|she\b|but\b|i\b)[a-z]")
"""What may not follow a no inside a sentence."""
_OPEN = re.compile(r"\b(?:whether|if)\b[^.,;!?]*")
_ASKED_BACK = re.compile(r"[^.!?\n]*\?")
_NEITHER = re.compile(r"^\W*(?:yes (?:and|or) no|no (?:idea|clue|way to))\b")
_NOT_APPLICABLE = re.compile(r"\bn\s*/\s*a\b|\bnot applicable\b|\bdoes(?: not|n't) apply\b")
_NUMBER = re.compile(r"(?<![\w.])\d+(?!\w|\s*%|\.\d)")
_FIRST = re.compile(r"\W*(?:(?:object|number)\s+)?(\d+)(?=\W*$|[.,:;)]\D|\n)", re.IGNORECASE)
_ANSWERED = (
    r"^(?:[^\w\n]|_)*({value})(?:[^\w\n]|_)*$"
    r"|\b(?:answer|verdict|conclusion|judge?ment|guess|choice)[\"'*_ ]*(?:\bis\b|[:=])[\W_]*"
    r"(?:(?:object|number)\s+)?({value})(?![\w/])(?! or\b| and\b)"
)
_EITHER = re.compile(
    _ANSWERED.format(value=rf"{'|'.join(sorted((YES | NO) - {'no'}))}|no(?!{_NOUN.pattern})"), re.MULTILINE
)
_PLACE = re.compile(_ANSWERED.format(value=r"\d{1,8}(?!\.\d|\s*%)"), re.MULTILINE | re.IGNORECASE)
_LABEL = re.compile(r"^\s*(?:\d+[.)]\s*|[-*#>]+\s*|(?:next )?question\s*\d*\s*[:.]\s*)+", re.IGNORECASE)
_LEAD = re.compile(r"^(?:(?:okay|ok|sure|alright|all right|well|great|hmm|so|now)[,!.]\s+)+", re.IGNORECASE)
_QUOTES = "\"'“”‘’`*_ "
_SENTENCE = re.compile(r"[.!][\"'”’)*]*\s+(?=[\"'“‘`*]?[A-Z])|:[*_]*\s+")
"""What a sentence begins after, beside a line."""
_ASKED = re.compile(r"[^?]+\?+")
_HEDGED = re.compile(r"[^?]{0,80}, (?:but|so) (?=\w)", re.IGNORECASE)
_QUESTION_LABEL = re.compile(r"\b(?:question|ask)[^.!?:]{0,30}:[\W_]*$", re.IGNORECASE)
_OPEN_QUESTION = re.compile(r"(?:what|which|who|whom|whose|where|when|why|how)\b", re.IGNORECASE)
_READY = re.compile(r"\bREADY[^\w?]*$")
_QUOTED = re.compile(r"[\"“‘`*]([^\"“‘`*]+\?)[\"”’`*]")
_YES_NO_QUESTION = re.compile(
    r"(?:is|are|was|were|am|do|does|did|can|could|has|have|had|will|would|should|may|might|must)(?:n't)?\b",
    re.IGNORECASE,
)


def split_thought(text: str) -> tuple[str, str]:
    """The answer, and the reasoning before it."""
    if ends := list(_CLOSED.finditer(text)):
        thought, aloud = _OPENED.sub("", text[: ends[-1].start()], count=1), text[ends[-1].end() :]
    elif opened := _OPENED.match(text):
        return "", text[opened.end() :].strip()
    else:
        thought, aloud = "", text
    envelopes = [match for match in _ENVELOPE.finditer(aloud) if (match["tag"] or match["box"] or "").strip()]
    if len(envelopes) == 1:
        aloud = envelopes[0]["tag"] or envelopes[0]["box"]
    return _LEFTOVER.sub("", aloud).strip(), thought.strip()


def declines(text: str) -> bool:
    """Whether the text says that the model will not or cannot answer at all; such a text is kept as it is."""
    return _DECLINES.match(" ".join(text[:400].lower().replace("’", "'").split())) is not None


def read_yes_no(text: str, may_not_apply: bool = False) -> str | None:
    """`yes`, `no`, where it may be `n/a`; None where nothing can be read."""
    lower = _lines(text)
    if may_not_apply and _NOT_APPLICABLE.search(lower):
        return "n/a"
    first = next((word for word in _YES_NO.findall(lower)), "")
    if _NEITHER.search(lower):
        return None
    if first in YES | NO:
        return "yes" if first in YES else "no"
    answered = {"yes" if word in YES else "no" for word in _answered(_EITHER, lower)}
    if len(answered) == 1:
        return answered.pop()
    readings = set()
    for match in _YES_OR_NO.finditer(_OPEN.sub(" ", lower)):
        word, means = match["word"], "yes" if match["word"] in YES else "no"
        if match["between"] not in (None, "", " be"):
            return None
        if match["not"]:
            means = "no" if means == "yes" else "yes"
        if word != "no" or not _NOUN.match(match.string, match.end()):
            readings.add(means)
    return readings.pop() if len(readings) == 1 else None


def read_label(text: str, labels: Sequence[str]) -> str | None:
    """The one of the labels that is meant; None where nothing can be read."""
    lower = _lines(text)
    first, answered, anywhere = _label_patterns(tuple(labels))
    if begins := first.match(lower):
        return begins[1]
    if len(found := _answered(answered, lower)) == 1:
        return found.pop()
    matches = list(anywhere.finditer(_OPEN.sub(" ", _ASKED_BACK.sub(" ", lower))))
    words = {match["word"] for match in matches}
    return words.pop() if len(words) == 1 and not any(match["not"] for match in matches) else None


@cache
def _label_patterns(labels: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A label as the first word, as the answer in a line, and anywhere."""
    words = "|".join(map(re.escape, labels))
    return (
        re.compile(rf"\W*({words})\b(?!,? (?:or|and)\b|, (?:{words})\b)"),
        re.compile(_ANSWERED.format(value=words), re.MULTILINE),
        re.compile(
            rf"(?:(?P<not>\bnot|n't|\bcannot|\bnever|\bneither|\bnor)(?: [a-z]+){{0,3}} )?\b(?P<word>{words})\b"
        ),
    )


def _lines(text: str) -> str:
    """A text in small letters, with single blanks in its lines."""
    return "\n".join(" ".join(line.split()) for line in text.lower().replace("’", "'").splitlines())


def _answered(pattern: re.Pattern[str], text: str) -> set[str]:
    """What stands after a label, or alone in a line."""
    return {match[1] or match[2] for match in pattern.finditer(text)}


def read_number(text: str, categories: Sequence[str]) -> int | None:
    """The place of the object that is meant, from 0; None where nothing can be read."""
    first = _FIRST.match(text)
    candidates = _answered(_PLACE, text) or ([first[1]] if first else _NUMBER.findall(text))
    numbers = {int(number) for number in candidates if len(number) < 9 and 1 <= int(number) <= len(categories)}
    if len(numbers) == 1:
        return numbers.pop() - 1
    if numbers or first:
        return None
    lower = text.lower()
    named = [
        place for place, category in enumerate(categories) if re.search(rf"\b{re.escape(category.lower())}\b", lower)
    ]
    return named[0] if len(named) == 1 else None


def read_question(text: str) -> str:
    """The question in the text; empty where there is none."""
    lines = list(filter(None, map(str.strip, text.splitlines())))
    asked = [question for line in lines for question in _questions(line)]
    fitting = [(labelled, bare) for labelled, bare in asked if not _OPEN_QUESTION.match(bare)] or asked
    if fitting:
        return next((bare for labelled, bare in fitting if labelled), fitting[0][1])
    plain = (_bare(line) for line in lines)
    return next((line for line in plain if _YES_NO_QUESTION.match(line)), "")


def _questions(line: str) -> Iterator[tuple[bool, str]]:
    """The questions of a line, and whether a label says of each that it is one."""
    label = _LABEL.match(line)
    begin = label.end() if label else 0
    for match in _ASKED.finditer(line, begin):
        asked = match[0]
        quoted = _QUOTED.search(line, match.start())
        if quoted and quoted.end() == match.end() + 1:
            yield _QUESTION_LABEL.search(line[: quoted.start()]) is not None, _bare(quoted[1])
            continue
        last = _SENTENCE.split(asked)[-1]
        bare = _bare(last)
        if not _YES_NO_QUESTION.match(bare) and (hedged := _HEDGED.match(bare)):
            bare = bare[hedged.end() :]
        before = line[: match.end() - len(last)]
        yield _QUESTION_LABEL.search(before) is not None, bare


def _bare(text: str) -> str:
    return _LEAD.sub("", _LABEL.sub("", text.strip(_QUOTES)).strip(_QUOTES))


def read_stop(text: str) -> bool:
    """Whether the model ends its questions."""
    return text.strip(_QUOTES + ".!\n").lower() == "ready" or _READY.search(text) is not None


def likeliest(logprobs: Mapping[str, float], labels: Mapping[str, Collection[str]]) -> tuple[str | None, float]:
    """The label with the most probability among the likeliest first tokens, and how much all labels have together.

        p(label) = Σ exp ℓ(token) over the tokens that read as the label

    labels  each with the words that are read as it
    None where two have the same, as where no token is one of them.
    """
    mass = dict.fromkeys(labels, 0.0)
    for token, value in logprobs.items():
        word = token.strip().lower().strip(".,!\"'")
        for label, words in labels.items():
            if word in words:
                mass[label] += math.exp(value)
    best = max(mass, key=lambda label: mass[label])
    tied = sum(value == mass[best] for value in mass.values()) > 1
    return None if tied else best, min(1.0, sum(mass.values()))
