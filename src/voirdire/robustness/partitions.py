"""How the paper cuts a list of 21 basic questions: seven partitions of three, the nearest first."""

__all__ = ["PARTITIONS", "SIZE"]

PARTITIONS, SIZE = 7, 3
