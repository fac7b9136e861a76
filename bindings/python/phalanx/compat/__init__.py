"""The names of other packages over Phalanx: see docs/python.md for what differs."""
