"""Replies as today's chat models write them, and the short answer that the rule takes from each.

Questions as those of VisDial and VQA, and such with yes or no. A text that stays is one in which nothing can be read.
"""

import pytest

from voirdire.text.short_answers import short_answer

COUNTS = {
    "The answer is **two**.": "2",
    "**Two**": "2",
    "Two.": "2",
    "There are **two** dogs in the image.": "2",
    "I can see two dogs in the picture.": "2",
    "The image shows two dogs playing in the grass.": "2",
    "**Final Answer**: 2": "2",
    "\\boxed{2}": "2",
    "The final answer is $\\boxed{2}$.": "2",
    "$\\boxed{\\text{two}}$": "2",
    "Based on the image, there are three people visible.": "3",
    "In the image, I can see four chairs around the table.": "4",
    "There are at least five birds.": "5",
    "It looks like there are around 10 people.": "10",
    "There is only one person in the photo.": "1",
    "Two – one brown and one white.": "2",
    "Two: one brown and one white.": "2",
    "Three (3)": "3",
    "Just one.": "1",
    "Approximately twenty.": "20",
    "Thus, the answer is 4.": "4",
    "Here is my answer:\n\n**4**": "4",
    "He looks to be around 40.": "40",
}
YES_NO = {
    "Yes, there is a dog in the background.": "yes",
    "Yes – a small one on the left.": "yes",
    "**Yes**, the sky is blue.": "yes",
    "✅ Yes": "yes",
    "- Yes": "yes",
    "1. Yes": "yes",
    "Yes, that's correct.": "yes",
    "Looking at the image, yes, there is a dog.": "yes",
    "From what I can see, yes.": "yes",
    "The answer to your question is yes.": "yes",
    "Answer: Yes, it is.": "yes",
    "No, it doesn't appear so.": "no",
    "Nope, just the one.": "no",
    "Therefore, the answer is **no**.": "no",
    "There aren't any people in the image.": "no",
    "There isn't a dog in the picture.": "no",
    "There is not any snow.": "no",
    "No people are visible in the image.": "no",
    "No dogs can be seen.": "no",
    "I don't see any people in the image.": "no",
    "I do not see a dog.": "no",
}
WORDS = {
    "Sure! The color of the bus is **red**.": "red",
    "Certainly! The bus is red.": "red",
    "**Color:** Red": "red",
    "Location: the kitchen": "kitchen",
    "“Red”": "red",
    "Pizza 🍕": "pizza",
    "The food on the plate is pizza. 🍕": "pizza",
    "From what I can see, it's a Labrador.": "labrador",
    "As far as I can tell, it is wood.": "wood",
    "It's a red double-decker bus.": "red double-decker bus",
    "There is a red car parked in front of the building.": "red car",
    "It says 'Main St.'": "main st.",
    "The sign reads **STOP**.": "stop",
    "The clock shows 10:10.": "10:10",
    "It is approximately 3:30 PM.": "3:30 pm",
    "It appears to be daytime, as the sky is bright.": "daytime",
    "One man, one woman": "one man, one woman",
    "A man, a woman, and a child are in the picture.": "man, a woman, and a child",
    "Several people are visible.": "several people",
    "They are playing frisbee.": "playing frisbee",
    "The woman is looking at her phone.": "looking at her phone",
    "It's either Nike or Adidas.": "either nike or adidas",
    "On the left side of the image.": "on the left side",
    "It's hard to tell, but it might be a Labrador.": "labrador",
}
STAYS = (
    "I'm sorry, but I can't assist with that.",
    "The image does not provide enough information to determine the time of day.",
    "It's not clear from the image.",
    "The man is not wearing a hat.",
    "It appears so.",
    "Here's what I see:\n\n- Red\n- White",
    "The colors are:\n1. Red\n2. White",
    "1. Red\n2. White",
    "Let me describe it:\nIt is red.\nIt is large.",
    "(B)",
)


@pytest.mark.parametrize(("text", "expected"), [*COUNTS.items(), *YES_NO.items(), *WORDS.items()])
def test_the_answer_in_a_reply(text, expected):
    assert short_answer(text) == expected


@pytest.mark.parametrize("text", STAYS)
def test_what_cannot_be_read_stays(text):
    assert short_answer(text) is text
