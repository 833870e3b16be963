"""The models of the papers that are trained here, and the one trainer that they share.

`TrainingSchedule` says how a training goes, `train` runs it, and `read_arrays` and `write_arrays` keep weights in a
file. The package itself imports nothing heavy; its modules do.
"""

__all__: list[str] = []
