"""Studies with people: tasks that they judge on a page served by this machine, and what becomes of their judgements.

design        what a task is, and the options of every study, in words that exams declare it by
folder        a study's files, sealed
judge_page    the page and its texts, one file per language
stored_judgements  the judgements as far as their file can be read
database      who judged what: SQLite, committed before it is acknowledged
app, serve    the requests that the page makes, and the server
collect       judgements as the files that exams read, with how far judges agree
"""
