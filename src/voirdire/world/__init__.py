"""A made-up visual world with known truth, and witnesses with planted flaws.

inventory, scene        what scenes are made of; a scene from a seed and a number
meaning, words          what a question means; the words for each sense
grammar, understand     meaning to English and back
truth, reference        a meaning evaluated on a scene; who is spoken of
asking, answering       what one may ask; every wording of an answer
dialogue, games, vqa    VisDial dialogues, GuessWhat?! games and VQA questions about a scene
draw                    its picture
build, folder           a world on disk
oracle                  an oracle that is never wrong
witnesses               players whose flaws are known
"""
