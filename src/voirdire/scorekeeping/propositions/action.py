"""What somebody does, has or looks like: noun_verb, noun_verb_noun, have, look_adj, look_like, what_is and others.

The rules read the question's parts of speech, one tag per word.
"""

from voirdire.scorekeeping.propositions.english import third_person
from voirdire.scorekeeping.propositions.predicate import of_noun, of_pronoun, where_resolved
from voirdire.scorekeeping.propositions.rule import OTHER_WORDS, Derived, Exchange, Rule, nonpolar, polar, tagged


def done(exchange: Exchange, do: str, subject: str, verb: str, rest: str) -> Derived:
    """A statement from a question with do or does: `the man holds a cup`, `the man does not hold a cup`."""
    form = third_person(verb) if do == "does" else verb
    return polar(exchange, f"{subject} {form} {rest}", f"{subject} {do} not {verb} {rest}")


def noun_verb_noun(exchange: Exchange, words: list[str]) -> Derived:
    auxiliary, determiner, noun, verb, *rest = words
    if auxiliary in ("is", "are"):
        return of_noun(exchange, words)
    if auxiliary in ("do", "does"):
        return done(exchange, auxiliary, f"{determiner} {noun}", verb, " ".join(rest))
    return Derived(None, "the question starts with another verb than is, are, do or does")


def have(exchange: Exchange) -> Derived | None:
    words = exchange.question.split()
    if not exchange.tags.startswith(("AUX DET NOUN VERB", "AUX DET NOUN AUX")) or words[3:4] != ["have"]:
        return None
    do, determiner, noun, verb, *rest = words
    return done(exchange, do, f"{determiner} {noun}", verb, " ".join(rest))


def look_adj(exchange: Exchange, words: list[str]) -> Derived:
    do, *_, verb, adjective = words
    if verb not in ("look", "seem"):
        return Derived(None, "the verb is not look or seem")
    return done(exchange, do, exchange.subject(do, f"{verb} {adjective}"), verb, adjective)


def look_like(exchange: Exchange, words: list[str]) -> Derived | None:
    do, _, look, like, *_ = words
    if like != "like":
        return None
    subject, what = exchange.subject(do, " ".join(words[2:])), " ".join(words[3:])
    if look != "look":
        return Derived(None, "the verb is not look")
    if subject != "it" and exchange.resolved == exchange.question:
        return Derived(None, "what the pronoun stands for is not known")
    return done(exchange, do, subject, look, what)


def what_is(exchange: Exchange, resolved: bool = False) -> Derived | None:
    if exchange.tags != ("PRON AUX PRON VERB" if resolved else "PRON AUX DET NOUN VERB"):
        return None
    words = exchange.question.replace("what's", "what is").split()
    if len(words) != (4 if resolved else 5):
        return OTHER_WORDS
    what, be, *subject, verb = words
    who = " ".join(subject)
    if resolved:
        who = exchange.resolved.replace("what's", "what is").removeprefix(f"{what} {be} ").removesuffix(f" {verb}")
    answer = exchange.answer
    first = exchange.answer_tokens[0].pos if answer else ""
    if first not in ("VERB", "NOUN", "ADJ") and not answer.startswith(("a ", "an ")):
        return Derived(None, "the answer does not begin with a noun, a verb or an adjective")
    if verb == "wearing":
        return nonpolar(f"{who} {be} wearing {answer}", f"{who} {be} not wearing {answer}")
    if verb == "doing" and answer.split()[0].endswith("ing"):
        return nonpolar(f"{who} {be} {answer}", f"{who} {be} not {answer}")
    return Derived(None, "it is not what somebody wears, or does with an answer in -ing")


NOUN_VERB = Rule(
    "noun_verb",
    "question",
    "is/are + noun + verb: the X is sleeping / is not sleeping",
    tagged(of_noun, "AUX DET NOUN VERB"),
    """
    is the goat sleeping | yes | the goat is sleeping. | the goat is not sleeping.
    are the clowns sitting | no | the clowns are not sitting. | the clowns are sitting.
    is the goat sleeping | standing | nothing
    is the goat wearing a bell | no | no match
    is he sleeping | no | no match
    """,
)
NOUN_VERB_RESOLVED = Rule(
    "noun_verb",
    "question after coreference",
    "is/are + pronoun + verb: the X is sleeping / is not sleeping",
    where_resolved(tagged(of_pronoun, "AUX PRON VERB")),
    """
    is it sleeping -> is the goat sleeping | yes | the goat is sleeping. | the goat is not sleeping.
    are they sitting -> are the clowns on the pier sitting | no
        | the clowns on the pier are not sitting. | the clowns on the pier are sitting.
    is it sleeping -> is the goat sleeping | standing | nothing
    is it sleeping | yes | no match
    is the goat sleeping | no | no match
    """,
)
NOUN_VERB_NOUN = Rule(
    "noun_verb_noun",
    "question",
    "is/are/do/does + noun + verb + noun: the X is wearing a Y / is not wearing a Y",
    tagged(noun_verb_noun, "AUX DET NOUN VERB DET NOUN", "AUX DET NOUN VERB NOUN"),
    """
    is the clown wearing a hat | yes | the clown is wearing a hat. | the clown is not wearing a hat.
    does the rider hold a whip | no | the rider does not hold a whip. | the rider holds a whip.
    do the clowns wear wigs | yes | the clowns wear wigs. | the clowns do not wear wigs.
    does the goat have a bell | yes | the goat has a bell. | the goat does not have a bell.
    is the rider carrying any bags | no | the rider is not carrying any bags. | the rider is carrying any bags.
    is the clown wearing a hat | a wig | nothing
    are the goats standing on the roof | no | no match
    is the clown laughing | yes | no match
    is he wearing a hat | yes | no match
    """,
)
HAVE = Rule(
    "have",
    "question",
    "do/does + noun + have, and whatever follows: the X has a Y / does not have a Y",
    have,
    """
    does the goat have a large bell | yes | the goat has a large bell. | the goat does not have a large bell.
    do the doors have old handles | no | the doors do not have old handles. | the doors have old handles.
    do the barn have any old doors | no doors | the barn do not have any old doors. | the barn have any old doors.
    does the goat have a large bell | a collar | nothing
    does he have a bell | no | no match
    has the goat eaten | no | no match
    """,
)
LOOK_ADJ = Rule(
    "look_adj",
    "question after coreference",
    "do/does + noun or pronoun + look/seem + adjective: the X seems Y / does not seem Y",
    tagged(look_adj, "AUX DET NOUN VERB ADJ", "AUX PRON VERB ADJ"),
    """
    does the goat look hungry | yes | the goat looks hungry. | the goat does not look hungry.
    do they seem happy -> do the clowns seem happy | no | the clowns do not seem happy. | the clowns seem happy.
    does it look new -> does the doors look new | yes | the doors looks new. | the doors does not look new.
    does it look old | yes | it looks old. | it does not look old.
    does the goat appear hungry | yes | nothing
    does the goat look hungry | a bit | nothing
    does it look very cold | no | no match
    does the goat look like a sheep | yes | no match
    how does the goat look | hungry | no match
    """,
)
LOOK_LIKE = Rule(
    "look_like",
    "question after coreference",
    "do/does + pronoun + look like + noun: it looks like a Y / does not look like a Y",
    tagged(
        look_like,
        *("AUX PRON VERB ADP DET NOUN", "AUX PRON VERB ADP NOUN", "AUX PRON VERB ADP DET ADJ", "AUX PRON VERB ADP ADJ"),
        *("AUX PRON VERB ADP DET NOUN NOUN", "AUX PRON VERB ADP DET ADJ NOUN"),
    ),
    """
    does it look like a barn | yes | it looks like a barn. | it does not look like a barn.
    do they look like farmers -> do the men look like farmers | yes
        | the men look like farmers. | the men do not look like farmers.
    does he look like a clown -> does the man on the pier look like a clown | no
        | the man on the pier does not look like a clown. | the man on the pier looks like a clown.
    does it look like a barn | a shed | nothing
    does he look like a clown | yes | nothing
    does the goat look like a sheep | no | no match
    does it look old | yes | no match
    what does it look like | a barn | no match
    """,
)
VERB_PRON_OBJ = Rule(
    "verb_pron_obj",
    "question after coreference",
    "is/are + pronoun + verb + noun: the X is holding the Y / is not holding the Y",
    where_resolved(tagged(of_pronoun, "AUX PRON VERB DET NOUN", "AUX PRON VERB NOUN")),
    """
    is he holding the whip -> is the rider holding the whip | yes
        | the rider is holding the whip. | the rider is not holding the whip.
    are they wearing hats -> are the clowns wearing hats | no
        | the clowns are not wearing hats. | the clowns are wearing hats.
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
    what's the rider wearing | boots | the rider is wearing boots. | the rider is not wearing boots.
    what is the clown doing | eating | the clown is eating. | the clown is not eating.
    what are the clowns doing | they are juggling | nothing
    what is the goat doing | nothing | nothing
    what is the rider holding | a whip | nothing
    what is she wearing | a cape | no match
    is the rider wearing a cape | yes | no match
    """,
)
WHAT_IS_RESOLVED = Rule(
    "what_is",
    "question after coreference",
    "the same of a pronoun: the X is reading / is not reading",
    where_resolved(lambda exchange: what_is(exchange, resolved=True)),
    """
    what is he wearing -> what is the rider wearing | a cape
        | the rider is wearing a cape. | the rider is not wearing a cape.
    what are they doing -> what are the clowns on the pier doing | juggling
        | the clowns on the pier are juggling. | the clowns on the pier are not juggling.
    what is he wearing -> what is the rider wearing | he wears a cape | nothing
    what is he wearing | a cape | no match
    is he wearing a cape -> is the rider wearing a cape | yes | no match
    """,
)
