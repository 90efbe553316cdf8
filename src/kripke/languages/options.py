"""Options that several languages share."""

from __future__ import annotations

from kripke.languages.language import Option

#: of languages whose models are process programs
MERGE = Option("merge", "--no-merge", "do not merge statements: each is a step of its own (Promela)", default=True)
DEAD_VARIABLES = Option(
    "dead_variables",
    "--dead-variables",
    "what to do with a variable that nobody will read again: zero sets it to 0 (default), initial to its start value, "
    "off leaves it (default of simulate) (Promela)",
    default="zero",
    choices=("zero", "initial", "off"),
    in_simulations="off",
)
SLICE = Option("slice", "--slice", "leave out data that no property and no step depends on (Promela, LF)")

#: of state machines, which somebody sends events to
ENVIRONMENT = Option(
    "environment",
    "--events",
    "the events that the environment of a state machine may send, separated by commas, or the word none (default: all "
    "that transitions wait for and the machine does not send itself)",
    default=None,
    metavar="LIST",
)
QUEUE = Option(
    "queue",
    "--queue",
    "the environment of a state machine sends as long as fewer than N events wait (default 1)",
    default=1,
    metavar="N",
)
