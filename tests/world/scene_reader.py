"""A reader of a world's questions and answers that shares no code with the world's grammar.

It reads the files that a world consists of, as JSON, and nothing of Voir Dire. An answer is true if what it says is so:
`Reading.accepts` gives True or False, and `Unread` is raised where a text is not known.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from scene_phrases import (
    AGES,
    COLOURS,
    EVERY_PRONOUN,
    MATERIALS,
    NUMBERS,
    PRONOUNS,
    SHAPED,
    SHAPES,
    SIZES,
    Fact,
    Named,
    ScenePhrases,
    Thing,
    Tokens,
    phrase,
    tokens_of,
)

YES = ("yes i think so", "yes i believe so", "i think so", "it looks like it", "yes", "yep", "yeah")
NO = (
    *("no i do not think so", "i do not think so", "it does not look like it", "no not that i can see"),
    *("not that i can see", "no i do not see any", "i do not see any", "no", "nope"),
)


class Unread(Exception):
    """A text that this reader does not know."""


@dataclass
class Reading:
    """A question on a scene: how an answer is judged, and what the question speaks of, in order."""

    accepts: Callable[[Tokens], bool]
    mentions: list[Named] = field(default_factory=list)
    verdict: bool | None = None


class SceneReader(ScenePhrases):
    """Questions and answers about one scene; of a dialogue one after the other, as pronouns need."""

    # Questions.

    def read(self, question: str) -> Reading:
        """A question, as the patterns have it; the first that fits."""
        tokens = tokens_of(question)
        for pattern, make in self.patterns():
            for values in self.match(pattern, tokens):
                return make(*values)
        raise Unread(question)

    def patterns(self) -> Iterator[tuple[str, Callable[..., Reading]]]:
        """All patterns, those about the whole picture first."""
        scene, test = self.scene, self._whole
        for start in (
            "{is this|is it|is the picture|was the picture taken}",
            "does it look like this is",
            "does it look",
        ):
            yield f"{start} <inside>", lambda value: test(scene["indoors"] == value)
        for start in ("is this|it", "does this look like", "does the picture show"):
            yield f"{start} a <place>", lambda value: test(scene["setting"] == value)
        for start in ("is this", "was the picture taken"):
            yield f"{start} in|on|at a <place>", lambda value: test(scene["setting"] == value)
        sky = scene["weather"]
        for start in ("is {it|the weather}", "does {it|the weather} look"):
            yield f"{start} <weather> [in the picture]", lambda value: test(sky == value if sky else None)
        for start in ("is it", "does it look like [it is]", "was the picture taken during the"):
            yield f"{start} <time> [in the picture]", lambda value: test(scene["time"] == value)
        coloured = scene["in_colour"]
        for form in ("is the|this picture in color", "is this|it a color picture"):
            yield form, lambda: test(coloured)
        for form in ("is the|this picture [in] black and white", "is this a black and white picture"):
            yield form, lambda: test(not coloured)
        for form in (
            *(
                "where is this",
                "where was the picture taken",
                "what kind of place is this|it",
                "what|which room is this|it",
            ),
            *(
                "what is the setting of the picture",
                "what place does the picture show",
                "what room was the picture taken in",
            ),
        ):
            yield form, lambda: Reading(self._setting)
        for form in (
            "is {it|this|the picture} indoors|inside or outdoors|outside",
            "was the picture taken inside or outside",
        ):
            yield (
                form,
                lambda *_: Reading(self._one_of("inside", scene["indoors"], "the picture was taken|it was taken")),
            )
        for form in (
            *("what is the weather like [in the picture]", "how is the weather", "how does the weather look"),
            "what kind of weather is it",
        ):
            yield form, lambda: Reading(self._one_of("weather", scene["weather"], "it looks|the weather is"))
        for form in (
            "is it day|daytime or night|nighttime",
            "what time of day is it",
            "what time of day was the picture taken",
        ):
            yield form, lambda: Reading(self._one_of("time", scene["time"], "it looks like"))
        yield from self._existence()
        yield from self._attributes()
        yield from self._others()
        yield from self._yes_no()

    def _existence(self) -> Iterator[tuple[str, Callable[..., Reading]]]:
        def count(what: Named, more: tuple[Fact, Named | None] | None = None) -> Reading:
            things = what.things if more is None else [thing for thing in what.things if more[0](thing)]
            named = Named(things, what.many, "", what.sense, what.other if more is None else more[1])
            return Reading(lambda tokens: self._count(tokens, named), self._spoken(named))

        ends = ("are there", "do you see", "can you see", "are in the picture", "are visible")
        for end in (*ends, "are"):
            yield f"how many <kind> {end} <mod>", count
        for end in ends:
            yield f"how many <some> {end}", count
        yield "what is the number of <some>", count
        yield (
            "{are there|do you see|can you see} more <kind> than <kind>",
            lambda more, less: self._truth(len(more.things) > len(less.things), None, []),
        )
        # A colour alone is that: "orange?" is no fruit, which would have an article.
        yield "<color>", lambda colour: self._coloured(Named(self.focus.get("it", []), False, "it"), colour)
        for form in (
            *("is|are there <some> [in the picture]", "do|can you see <some>", "is <some> visible"),
            *("does the picture show <some>", "<some>"),
        ):
            yield form, self._exists

    def _coloured(self, what: Named, colour: str) -> Reading:
        def fact(thing: dict[str, Any]) -> bool | None:
            return thing["colour"] == colour if "colour" in thing else None

        return self._truth(self._of_all(what, fact), what, self._spoken(what))

    def _exists(self, what: Named) -> Reading:
        # "A dog?" in a game asks what it is.
        if not what.many and self.alone:
            return self._truth(self.focus["it"][0] in what.things, None, [])
        return self._truth(bool(what.things), None, self._spoken(what))

    def _attributes(self) -> Iterator[tuple[str, Callable[..., Reading]]]:
        def attribute(slot: str, name: str) -> Callable[[Named], Reading]:
            return lambda what: Reading(
                lambda tokens: self._values(tokens, what, slot, [thing.get(name, "") for thing in what.things]),
                self._spoken(what),
            )

        for slot, name, forms in (
            (
                "color",
                "colour",
                ("what|which color is|are <np>", "what is the color of <np>", "can you tell what color <np> is|are"),
            ),
            ("size", "size", ("is|are <np> big|large or small", "what size is|are <np>", "how big|large is|are <np>")),
            ("material", "material", ("what is|are <np> made [out] of", "what|which material is|are <np> [made of]")),
            (
                "action",
                "action",
                (
                    *("what is|are <np> doing [in the picture]", "can you tell what <np> is|are doing"),
                    "what do you see <np> doing",
                ),
            ),
            ("age", "age", ("[about] how old is|are|do|does <np> [look]",)),
        ):
            for form in forms:
                yield form, attribute(slot, name)
        for form in ("what shape is|are <np>", "what is the shape of <np>"):
            yield (
                form,
                lambda what: Reading(
                    lambda tokens: self._values(
                        tokens, what, "shape", [SHAPED.get(thing["category"], "") for thing in what.things]
                    ),
                    self._spoken(what),
                ),
            )
        for form in ("is|are <np> a man or a woman", "is|are <np> male or female", "what is the gender of <np>"):
            yield form, lambda what: Reading(lambda tokens: self._gender(tokens, what), self._spoken(what))
        for form in (
            *("where is|are <np> [located]", "where in the picture is|are <np>", "can you tell where <np> is|are"),
            *("is|are <np> on the left|right or on the left|right", "which side of the picture is|are <np> on"),
        ):
            yield form, lambda what: Reading(lambda tokens: self._where(tokens, what), self._spoken(what))

        def colour_of(kind: str, what: Named) -> Reading:
            values = [w["colour"] for thing in what.things for w in thing.get("wears", ()) if w["kind"] == kind]
            worn = Named([], kind in ("pants", "shorts", "shoes", "glasses"), "they")
            return Reading(lambda tokens: self._values(tokens, worn, "color", values, kind), self._spoken(what))

        def owned(owner: str, kind: str) -> Reading:
            return colour_of(kind, Named(self.focus.get(owner, []), False, owner))

        for form in ("what color is|are <owner> <garment>", "what is the color of <owner> <garment>"):
            yield form, owned
        yield "what color is|are the <garment> of <np>", colour_of
        yield "what color <garment> is|are <np> wearing", colour_of
        yield "what color <garment> do|does <np> have on", colour_of

    def _others(self) -> Iterator[tuple[str, Callable[..., Reading]]]:
        for form in (
            "{what|what clothes} is|are <np> wearing",
            "what do|does <np> have on",
            "what is|are <np> dressed in",
        ):
            yield form, lambda what: Reading(lambda tokens: self._clothes(tokens, what), self._spoken(what))
        for form in ("what is|are <np> holding|carrying", "what do|does <np> hold"):
            yield (
                form,
                lambda what: Reading(
                    lambda tokens: self._listed(tokens, [held for t in what.things if (held := self.held(t))]),
                    self._spoken(what),
                ),
            )
        for form in ("who is wearing <worn>", "who has <worn> on"):
            yield (
                form,
                lambda worn: Reading(
                    lambda tokens: self._listed(tokens, [t for t in self.things if self.wears(t, *worn)], counted=True)
                ),
            )

        def related(kind: Named | None, relation: str, other: Named) -> Reading:
            among = self.things if kind is None else kind.things
            things = [t for t in among if any(self.related(t, relation, to) for to in other.things)]
            return Reading(lambda tokens: self._listed(tokens, things), [other])

        def at_side(kind: Named | None, side: str) -> Reading:
            things = [t for t in (self.things if kind is None else kind.things) if self.lies(t, side)]
            return Reading(lambda tokens: self._listed(tokens, things))

        for form in ("what is", "what do|can you see"):
            yield f"{form} <relation> <np>", lambda relation, other: related(None, relation, other)
            yield f"{form} <side> [of the picture]", lambda side: at_side(None, side)
        yield "what|which <kind> is <relation> <np>", related
        yield "what|which <kind> is <side>", at_side

    def _in_hand(self, what: Named) -> Reading:
        held = [thing for thing in map(self.held, what.things) if thing is not None]
        return Reading(lambda tokens: self._listed(tokens, held), self._spoken(what))

    def _yes_no(self) -> Iterator[tuple[str, Callable[..., Reading]]]:
        def test(what: Named, predicate: tuple[Fact, Named | None]) -> Reading:
            fact, other = predicate
            return self._truth(self._of_all(what, fact), what, [*([other] if other else []), *self._spoken(what)])

        tail = "[of the picture|in the picture]"
        yield "is the color of <np> <color>", self._coloured
        for form in (
            *("is|are <np> <pred>", "do|does <np> [look] <pred>", "can you tell if <np> is|are <pred>"),
            *("would you say <np> is|are <pred>", "does it look like <np> is|are <pred>"),
        ):
            yield f"{form} {tail}", test
        yield f"<pred> {tail}", lambda predicate: test(Named(self.focus.get("it", []), False, "it"), predicate)

    def _of_all(self, what: Named, fact: Fact) -> bool | None:
        if not what.single:
            return None
        facts = [fact(thing) for thing in what.things]
        return None if None in facts else all(facts)

    def _spoken(self, what: Named) -> list[Named]:
        return [what] if what.other is None else [what.other, what]

    # Answers.

    def _truth(self, verdict: bool | None, what: Named | None, mentions: list[Named]) -> Reading:
        return Reading(lambda tokens: self._yes_or_no(tokens, verdict, what), mentions, verdict)

    def _whole(self, verdict: bool | None) -> Reading:
        return self._truth(verdict, None, [])

    def _yes_or_no(self, tokens: Tokens, verdict: bool | None, what: Named | None) -> bool:
        for says, forms in ((True, YES), (False, NO)):
            for form in sorted(forms, key=lambda form: -len(form.split())):
                words = form.split()
                if tokens[: len(words)] == words and self._rest(tokens[len(words) :], says, verdict, what) is not None:
                    return verdict is says and bool(self._rest(tokens[len(words) :], says, verdict, what))
        stated = self._stated(tokens, verdict, what)
        if stated is None:
            raise Unread(" ".join(tokens))
        return stated

    def _rest(self, tokens: Tokens, says: bool, verdict: bool | None, what: Named | None) -> bool | None:
        """Whether what follows yes or no is so; None where it cannot be read."""
        if not tokens or (says and tokens == ["i", "can", "see", "that"]):
            return True
        return self._stated(tokens, verdict, what)

    def _stated(self, tokens: Tokens, verdict: bool | None, what: Named | None) -> bool | None:
        """Whether a statement is so; None where it cannot be read."""
        no = "not" in tokens
        plain = [word for word in tokens if word != "not"] if no else tokens
        if plain in (["it", "is"], ["he", "is"], ["she", "is"], ["they", "are"], ["there", "is"], ["there", "are"]):
            return verdict is not no and verdict is not None
        if plain[:2] in (["there", "is"], ["there", "are"]):
            none = plain[2:3] == ["no"]
            for values in self.match("there {is|are} more <kind> than <kind>", plain):
                return (len(values[0].things) > len(values[1].things)) is not no
            for values in self.match("there {is|are} [no] <some>", plain):
                return bool(values[0].things) is not none
            return None
        for pattern, fact in self._general():
            for values in self.match(pattern, plain):
                return bool(fact(*values)) is not no
        if what is None:
            return None
        kept, self.focus = self.focus, dict.fromkeys(EVERY_PRONOUN, what.things)
        try:
            for named, (predicate, _) in self.match("<np> is|are|look|looks <pred>", plain):
                subject = what if named.pronoun else named
                so = self._of_all(Named(subject.things, what.many, what.pronoun), predicate)
                return None if so is None else so is not no
            for ((predicate, _),) in self.match("<pred>", plain):
                return self._of_all(what, predicate)
        finally:
            self.focus = kept
        return None

    def _general(self) -> Iterator[tuple[str, Callable[..., bool]]]:
        scene = self.scene
        yield "[it is] <inside>", lambda value: scene["indoors"] == value
        yield "{the picture|it} was taken <inside>", lambda value: scene["indoors"] == value
        for form in ("it is", "this is", "it looks like", "it appears to be"):
            yield f"[{form}] [a] <place>", lambda value: scene["setting"] == value
        yield "[it is] in|on|at a <place>", lambda value: scene["setting"] == value
        for form in ("[it is|it looks] <weather>", "the weather is <weather>", "it looks like a <weather> day"):
            yield form, lambda value: scene["weather"] == value
        yield "[it is|it looks like] <time>", lambda value: scene["time"] == value
        yield "it is in color", lambda: scene["in_colour"]
        yield "it is black and white", lambda: not scene["in_colour"]

    def _setting(self, tokens: Tokens) -> bool:
        start = "[it is|this is|it looks like|it appears to be]"
        for pattern in (f"{start} [a] <place>", f"{start} in|on|at a <place>"):
            for (place,) in self.match(pattern, tokens):
                return bool(place == self.scene["setting"])
        raise Unread(" ".join(tokens))

    def _one_of(self, slot: str, truth: Any, starts: str) -> Callable[[Tokens], bool]:
        def accepts(tokens: Tokens) -> bool:
            for pattern in (f"[it is|{starts}] <{slot}>", f"it looks like a <{slot}> day"):
                for (value,) in self.match(pattern, tokens):
                    return bool(value == truth)
            raise Unread(" ".join(tokens))

        return accepts

    def _count(self, tokens: Tokens, what: Named) -> bool:
        words = list(tokens)
        for start in ("there are", "there is", "i can see", "i see", "just", "only"):
            if words[: len(start.split())] == start.split():
                words = words[len(start.split()) :]
        if " ".join(words) in ("none", "i do not see any") or words[:1] == ["no"]:
            number, rest = 0, words[1:] if words[:1] == ["no"] else []
        elif words and (words[0] in NUMBERS or words[0].isdecimal()):
            number = int(words[0]) if words[0].isdecimal() else NUMBERS.index(words[0])
            rest = words[1:]
        else:
            raise Unread(" ".join(tokens))
        if (
            rest
            and rest != ["of", "them"]
            and what.sense not in (self.one.get(" ".join(rest)), self.several.get(" ".join(rest)))
        ):
            raise Unread(" ".join(tokens))
        return number == len(what.things)

    def _after_subject(self, tokens: Tokens, verbs: str) -> Iterator[Tokens]:
        """What is left of an answer without "it is", "the cup is" or "they look"; the whole where it has none."""
        for end in range(len(tokens) - 1, 0, -1):
            for _ in self.match(f"<np> {verbs}", tokens[:end]):
                yield tokens[end:]
        yield tokens

    def _values(self, tokens: Tokens, what: Named, slot: str, truth: list[str], kind: str = "") -> bool:
        table: Any = {"color": COLOURS, "size": SIZES, "material": MATERIALS, "shape": SHAPES, "age": AGES}.get(
            slot, self.actions
        )
        words = tokens[2:] if kind and tokens[:2] == ["the", kind] else tokens
        words = ["it", *words] if words is not tokens else words
        for rest in self._after_subject(words, "is|are|look|looks"):
            said = rest[2:] if rest[:2] == ["made", "of"] else rest
            for first, after in phrase(said, 0, table):
                if after == len(said):
                    return set(truth) == {first}
                if said[after] == "and":
                    for second, end in phrase(said, after + 1, table):
                        if end == len(said):
                            return set(truth) == {first, second}
        raise Unread(" ".join(tokens))

    def _gender(self, tokens: Tokens, what: Named) -> bool:
        (thing,) = what.things
        for rest in self._after_subject(tokens, "is|are"):
            word = " ".join(rest).removeprefix("a ")
            if word in ("male", "female"):
                return bool(thing["gender"] == word)
            if word in ("man", "woman", "boy", "girl"):
                return self.name(thing) == word
        raise Unread(" ".join(tokens))

    def _where(self, tokens: Tokens, what: Named) -> bool:
        for rest in self._after_subject(tokens, "is|are"):
            for (fact, _), end in self.modifier(rest, 0):
                if end == len(rest):
                    return bool(self._of_all(what, fact))
        raise Unread(" ".join(tokens))

    def _clothes(self, tokens: Tokens, what: Named) -> bool:
        (thing,) = what.things
        words = tokens[:-1] if tokens[-1] == "on" else tokens
        for rest in self._after_subject(words, "is|are wearing"):
            listed, at = [], 0
            has = rest[1:2] in (["has"], ["have"]) and rest[0] in PRONOUNS
            begin = rest[2:] if has else rest
            while at < len(begin):
                worn = next(iter(sorted(self.garment(begin, at), key=lambda item: -item[1])), None)
                if worn is None:
                    break
                listed.append(worn[0])
                at = worn[1] + (begin[worn[1] : worn[1] + 1] == ["and"])
            else:
                if listed:
                    return sorted(listed) == sorted((w["kind"], w["colour"]) for w in thing["wears"])
        raise Unread(" ".join(tokens))

    def _listed(self, tokens: Tokens, truth: list[Thing], counted: bool = False) -> bool:
        """A list of things by their names: all that there are, and no other."""
        text = " ".join(tokens)
        if re.fullmatch(r"nothing( at all)?|there is nothing there|\w+ (is|are) not holding anything", text):
            return not truth
        for start in (
            "there is ",
            "i can see ",
            "it is ",
            "he is holding ",
            "she is holding ",
            "they are holding ",
            "the ",
        ):
            text = text.removeprefix(start)
        text = text.removesuffix(" is") if counted else text
        number = re.match(r"(two|2) (.+)", text)
        if number:
            names = {self.name(thing) for thing in truth}
            return len(truth) == 2 and names == {self.several.get(number[2])}
        senses = []
        for part in re.split(r" and ", text):
            at, words = 0, part.split()
            while at < len(words):
                at += words[at] == "a"
                sense, end = next(iter(phrase(words, at, self.one)), (None, 0))
                if sense is None:
                    raise Unread(" ".join(tokens))
                senses.append(sense)
                at = end
        return sorted(senses) == sorted({self.name(thing) for thing in truth})

    # Dialogues.

    def hear_caption(self, caption: str) -> None:
        """What a caption mentions: what it has one of by "a", what it has several of by the plural."""
        tokens, at = tokens_of(caption), 0
        skipped = {**dict.fromkeys(self.places), **self.actions}
        while at < len(tokens):
            after = next((end for _, end in phrase(tokens, at, skipped)), 0)
            if after and tokens[at] not in self.one:
                at = after
                continue
            named = max(self.noun_phrase(tokens, at, ("a", ""), False), key=lambda found: found[1], default=None)
            inside_place = tokens[at] == "a" and next(phrase(tokens, at + 1, self.places), None)
            if named is None or inside_place:
                at += 1
                continue
            what, at = named
            if (len(what.things) == 1) is not what.many:
                self.hear([what])

    def hear(self, mentions: list[Named]) -> None:
        """A pronoun is from now on what was mentioned last of those that it fits."""
        for what in mentions:
            if what.things:
                one = what.things[0].get("gender", "")
                fitting = "they" if len(what.things) > 1 else {"male": "he", "female": "she"}.get(one, "it")
                self.focus[what.pronoun or fitting] = what.things

    def of_thing(self, thing: Thing) -> "SceneReader":
        """The reader for questions of a game, where every pronoun is one thing."""
        self.focus, self.alone = dict.fromkeys(EVERY_PRONOUN, (thing,)), True
        return self
