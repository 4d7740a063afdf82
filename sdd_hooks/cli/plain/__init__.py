"""The commands that people and agents wait for most, without click for their usual arguments.

Each module says the least CPU time of a process without and with click, of 40 each, in turn, on a
busy machine (Python 3.11, 2 cores).
"""
