"""A flag that is given twice: taken twice, or refused by its name; never the last alone, without a word."""

import pytest
import typer
from typer.core import TyperGroup, TyperOption

from voirdire.cli.command import Later
from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.exam import exams


def verbs():
    """Every verb of the command with its words."""
    found = []

    def walk(command, words):
        command = command.make() if isinstance(command, Later) else command
        if isinstance(command, TyperGroup):
            for name, one in command.commands.items():
                walk(one, (*words, name))
        else:
            found.append((words, command))

    walk(typer.main.get_command(app), ())
    return found


FLAGS = [
    pytest.param(words, command, one, id=f"{'-'.join(words)}{one.opts[0]}")
    for words, command in verbs()
    for one in command.params
    if isinstance(one, TyperOption) and not one.is_flag
]


@pytest.mark.parametrize(("words", "command", "one"), FLAGS)
def test_a_flag_twice_is_taken_twice_or_refused(words, command, one, called):
    flag = one.opts[0]
    status, _, err = called(*words, flag, "1", flag, "2")
    if one.multiple:
        assert f"{flag} must be given once" not in err
    else:
        assert (status, err) == (2, f"voirdire: {flag} must be given once, got 2\n")


def test_the_inputs_that_may_be_given_again_are_those_that_say_so():
    known = {
        (words, parameter.opts[0]): parameter.multiple
        for words, command in verbs()
        for parameter in command.params
        if isinstance(parameter, TyperOption)
    }
    for exam in exams():
        for part in exam.parts:
            for source in part.inputs:
                if flag := source.flag_name:
                    assert known[(exam.name, part.name), flag] == bool(source.many), (exam.name, part.name, flag)


def test_a_switch_twice_is_the_switch(called):
    status, _, err = called("answers", "score", "--json", "--json")
    assert (status, "must be given once" in err) == (2, False)
    assert "--generations" in err


@pytest.mark.parametrize(("words", "command"), [pytest.param(*each, id="-".join(each[0])) for each in verbs()])
def test_an_empty_name_is_refused_and_never_the_working_folder(words, command):
    """A script leaves one where a variable is not set."""
    for parameter in command.params:
        if getattr(parameter, "is_flag", False):
            continue
        flags = parameter.opts[:1] if isinstance(parameter, TyperOption) else []
        with pytest.raises(UsageError, match=f"{flags[0] if flags else '[A-Z]+'} must name something, got an empty"):
            command.make_context(words[-1], [*flags, ""])
