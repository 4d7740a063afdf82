"""The default embedding model of sdd-hooks: all-MiniLM-L6-v2, as files beside this one.

sdd-hooks reads them itself. There is no code to call.
"""
