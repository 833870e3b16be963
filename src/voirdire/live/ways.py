"""In which way a reply was read, for counts of them.

likelihoods              of the first token, or of given answers
a typed answer           of an endpoint that answers in types
the text as it is        an answer or a question in words, with nothing around it
a word                   a reply of one or two words: yes, n/a, open, 3
a label                  what stands after a label ("Answer: no"), in JSON, or in a line of its own
a sentence               the answer inside other words
a list                   the first of several answers
…, likelihoods too low   the same, where the likelihoods of the labels had too little of the mass
"""

import re

from voirdire.live.model import LOGPROBS, TEXT_LOW, TYPED, AnswerTask, AskTask, RankTask, Reply, Task

AS_IT_IS, LIST = "the text as it is", "a list"
TOO_LOW = ", likelihoods too low"
_LABELLED = re.compile(
    r"\b(?:answer|verdict|conclusion|judge?ment|guess|choice)[\"'*_ ]*(?:\bis\b|[:=])|^\s*[{\[]|\n\W*[\w/]+\W*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"\W*[\w'/]+(?:\s+[\w'/]+)?\W*")


def way_of(task: Task, reply: Reply) -> str:
    """The way in which a reply was read; empty where nothing could be read in it."""
    if reply.fault:
        return ""
    if isinstance(task, RankTask):
        return "likelihoods"
    if isinstance(task, AnswerTask):
        return AS_IT_IS
    if reply.value is None:
        return ""
    if reply.how in (LOGPROBS, TYPED):
        return "likelihoods" if reply.how == LOGPROBS else "a typed answer"
    return _in_text(task, reply) + (TOO_LOW if reply.how == TEXT_LOW else "")


def _in_text(task: Task, reply: Reply) -> str:
    if isinstance(task, AskTask) and reply.text.strip() == reply.value:
        return AS_IT_IS
    if _WORD.fullmatch(reply.text):
        return "a word"
    return "a label" if _LABELLED.search(reply.text) else "a sentence"
