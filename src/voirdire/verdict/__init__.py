"""The verdict in numbers: runs beside each other, and what a further one would need to show."""
