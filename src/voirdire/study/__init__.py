"""People on the bench: tasks that they judge on a page of this machine, and what becomes of what they say.

tasks, settings  what is put before them, in words that exams declare it by; the options of every study
folder, texts    a study's files, sealed; the words of its page, one file per language
store            who judged what: SQLite, committed before it is acknowledged
server, page     the page and the few requests that it makes
collect          judgements as the files that exams read, with how far judges agree
"""
