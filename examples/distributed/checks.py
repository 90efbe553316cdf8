"""What must hold at the end of every run."""


def bob_is_right(system):
    """Whenever Bob is sure that he talks to Alice, Alice has begun to talk to Bob."""
    if ("is sure of", "bob", "alice") in system.log:
        assert ("runs with", "alice", "bob") in system.log, "Bob is sure of Alice, who never talked to him"


def all_agree(system):
    """Two-phase commit: nobody commits while somebody aborts."""
    decisions = {value for what, _, value in system.log if what == "decided"}
    assert len(decisions) < 2, "one commits and another aborts"


def one_leader(system):
    """Raft: a term has one leader at most, and what was committed stays."""
    leaders = {}
    committed = {}
    for what, term, value in system.log:
        known = leaders if what == "leader" else committed
        key = term if what == "leader" else "entry"
        assert known.setdefault(key, value) == value, f"two in term {term}: {known[key]} and {value}"


def logs_agree(system):
    """Raft: a term has one leader at most, and a place in the log that is committed keeps its entry."""
    known = {}
    for what, key, value in system.log:
        assert known.setdefault((what, key), value) == value, f"{what} {key}: {known[what, key]} and {value}"
