"""`python -m voirdire`: the command, for where its name is not on the path."""

from voirdire.cli.main import run

run()
