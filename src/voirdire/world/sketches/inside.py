"""Drawings of what is in rooms and on tables: furniture, dishes, food, screens, small things."""

from voirdire.world.sketches.tables import read_sketches

__all__ = ["INSIDE"]

INSIDE = read_sketches("""
bottle
  rect 38 1 62 12 D
  rect 38 10 62 34 C
  poly 38 28 62 28 90 46 90 99 10 99 10 46 C
  rect 10 58 90 80 cream
wine glass
  oval 8 1 92 60 glass
  oval 14 22 86 58 purple
  rect 46 58 54 92 glass
  oval 20 90 80 99 glass
cup
  ring 84 48 26 12 D
  poly 4 4 80 4 74 98 10 98 C
  oval 4 0 80 14 D
fork
  line 2 50 66 50 26 C
  line 66 18 66 82 20 C
  line 66 18 98 18 16 C
  line 66 50 98 50 16 C
  line 66 82 98 82 16 C
knife
  rect 1 30 38 74 black
  poly 38 22 92 22 99 70 38 78 C
spoon
  line 2 52 70 52 26 C
  oval 64 6 99 96 C
bowl
  poly 2 14 98 14 80 94 20 94 C
  oval 2 2 98 28 D
banana
  poly 2 30 14 66 44 90 78 80 97 30 90 22 74 54 46 64 22 50 10 22 C
  line 95 28 98 12 10 brown
apple
  oval 4 20 60 98 C
  oval 40 20 96 98 C
  oval 12 20 88 98 C
  line 50 26 56 2 8 brown
  poly 56 14 82 2 74 20 leaf
sandwich
  poly 2 52 50 2 98 52 C
  poly 2 54 98 54 94 66 6 66 green
  rect 4 64 96 76 red
  soft 2 74 98 98 C
orange
  oval 2 8 98 99 C
  line 50 12 54 2 8 brown
  poly 54 10 76 2 70 16 leaf
broccoli
  poly 38 48 62 48 66 99 34 99 leaf
  oval 2 26 46 70 C
  oval 54 26 98 70 C
  oval 22 2 78 60 C
carrot
  poly 30 10 30 90 99 54 C
  line 30 50 4 16 14 leaf
  line 30 50 2 50 14 leaf
  line 30 50 4 84 14 leaf
hot dog
  soft 2 40 98 98 C
  oval 0 16 100 70 red
  soft 2 58 98 98 C
  line 8 38 24 28 38 42 54 28 68 42 84 30 94 38 6 yellow
pizza
  oval 0 4 100 98 crust
  oval 8 12 92 86 yellow
  oval 20 24 36 46 red
  oval 44 18 60 40 red
  oval 64 34 80 56 red
  oval 34 52 50 74 red
  oval 58 60 72 80 red
donut
  oval 1 8 99 98 crust
  oval 5 4 95 86 C
  oval 36 32 64 58 cream
cake
  rect 4 40 96 96 C
  rect 4 64 96 70 D
  oval 4 26 96 54 L
  rect 30 10 34 36 red
  rect 48 8 52 36 blue
  rect 66 10 70 36 green
  disc 32 6 4 lamp
  disc 50 4 4 lamp
  disc 68 6 4 lamp
chair
  line 14 6 14 99 7 D
  line 86 54 86 99 7 D
  line 30 54 30 90 6 D
  line 96 54 96 90 6 D
  soft 8 2 30 54 C
  poly 8 50 30 44 99 44 92 58 8 58 C
couch
  soft 6 4 94 70 C
  soft 0 32 16 92 D
  soft 84 32 100 92 D
  soft 15 48 50 84 L
  soft 50 48 85 84 L
  rect 6 90 12 99 brown
  rect 88 90 94 99 brown
potted plant
  poly 50 66 8 34 40 46 leaf
  poly 50 66 92 30 60 46 leaf
  poly 50 68 24 6 56 44 C
  poly 50 68 78 4 46 44 C
  poly 48 68 46 0 60 40 leaf
  poly 24 64 76 64 68 99 32 99 clay
  rect 20 62 80 70 clay
bed
  soft 0 2 10 98 wood
  soft 92 34 100 98 wood
  rect 6 46 96 86 white
  poly 30 44 97 44 97 88 30 88 C
  soft 10 32 32 56 white
  line 30 60 96 60 2 D
dining table
  line 8 30 6 98 6 D
  line 92 30 94 98 6 D
  line 24 20 24 76 5 D
  line 76 20 76 76 5 D
  poly 12 2 88 2 100 26 0 26 C
  rect 0 26 100 34 D
toilet
  soft 10 2 90 38 C
  rect 16 0 84 6 D
  poly 26 58 74 58 66 98 34 98 C
  oval 6 38 94 72 C
  oval 18 42 82 62 glass
tv
  rect 40 86 60 96 D
  rect 28 94 72 99 D
  soft 0 0 100 88 C
  rect 4 6 96 80 screen
  poly 12 12 40 12 22 44 12 44 glass
laptop
  soft 10 0 90 66 C
  rect 15 6 85 60 screen
  poly 10 68 90 68 100 98 0 98 C
  poly 18 72 82 72 86 86 14 86 D
mouse
  oval 2 6 92 98 C
  line 50 10 50 50 4 D
  line 50 8 84 0 98 6 6 black
remote
  soft 0 8 100 92 C
  disc 12 50 18 red
  disc 34 36 12 gray
  disc 34 70 12 gray
  disc 52 36 12 gray
  disc 52 70 12 gray
  disc 76 52 22 gray
keyboard
  soft 0 6 100 96 C
  line 6 30 94 30 14 D
  line 6 54 94 54 14 D
  line 22 80 78 80 14 D
cell phone
  soft 4 0 96 100 C
  rect 12 10 88 84 screen
  disc 50 92 4 gray
microwave
  soft 0 2 100 98 C
  rect 6 12 70 86 screen
  rect 78 14 94 28 green
  disc 86 50 9 D
  disc 86 74 9 D
oven
  soft 2 2 98 99 C
  rect 2 2 98 18 D
  disc 20 10 5 red
  disc 40 10 5 white
  disc 60 10 5 white
  disc 80 10 5 white
  line 16 26 84 26 4 steel
  rect 14 34 86 80 screen
toaster
  rect 20 2 46 34 crust
  rect 54 2 80 34 crust
  soft 4 22 96 94 C
  rect 94 40 100 52 black
  line 10 96 22 96 6 black
  line 78 96 90 96 6 black
sink
  line 50 34 50 6 66 6 66 18 7 steel
  soft 0 30 100 56 C
  oval 10 34 90 52 glass
  poly 16 56 84 56 66 99 34 99 C
refrigerator
  soft 2 0 98 98 C
  line 3 36 97 36 2 D
  line 14 12 14 30 6 D
  line 14 44 14 70 6 D
  rect 8 97 24 100 black
  rect 76 97 92 100 black
book
  poly 6 8 88 2 98 84 16 98 C
  poly 16 98 98 84 98 94 18 100 white
  line 12 12 22 92 4 D
  line 34 30 74 26 6 L
  line 36 44 76 40 6 L
clock
  disc 50 50 49 C
  disc 50 50 41 white
  line 50 50 50 20 5 black
  line 50 50 72 58 5 black
  disc 50 14 3 black
  disc 50 86 3 black
  disc 14 50 3 black
  disc 86 50 3 black
vase
  line 50 44 24 10 4 leaf
  line 50 44 52 8 4 leaf
  line 50 44 78 12 4 leaf
  disc 24 9 8 red
  disc 52 7 7 yellow
  disc 78 11 8 pink
  poly 34 38 66 38 62 50 92 74 70 99 30 99 8 74 38 50 C
scissors
  line 36 36 98 80 12 steel
  line 36 66 98 20 12 steel
  ring 18 24 20 10 C
  ring 18 76 20 10 C
teddy bear
  disc 26 12 9 C
  disc 74 12 9 C
  oval 0 44 28 70 C
  oval 72 44 100 70 C
  oval 10 74 42 99 D
  oval 58 74 90 99 D
  oval 16 40 84 92 C
  oval 30 50 70 84 L
  oval 18 4 82 50 C
  oval 36 26 64 46 L
  disc 38 22 3 black
  disc 62 22 3 black
  disc 50 33 4 black
hair drier
  poly 46 46 72 46 66 98 46 98 D
  poly 0 14 20 20 20 48 0 56 steel
  oval 14 4 92 60 C
  disc 74 32 14 D
toothbrush
  line 2 70 98 70 30 C
  rect 66 14 96 62 white
""")
