"""What somebody does, has or looks like: noun_verb, noun_verb_noun, have, look_adj, look_like, what_is and others."""

import re
from collections.abc import Sequence

from voirdire.scorekeeping.propositions.english import (
    NP,
    PatternMatch,
    agreeing,
    codes,
    definite,
    find,
    head_of,
    is_plural,
    join,
    third_person,
    with_article,
)
from voirdire.scorekeeping.propositions.predicate import resolved_subject, statement
from voirdire.scorekeeping.propositions.rule import Derived, Exchange, Rule, nonpolar, polar
from voirdire.text.tagging import Token

# Forms that do not belong after `does` but are found there.
_BASE = {"has": "have", "had": "have", "looks": "look", "seems": "seem", "appears": "appear"}
# Where no word is tagged as a verb, the one after such a subject is: does the man wear glasses.
_ONE_NOUN = "D[J#E]*N"
_OBJECT = rf"(?:A?(?:P|t)?{NP}|R)(?:[PC]{NP})*[AJP]?"
# After coreference a subject may have a place: do the men on the pier look like farmers.
_LOOKING = rf"{NP}(?:P{NP})?|R"


def done(exchange: Exchange, found: PatternMatch) -> Derived:
    """A statement from a question with do or does: `the man holds a cup`, `the man does not hold a cup`."""
    subject, do = definite(found.words("s"), found.codes["s"]), found["o"]
    if exchange.changed and found.codes["s"] != "R":
        do = agreeing(do, found.words("s"), found.codes["s"])
    verb = _BASE.get(found["v"], found["v"])
    after = list(found.words("p"))
    head = head_of(found.words("s"), found.codes["s"])
    plural = is_plural(head) or subject in ("they", "you", "i", "we") or " and " in subject
    agrees = (do == "do") == plural or do == "did"
    affirmed = after
    if agrees and after[:1] == ["any"]:
        rest = after[1:]
        affirmed = [with_article(join(rest), head_of(rest, found.codes["p"][1:]))]
    form = third_person(verb) if do == "does" else verb
    if do == "did":
        form = "had" if verb == "have" else f"did {verb}"
    denied = f"{subject} {do} not {verb} {join(after)}"
    return polar(exchange, f"{subject} {form} {join(affirmed)}", denied, of=head)


def progressive(exchange: Exchange, found: PatternMatch, subject: Sequence[Token] = ()) -> Derived:
    """A statement from a question with be; `any` before the object is for denials only."""
    words, letters = list(found.words("p")), found.codes["p"]
    if "any" not in words:
        return statement(exchange, found, subject)
    at = words.index("any")
    thing = words[at + 1 :]
    if not thing:
        return Derived(None, "what follows names no thing")
    doing = [token.text for token in subject] or found.words("s")
    who, be = join(doing) if subject else definite(doing, found.codes["s"]), found["b"]
    of = head_of(doing, codes(subject) or found.codes["s"])
    seen = with_article(join(thing), head_of(thing, letters[at + 1 :]))
    return polar(exchange, f"{who} {be} {join(words[:at])} {seen}", f"{who} {be} not {found['p']}", of=of)


def noun_verb(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<b>B)(?P<s>{NP})(?P<p>A*[GEV][AP]*)", exchange.question_tokens)
    return None if found is None else statement(exchange, found)


def noun_verb_noun(exchange: Exchange) -> Derived | None:
    if found := find(rf"(?P<b>B)(?P<s>{NP})(?P<p>A*[GE]P?{_OBJECT})", exchange.question_tokens):
        return progressive(exchange, found)
    for subject, verb in ((NP, "V"), (_ONE_NOUN, "N")):
        if found := find(rf"(?P<o>O)(?P<s>{subject})(?P<v>{verb})(?P<p>P?{_OBJECT})", exchange.question_tokens):
            return done(exchange, found)
    return None


def have(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<o>O)(?P<s>{NP})A?(?P<v>H)(?P<p>{_OBJECT})", exchange.question_tokens)
    return None if found is None else done(exchange, found)


def look_adj(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<o>O)(?P<s>{_LOOKING})(?P<v>L)(?P<p>(?:tM)?A*[JEG](?:CA*[JE])?)", exchange.resolved_tokens)
    return None if found is None else done(exchange, found)


def look_like(exchange: Exchange) -> Derived | None:
    found = find(rf"(?P<o>O)(?P<s>{_LOOKING})(?P<v>L)(?P<p>P{NP}(?:P{NP})?)", exchange.resolved_tokens)
    return None if found is None or found.words("p")[0] != "like" else done(exchange, found)


def verb_pron_obj(exchange: Exchange) -> Derived | None:
    parted = resolved_subject(exchange)
    if parted is None:
        return None
    tokens, subject = parted
    found = find(rf"(?P<b>B)(?P<s>R)(?P<p>A*GP?{_OBJECT})", tokens)
    return None if found is None else progressive(exchange, found, subject)


_WHAT_IS = re.compile(r"what(?:'s| is| are) (?P<s>.+) (?P<v>wearing|doing)(?: in the (?:picture|photo|image))?")
_LEAD = re.compile(
    r"(?:(?:he|she|it|they|the \w+|everyone|both|he's|she's|they're|it's|all)(?: all| both)?(?: (?:is|are))?"
    r"|just|looks like|appears to be|probably|mostly) "
)


def what_is(exchange: Exchange) -> Derived | None:
    match = _WHAT_IS.fullmatch(exchange.question)
    if match is None:
        return None
    # Tagged within the question, where a tagger sees more; what stands between an article and the verb is a noun.
    tokens = exchange.question_tokens
    words = [token.text for token in tokens]
    at = words.index(match["v"])
    letters = codes(tokens)[2:at]
    if not re.fullmatch(rf"{NP}|D[JEN#]*[JEV]", letters):
        return Derived(None, "the question is not about a thing")
    subject = definite(words[2:at], letters)
    be = "are" if exchange.question.startswith("what are") else "is"
    answer = re.split(r"[,.;]| but | while ", exchange.answer)[0].strip()
    while lead := _LEAD.match(answer):
        answer = answer[lead.end() :]
    said_tokens = exchange.tagger.tag(answer)
    said_letters, words = codes(said_tokens), [token.text for token in said_tokens]
    if match["v"] == "doing":
        if not words or not words[0].endswith("ing"):
            return Derived(None, "the answer does not start with a verb in -ing")
        return nonpolar(f"{subject} {be} {answer}", f"{subject} {be} not {answer}")
    if words[:1] == ["wearing"]:
        words, said_letters, answer = words[1:], said_letters[1:], join(words[1:])
    if not re.fullmatch(rf"{NP}(?:[PC]+{NP})*", said_letters) or exchange.polarity:
        return Derived(None, "the answer names no thing")
    if said_letters[0] != "D":
        answer = with_article(answer, head_of(words, said_letters))
    return nonpolar(f"{subject} {be} wearing {answer}", f"{subject} {be} not wearing {answer}")


NOUN_VERB = Rule(
    "noun_verb",
    "question",
    "is/are + noun phrase + verb: the X is sleeping / is not sleeping",
    noun_verb,
    """
    is the goat sleeping | yes | the goat is sleeping. | the goat is not sleeping.
    are the clowns sitting down | no | the clowns are not sitting down. | the clowns are sitting down.
    is rain falling | yes | the rain is falling. | the rain is not falling.
    is the goat sleeping | standing | nothing
    is the goat wearing a bell | no | no match
    is he sleeping | no | no match
    """,
)
NOUN_VERB_NOUN = Rule(
    "noun_verb_noun",
    "question",
    "is/are/do/does + noun phrase + verb + object: the X is wearing a Y / is not wearing a Y",
    noun_verb_noun,
    """
    is the clown wearing a hat | yes | the clown is wearing a hat. | the clown is not wearing a hat.
    are the goats standing on the roof | no
        | the goats are not standing on the roof. | the goats are standing on the roof.
    does the rider hold a whip | no | the rider does not hold a whip. | the rider holds a whip.
    do the clowns wear wigs | yes | the clowns wear wigs. | the clowns do not wear wigs.
    does the clown work at a zoo | no | the clown does not work at a zoo. | the clown works at a zoo.
    is the rider carrying any bags | no | the rider is not carrying any bags. | the rider is carrying bags.
    is the clown wearing a hat | a wig | nothing
    is the clown laughing | yes | no match
    does the clown work | yes | no match
    is he wearing a hat | yes | no match
    """,
)
HAVE = Rule(
    "have",
    "question",
    "do/does + noun phrase + have + object: the X has a Y / does not have a Y",
    have,
    """
    does the goat have a bell | yes | the goat has a bell. | the goat does not have a bell.
    do the doors have handles | no | the doors do not have handles. | the doors have handles.
    does the barn have any doors | yes | the barn has doors. | the barn does not have any doors.
    do the barn have any doors | no doors | the barn do not have any doors. | the barn have any doors.
    does the goat has a bell | no | the goat does not have a bell. | the goat has a bell.
    does the goat have a bell | a collar | nothing
    does he have a bell | no | no match
    has the goat eaten | no | no match
    """,
)
LOOK_ADJ = Rule(
    "look_adj",
    "question after coreference",
    "do/does + subject + look/seem/appear + adjective: the X seems Y / does not seem Y",
    look_adj,
    """
    does the goat look hungry | yes | the goat looks hungry. | the goat does not look hungry.
    do they seem happy -> do the clowns seem happy | no | the clowns do not seem happy. | the clowns seem happy.
    does it look new -> does the doors look new | yes | the doors look new. | the doors do not look new.
    does it appear to be old | yes | it appears to be old. | it does not appear to be old.
    does it look very cold | no | it does not look very cold. | it looks very cold.
    does the pond look green | yes | the pond looks green. | the pond does not look green.
    does the goat look hungry | a bit | nothing
    does the goat look like a sheep | yes | no match
    how does the goat look | hungry | no match
    """,
)
LOOK_LIKE = Rule(
    "look_like",
    "question after coreference",
    "do/does + subject + look like + noun phrase: it looks like a Y / does not look like a Y",
    look_like,
    """
    does it look like a barn | yes | it looks like a barn. | it does not look like a barn.
    does the goat look like a sheep | no | the goat does not look like a sheep. | the goat looks like a sheep.
    do they look like farmers -> do the men look like farmers | yes
        | the men look like farmers. | the men do not look like farmers.
    do they look like a couple -> do the men on the pier look like a couple | no
        | the men on the pier do not look like a couple. | the men on the pier look like a couple.
    does it look like a barn | a shed | nothing
    does it look old | yes | no match
    what does it look like | a barn | no match
    """,
)
VERB_PRON_OBJ = Rule(
    "verb_pron_obj",
    "question after coreference",
    "is/are + pronoun + verb in -ing + object: the X is holding the Y / is not holding the Y",
    verb_pron_obj,
    """
    is he holding the whip -> is the rider holding the whip | yes
        | the rider is holding the whip. | the rider is not holding the whip.
    are they wearing hats -> are the clowns wearing hats | no
        | the clowns are not wearing hats. | the clowns are wearing hats.
    is she standing on it -> is the rider standing on the pier | yes
        | the rider is standing on the pier. | the rider is not standing on the pier.
    is she wearing any rings -> is the rider wearing any rings | no
        | the rider is not wearing any rings. | the rider is wearing rings.
    is he holding a whip -> is the rider holding a whip | a rope | nothing
    is he holding a whip | yes | no match
    is he laughing | yes | no match
    is the rider holding a whip | yes | no match
    """,
)
WHAT_IS = Rule(
    "what_is",
    "question",
    "what is X wearing, what is X doing and an answer in -ing: the X is reading / is not reading",
    what_is,
    """
    what is the rider wearing | a cape | the rider is wearing a cape. | the rider is not wearing a cape.
    what are the clowns doing | they are juggling | the clowns are juggling. | the clowns are not juggling.
    what is the rider wearing | long cape, boots
        | the rider is wearing a long cape. | the rider is not wearing a long cape.
    what is the ostrich doing | eating | the ostrich is eating. | the ostrich is not eating.
    what is the goat doing | nothing | nothing
    what is she wearing | a cape | nothing
    what is the rider holding | a whip | no match
    is the rider wearing a cape | yes | no match
    """,
)
