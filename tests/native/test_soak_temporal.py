"""A sample of the random models and formulas of ``python -m tests.soak_temporal``, the same every day."""

from tests import soak_temporal


def test_searches_and_definition_agree():
    said = []
    tally = soak_temporal.run(60, 28, said.append)
    assert tally["difference"] == 0, said
    assert min(tally["holds"], tally["violated"], tally["holds if fair"]) > 0, tally
