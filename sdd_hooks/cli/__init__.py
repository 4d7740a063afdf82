"""The command line. Importing it moves the directories of PYTHONPATH behind all others."""

from __future__ import annotations

import os
import sys

if "PYTHONPATH" in os.environ:
    # A program that bundles Python, and a project, have modules with names of the standard library.
    _given = {os.path.realpath(path) for path in os.environ["PYTHONPATH"].split(os.pathsep)}
    sys.path.sort(key=lambda path: os.path.realpath(path) in _given)
