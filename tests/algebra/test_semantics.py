"""Random pairs of processes: every verdict of the refinement engine against brute force."""

from __future__ import annotations

from random import Random

import pytest

from kripke.engines.plan import SearchPlan
from kripke.engines.refinement.assertions import check as check_assertions
from kripke.languages.cspm.loading import load
from tests.algebra import brute_force as brute

LENGTH = 7
#: of refusal traces, of which there are many more
SHORT = 3


def verdicts(defs, specification, implementation):
    lines = ["channel a, b, c"]
    lines += [f"X{number} = {brute.text(body)}" for number, body in defs.items()]
    lines += [f"SPEC = {brute.text(specification)}", f"IMPL = {brute.text(implementation)}"]
    lines += [f"assert SPEC [{model}= IMPL" for model in ("T", "F", "FD")]
    lines += ["assert IMPL :[deterministic [FD]]", "assert IMPL :[divergence free]", "assert IMPL :[deadlock free [F]]"]
    lines += [f"assert SPEC [{model}= IMPL" for model in ("V", "VD", "R", "RD")]
    script = "\n".join(lines) + "\n"
    model = load("random.csp", text=script)
    return script, check_assertions(model, model.assertions, SearchPlan())


COMPRESSIONS = ("normal", "sbisim", "wbisim", "dbisim", "diamond", "tau_loop_factor")


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_compressions_keep_the_meaning(compression):
    for seed in range(60):
        defs, _, implementation = pair(seed)
        try:
            brute.Behaviour(implementation, defs)
        except brute.TooLarge:
            continue
        lines = ["channel a, b, c", f"transparent {compression}"]
        lines += [f"X{number} = {brute.text(body)}" for number, body in defs.items()]
        lines += [f"P = {brute.text(implementation)}"]
        for semantics in ("T", "F", "FD"):
            lines += [f"assert P [{semantics}= {compression}(P)", f"assert {compression}(P) [{semantics}= P"]
        script = "\n".join(lines) + "\n"
        model = load("random.csp", text=script)
        results = check_assertions(model, model.assertions, SearchPlan())
        assert [result.verdict for result in results] == ["holds"] * 6, f"seed {seed}\n{script}"


def pair(seed: int):
    random = Random(seed)
    names = 2
    defs = {
        number: ("pre", random.choice(brute.EVENTS), brute.random_process(random, 3, names, True))
        for number in range(names)
    }
    specification = brute.random_process(random, 4, names, True)
    if random.random() < 0.5:
        implementation = brute.random_process(random, 4, names, True)
    else:  # often a refinement
        implementation = specification
        for _ in range(3):
            if implementation[0] in ("int", "slide") and random.random() < 0.7:
                implementation = implementation[random.choice((1, 2))]
        specification = ("int", specification, brute.random_process(random, 2, names, True))
    return defs, specification, implementation


def check_pair(seed: int) -> bool:
    defs, specification, implementation = pair(seed)
    try:
        spec, impl = brute.Behaviour(specification, defs), brute.Behaviour(implementation, defs)
    except brute.TooLarge:
        return False
    script, results = verdicts(defs, specification, implementation)
    for model, result in zip(("T", "F", "FD", "V", "VD"), results[:3] + results[6:8], strict=True):
        expected = brute.refines(spec, impl, model, LENGTH)
        if result.trace is not None:
            visible = [s for s in result.trace.steps if not s.statements[0].startswith("τ")]
            if len(visible) > LENGTH:
                continue
        assert (result.verdict == "holds") == expected, f"seed {seed}, {model}: {result.reason}\n{script}"
    if brute.deterministic(impl, LENGTH) != (results[3].verdict == "holds"):
        assert results[3].trace is not None and len(results[3].trace) > LENGTH, f"seed {seed}\n{script}"
    assert (not impl.divergent) == (results[4].verdict == "holds"), f"seed {seed}\n{script}"
    stuck = any(not steps and state != brute.OMEGA for state, steps in impl.table.items())
    assert stuck == (results[5].verdict == "violated"), f"seed {seed}\n{script}"
    check_refusal_traces(seed, script, spec, impl, results)
    return True


def check_refusal_traces(seed: int, script: str, spec: brute.Behaviour, impl: brute.Behaviour, results) -> None:
    names = ("T", "F", "FD", "", "", "", "V", "VD", "R", "RD")
    holds = {name: result.verdict == "holds" for name, result in zip(names, results, strict=True)}
    try:
        expected = brute.refines_refusals(spec, impl, SHORT)
    except brute.TooLarge:
        expected = holds["R"]
    if holds["R"] or len([s for s in results[8].trace.steps if not s.statements[0].startswith("τ")]) <= SHORT:
        assert holds["R"] == expected, f"seed {seed}, R: {results[8].reason}\n{script}"
    # each model sees more than the one before it
    assert holds["R"] <= holds["V"] <= holds["F"] <= holds["T"], f"seed {seed}\n{script}"
    assert holds["RD"] <= holds["VD"] <= holds["FD"], f"seed {seed}\n{script}"
    if not spec.divergent and not impl.divergent:
        assert (holds["R"], holds["V"]) == (holds["RD"], holds["VD"]), f"seed {seed}\n{script}"


@pytest.mark.parametrize("block", range(10))
def test_random_pairs(block):
    checked = sum(check_pair(seed) for seed in range(block * 40, block * 40 + 40))
    assert checked > 20
