"""Drawings of what stands in streets, fields and harbours: vehicles, signs, sports equipment, bags."""

from voirdire.world.sketches.tables import read_sketches

__all__ = ["OUTSIDE"]

OUTSIDE = read_sketches("""
bicycle
  ring 21 68 30 5 rubber
  ring 79 68 30 5 rubber
  line 21 68 40 25 70 25 79 68 5 C
  line 21 68 50 68 40 25 5 C
  line 50 68 70 25 5 C
  line 38 18 40 25 5 C
  line 31 16 46 16 8 black
  line 70 25 68 8 77 6 5 steel
  disc 50 68 7 steel
car
  poly 2 78 2 58 9 46 26 42 36 12 71 12 86 42 97 48 99 60 99 78 C
  poly 39 20 53 20 53 42 32 42 glass
  poly 57 20 69 20 79 42 57 42 glass
  line 55 44 55 74 1 D
  rect 94 52 99 60 lamp
  rect 1 54 5 62 red
  disc 21 80 20 rubber
  disc 21 80 9 steel
  disc 79 80 20 rubber
  disc 79 80 9 steel
motorcycle
  disc 18 72 28 rubber
  disc 18 72 15 steel
  disc 82 72 28 rubber
  disc 82 72 15 steel
  line 82 72 70 22 6 steel
  line 62 14 78 16 6 black
  poly 12 38 46 40 52 52 40 68 24 52 black
  poly 40 30 68 26 74 44 54 50 C
  poly 34 52 66 50 60 80 40 80 steel
  line 18 72 44 76 5 steel
  disc 75 32 9 lamp
airplane
  poly 62 45 42 2 34 2 44 47 D
  poly 12 45 2 8 14 8 26 44 C
  oval 4 36 98 66 C
  poly 56 56 30 98 22 98 38 54 D
  oval 84 40 95 54 glass
  line 24 47 78 47 3 screen
train
  soft 2 8 98 84 C
  rect 2 62 98 70 D
  rect 8 20 20 48 glass
  rect 26 20 38 48 glass
  rect 44 20 56 48 glass
  rect 62 18 72 78 L
  poly 78 18 92 18 97 48 78 48 glass
  disc 93 72 6 lamp
  disc 14 88 10 rubber
  disc 30 88 10 rubber
  disc 54 88 10 rubber
  disc 76 88 10 rubber
  line 0 99 100 99 2 gray
bus
  soft 1 6 99 86 C
  rect 5 16 19 46 glass
  rect 22 16 36 46 glass
  rect 39 16 53 46 glass
  rect 56 16 70 46 glass
  rect 74 16 84 82 glass
  rect 88 14 98 52 glass
  line 4 58 70 58 2 D
  rect 94 66 99 73 lamp
  disc 22 86 13 rubber
  disc 22 86 6 steel
  disc 66 86 13 rubber
  disc 66 86 6 steel
truck
  rect 1 4 64 78 L
  line 12 6 12 76 1 D
  line 25 6 25 76 1 D
  line 38 6 38 76 1 D
  line 51 6 51 76 1 D
  poly 66 80 66 22 84 22 96 48 99 54 99 80 C
  poly 72 28 82 28 91 48 72 48 glass
  rect 1 76 99 84 D
  rect 95 60 99 68 lamp
  disc 17 86 13 rubber
  disc 17 86 6 steel
  disc 47 86 13 rubber
  disc 47 86 6 steel
  disc 83 86 13 rubber
  disc 83 86 6 steel
boat
  line 48 4 48 60 4 wood
  poly 50 6 50 54 82 54 white
  poly 46 12 46 54 22 54 cream
  poly 2 58 98 58 84 96 16 96 C
  line 6 68 94 68 4 L
traffic light
  rect 43 60 57 100 gray
  soft 16 1 84 68 C
  disc 50 13 9 red
  disc 50 35 9 yellow
  disc 50 57 9 green
fire hydrant
  soft 18 90 82 100 D
  rect 30 28 70 92 C
  rect 8 42 92 58 D
  disc 50 50 9 L
  soft 22 24 78 34 D
  oval 30 6 70 44 C
  rect 42 1 58 9 D
stop sign
  rect 46 50 54 100 gray
  poly 32 2 68 2 92 24 92 56 68 78 32 78 8 56 8 24 white
  poly 34 6 66 6 88 26 88 54 66 74 34 74 12 54 12 26 C
  rect 24 34 76 46 white
parking meter
  rect 42 46 58 100 gray
  soft 10 14 90 54 C
  oval 10 1 90 32 C
  oval 24 8 76 28 glass
  rect 36 38 64 44 steel
bench
  rect 4 4 96 16 C
  rect 4 22 96 34 C
  rect 0 50 100 62 C
  line 12 4 12 96 5 D
  line 88 4 88 96 5 D
  line 4 62 4 98 5 D
  line 96 62 96 98 5 D
backpack
  ring 50 12 11 7 D
  soft 8 10 92 98 C
  soft 20 52 80 88 L
  line 24 62 76 62 3 D
  line 14 34 86 34 3 D
umbrella
  line 50 10 50 92 4 wood
  line 50 92 58 98 64 90 4 wood
  poly 1 46 10 24 28 8 50 2 72 8 90 24 99 46 83 40 67 46 50 40 33 46 17 40 C
  line 50 2 33 46 2 D
  line 50 2 67 46 2 D
handbag
  ring 50 36 30 6 D
  poly 10 36 90 36 98 98 2 98 C
  rect 10 36 90 52 D
  disc 50 54 6 yellow
tie
  poly 26 1 74 1 64 16 36 16 D
  poly 36 16 64 16 84 82 50 99 16 82 C
  line 28 52 74 36 6 L
  line 22 74 80 56 6 L
suitcase
  rect 36 1 64 16 D
  rect 42 6 58 16 L
  soft 2 14 98 94 C
  line 22 16 22 92 3 D
  line 78 16 78 92 3 D
  disc 18 96 4 rubber
  disc 82 96 4 rubber
frisbee
  oval 1 10 99 92 C
  oval 18 22 82 66 L
skis
  line 2 38 90 38 98 16 18 C
  line 2 80 90 80 98 58 18 D
snowboard
  soft 1 26 99 84 C
  rect 26 36 34 74 black
  rect 66 36 74 74 black
sports ball
  oval 1 1 99 99 C
  line 4 40 50 56 96 40 6 black
  line 50 56 50 97 6 black
  line 28 8 40 30 72 12 6 black
kite
  poly 40 1 98 30 56 74 2 40 C
  line 40 1 56 74 3 D
  line 2 40 98 30 3 D
  line 56 74 46 84 60 90 50 99 4 D
baseball bat
  poly 60 1 96 8 46 78 30 74 C
  line 38 76 22 96 16 D
baseball glove
  oval 10 34 94 98 C
  oval 2 26 30 66 C
  oval 24 2 44 56 C
  oval 42 0 62 54 C
  oval 60 4 80 58 C
  oval 76 14 94 62 C
  oval 32 50 72 84 D
skateboard
  line 3 22 14 40 86 40 97 22 26 C
  disc 22 76 24 cream
  disc 78 76 24 cream
surfboard
  oval 4 0 96 100 C
  line 50 3 50 97 6 L
  line 14 40 86 40 8 D
tennis racket
  line 50 52 50 97 14 D
  oval 6 1 94 58 C
  oval 16 7 84 52 cream
  line 34 10 34 49 2 gray
  line 50 7 50 52 2 gray
  line 66 10 66 49 2 gray
  line 18 22 82 22 2 gray
  line 18 37 82 37 2 gray
""")
