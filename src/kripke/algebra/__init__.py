"""Process algebra: processes as terms, their steps by operational rules, and labelled transition systems.

The family of languages whose processes meet in events. ``terms.py`` says what a process is; the rules are Roscoe's
(Understanding Concurrent Systems, chapter 9).
"""
