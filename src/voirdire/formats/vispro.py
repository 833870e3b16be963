"""Gold coreference of VisDial dialogues: which earlier noun phrases a pronoun stands for (JSON lines).

    {doc_key, image_file, sentences[[token]], speakers[[caption | question | answer]], clusters[[span]],
     pronoun_info[{current_pronoun: span, candidate_NPs[span], correct_NPs[span], reference_type, not_discussed}],
     correct_caption_NPs[span], object_detection[int]}

A span is [first, last], both inclusive, in tokens counted from 0 through all sentences. Checked: spans lie inside the
dialogue, correct phrases are among the candidates, candidates end before their pronoun, and every token has its
speaker, the same throughout a sentence.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from voirdire.errors import shorten
from voirdire.figures import counted
from voirdire.formats.catalogue import RECORDS, Format
from voirdire.formats.documents import decode_records
from voirdire.formats.files import Source, write_lines
from voirdire.formats.record import Notes, Record
from voirdire.formats.strict import Problems
from voirdire.formats.visdial_text import image_number

_Token = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]
Span = tuple[_Token, _Token]
Speaker = Literal["caption", "question", "answer"]


class Pronoun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pronoun, the phrases it might stand for and those it does stand for.

    reference_type  0: it stands for a phrase; 1: for something that no phrase names; 2: for nothing ("it rains")
    not_discussed   whether the correct phrases are in the caption alone
    """

    current_pronoun: Span
    candidate_NPs: list[Span]
    reference_type: Annotated[int, msgspec.Meta(ge=0, le=2)]
    correct_NPs: list[Span]
    not_discussed: bool


class VisproDialogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One dialogue with its tokens, pronouns and clusters of phrases that mean the same thing."""

    pronoun_info: list[Pronoun]
    sentences: list[list[str]]
    image_file: str
    clusters: list[list[Span]]
    doc_key: str
    speakers: list[list[Speaker]]
    correct_caption_NPs: list[Span]
    object_detection: list[Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]]

    def tokens(self) -> list[str]:
        """All tokens, sentence after sentence."""
        return [token for sentence in self.sentences for token in sentence]


@dataclass(frozen=True, eq=False)
class VisPro(Record):
    """Dialogues with gold coreference, in the order of the file."""

    dialogues: list[VisproDialogue]

    def __len__(self) -> int:
        return len(self.dialogues)


def parse_vispro(source: Source) -> VisPro:
    """Gold coreference from a file's bytes."""
    problems, notes = Problems(source.name), Notes()
    dialogues, unknown = decode_records(source, VisproDialogue, _label, problems)
    problems.require(dialogues, "record")
    keys: set[str] = set()
    for dialogue in dialogues:
        where = f"doc_key {dialogue.doc_key}"
        if dialogue.doc_key in keys:
            problems.add(where, "doc_key", "more than one dialogue with this key", "one")
        keys.add(dialogue.doc_key)
        if image_number(dialogue.image_file) is None:
            notes.add(f"no number in the image's file name {shorten(dialogue.image_file)}", where)
        _check(dialogue, problems)
    problems.check()
    return VisPro(dialogues, fingerprint=source.fingerprint, notes=unknown + notes.collect())


def _check(dialogue: VisproDialogue, problems: Problems) -> None:
    """Note the contradictions in a dialogue."""
    where = f"doc_key {dialogue.doc_key}"
    length = sum(map(len, dialogue.sentences))
    if [len(sentence) for sentence in dialogue.sentences] != [len(names) for names in dialogue.speakers]:
        problems.add(where, "speakers", "another number of entries than `sentences` has tokens", "one per token")
    elif any(len(set(names)) > 1 for names in dialogue.speakers):
        problems.add(where, "speakers", "two speakers in a sentence", "one")
    spans = [("correct_caption_NPs", span) for span in dialogue.correct_caption_NPs]
    spans += [("clusters", span) for cluster in dialogue.clusters for span in cluster]
    for index, pronoun in enumerate(dialogue.pronoun_info):
        name = f"pronoun_info[{index}]"
        spans.append((f"{name}.current_pronoun", pronoun.current_pronoun))
        for span in pronoun.candidate_NPs:
            spans.append((f"{name}.candidate_NPs", span))
            if span[1] >= pronoun.current_pronoun[0]:
                problems.add(where, f"{name}.candidate_NPs", f"the span {list(span)}", "spans before the pronoun")
        for span in pronoun.correct_NPs:
            if span not in pronoun.candidate_NPs:
                problems.add(where, f"{name}.correct_NPs", f"the span {list(span)}", "one of `candidate_NPs`")
        if (pronoun.reference_type == 0) != bool(pronoun.correct_NPs):
            phrases = counted(len(pronoun.correct_NPs), "correct phrase")
            found = f"{phrases} with reference_type {pronoun.reference_type}"
            problems.add(where, name, found, "correct phrases where reference_type is 0, and only there")
    for name, (first, last) in spans:
        if not first <= last < length:
            problems.add(where, name, f"the span [{first}, {last}]", f"first <= last < {length}, the number of tokens")


def _label(record: Any) -> str:
    known = isinstance(record, dict) and isinstance(record.get("doc_key"), str)
    return f"doc_key {record['doc_key']}" if known else ""


def _describe(vispro: VisPro) -> str:
    pronouns = [pronoun for dialogue in vispro.dialogues for pronoun in dialogue.pronoun_info]
    resolved = sum(bool(pronoun.correct_NPs) for pronoun in pronouns)
    counts = f"{counted(len(vispro), 'dialogue')}, {counted(len(pronouns), 'pronoun')}"
    return f"{counts}, {resolved:,} of them refer to a phrase"


def _keys(vispro: VisPro) -> dict[str, np.ndarray]:
    numbers = [image_number(dialogue.image_file) for dialogue in vispro.dialogues]
    return {"image": np.array([number for number in numbers if number is not None], np.int64)}


FORMAT = Format(
    name="vispro",
    title="gold coreference of VisDial dialogues",
    matches=lambda sample: sample.has(RECORDS, "pronoun_info", "sentences"),
    parse=parse_vispro,
    describe=_describe,
    keys=_keys,
    write=lambda vispro, path: write_lines(vispro.dialogues, path),
)
