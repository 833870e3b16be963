"""By what the rounds of the answers exam are cut into slices: kind of question, a pronoun in it, length of answers.

    question_type  by the first rule that fits the question's words:
                   count     how many, how much, what number
                   colour    what or which colour
                   yes/no    begins with a form of be, do, have or a modal verb, or with any
                   what, where, who, when, why, which, how    by its question word, wherever it stands
                   other
    pronoun        whether a word of the question stands for something said before: it, they, he, she, …
    length         the median number of words of the round's valid answers

All three are facts of the data, so they are the same for every model.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

FACETS = ("question_type", "pronoun", "length")
WORDS = {"length": "length of the valid answers"}

_AUXILIARY = (
    "is|isn't|are|aren't|was|were|am|be|do|does|doesn't|don't|did|has|have|had|"
    "can|could|will|would|should|may|might|must"
)
_TYPES = (
    ("count", r"\bhow (?:many|much)\b|\bwhat number\b"),
    ("colour", r"\b(?:what|which)(?:'s| is| are)?(?: the)? (?:\w+ )?colou?rs?\b"),
    ("yes/no", rf"^(?:(?:and|but|or|so|ok|okay)\b[ ,]*)?(?:{_AUXILIARY}|any)\b"),
    *((word, rf"\b{word}\b") for word in ("what", "where", "who", "when", "why", "which", "how")),
)
_PRONOUN = (
    r"\b(?:it|its|itself|they|them|their|theirs|he|him|his|she|her|hers|this|that|these|those|one|ones|either|both)\b"
)
_LENGTHS = ((2, "1 to 2 words"), (4, "3 to 4 words"))
_LONGER = "5 or more words"


def with_facets(items: "pl.DataFrame") -> "tuple[pl.DataFrame, tuple[str, ...]]":
    """The items with those of the columns that their texts allow, and which these are: older runs have no texts."""
    import polars as pl

    made: dict[str, pl.Expr] = {}
    if "question" in items.columns:
        asked = pl.col("question").str.to_lowercase().str.strip_chars()
        kind = pl.lit("other")
        for name, pattern in reversed(_TYPES):
            kind = pl.when(asked.str.contains(pattern)).then(pl.lit(name)).otherwise(kind)
        known = asked.is_not_null()
        made["question_type"] = pl.when(known).then(kind)
        said = pl.when(asked.str.contains(_PRONOUN)).then(pl.lit("with a pronoun")).otherwise(pl.lit("without one"))
        made["pronoun"] = pl.when(known).then(said)
    if "references" in items.columns:
        words = pl.col("references").list.eval(pl.element().str.count_matches(r"\S+")).list.median()
        size = pl.lit(_LONGER)
        for most, name in reversed(_LENGTHS):
            size = pl.when(words <= most).then(pl.lit(name)).otherwise(size)
        made["length"] = pl.when(words.is_not_null()).then(size)
    return items.with_columns(**made), tuple(made)
