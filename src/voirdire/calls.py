"""The functions of the exams' parts, as they are called from Python: with files or with records.

    score_answers("generations.json", "references.json", seed=7)
    score_answers(read_generations("generations.json"), references, ScoreAnswersOptions(seed=7))

A path, or a list of paths where a part takes several, is read as the command reads it. Options are given one by one, by
their names, or as the object that holds all of them.
"""

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voirdire.errors import UsageError
from voirdire.exam import check_providers, exams, read_input
from voirdire.formats.files import reading_once
from voirdire.options import option_fields


def callable_with_files(place: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that takes files, too, where it is that of a part; else the function itself.

    place  where it is: `voirdire.answers.score:score_answers`
    """
    part = next((one for exam in exams() for one in exam.parts if one.function == place), None)
    if part is None:
        return function
    signature = inspect.signature(function)
    names = [one.name for one in option_fields(part.options)]

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        apart = {name: named.pop(name) for name in names if name in named and name not in signature.parameters}
        bound = signature.bind(*given, **named)
        if apart:
            if bound.arguments.get("options") is not None:
                raise UsageError(f"give either `options` or `{next(iter(apart))}`, which is one of them")
            bound.arguments["options"] = part.options(**apart)
        options = bound.arguments.get("options")
        if options is not None:
            check_providers(options)
        with reading_once():
            for one in part.inputs:
                value: Any = bound.arguments.get(one.name)
                if one.read and _is_file(value):
                    files = value if isinstance(value, str | Path) else list(map(str, value))
                    bound.arguments[one.name] = read_input(one, files, options or part.options())
            return function(*bound.args, **bound.kwargs)

    return called


def _is_file(value: Any) -> bool:
    return isinstance(value, str | Path) or (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(one, str | Path) for one in value)
    )
