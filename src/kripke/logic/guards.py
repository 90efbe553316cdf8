"""Boolean functions of atoms, as binary decision diagrams: the guards of edges while an automaton is being made.

A function is a number: twice the number of its node, plus one if the node's function is to be negated. So equal
functions are equal numbers and negation costs nothing. (Bryant 1986; Brace, Rudell, Bryant 1990 for the negated edges.)
"""

from __future__ import annotations

from typing import Final

from kripke.logic.automaton import Cube

TRUE: Final = 0
FALSE: Final = 1
MOST_CUBES: Final = 4096


class TooManyCubes(Exception):
    """A function has more than MOST_CUBES cubes."""


class Guards:
    """All functions made so far. Node 0 is the constant true; the high branch of a node is never negated."""

    def __init__(self) -> None:
        self._nodes: list[tuple[int, int, int]] = [(1 << 30, 0, 0)]  # variable, low, high
        self._unique: dict[tuple[int, int, int], int] = {}
        self._conjunctions: dict[tuple[int, int], int] = {}
        self._cubes: dict[tuple[int, int], tuple[int, tuple[Cube, ...]]] = {}

    def variable(self, index: int) -> int:
        return self._node(index, FALSE, TRUE)

    def _node(self, variable: int, low: int, high: int) -> int:
        if low == high:
            return low
        negated = high & 1
        key = (variable, low ^ negated, high ^ negated)
        number = self._unique.get(key)
        if number is None:
            number = self._unique[key] = len(self._nodes)
            self._nodes.append(key)
        return number << 1 | negated

    def both(self, left: int, right: int) -> int:
        """Conjunction."""
        if left == right or right == TRUE:
            return left
        if left == TRUE:
            return right
        if left == FALSE or right == FALSE or left == right ^ 1:
            return FALSE
        key = (left, right) if left < right else (right, left)
        found = self._conjunctions.get(key)
        if found is None:
            variable = min(self._nodes[left >> 1][0], self._nodes[right >> 1][0])
            left_low, left_high = self._branches(left, variable)
            right_low, right_high = self._branches(right, variable)
            found = self._node(variable, self.both(left_low, right_low), self.both(left_high, right_high))
            self._conjunctions[key] = found
        return found

    def either(self, left: int, right: int) -> int:
        """Disjunction."""
        return self.both(left ^ 1, right ^ 1) ^ 1

    def implies(self, left: int, right: int) -> bool:
        return self.both(left, right ^ 1) == FALSE

    def _branches(self, function: int, variable: int) -> tuple[int, int]:
        top, low, high = self._nodes[function >> 1]
        if top != variable:
            return function, function
        negated = function & 1
        return low ^ negated, high ^ negated

    def holds(self, function: int, letter: int) -> bool:
        """The value of a function where exactly the atoms of the letter are true."""
        negated = function & 1
        node = function >> 1
        while node:
            variable, low, high = self._nodes[node]
            function = high if letter >> variable & 1 else low
            negated ^= function & 1
            node = function >> 1
        return not negated

    def from_cubes(self, cubes: tuple[Cube, ...]) -> int:
        function = FALSE
        for cube in cubes:
            term = TRUE
            for index, positive in sorted(cube.literals(), reverse=True):
                term = self.both(term, self.variable(index) ^ (not positive))
            function = self.either(function, term)
        return function

    def cubes(self, function: int) -> tuple[Cube, ...]:
        """The function as a disjunction of cubes none of which can be left out or shortened (Minato, Morreale).

        Raises TooManyCubes.
        """
        return self._between(function, function)[1]

    def cubes_between(self, lower: int, upper: int) -> tuple[Cube, ...]:
        """Few cubes that together are implied by the lower function and imply the upper one. Raises TooManyCubes."""
        return self._between(lower, upper)[1]

    def a_letter(self, function: int) -> int:
        """Some letter that makes a satisfiable function true."""
        letter, negated = 0, function & 1
        node = function >> 1
        while node:
            variable, low, high = self._nodes[node]
            branch = high
            if (high ^ negated) == FALSE:
                branch = low
            else:
                letter |= 1 << variable
            negated ^= branch & 1
            node = branch >> 1
        return letter

    def _between(self, lower: int, upper: int) -> tuple[int, tuple[Cube, ...]]:
        """A function that is implied by the lower one and implies the upper one, and its cubes."""
        if lower == FALSE:
            return FALSE, ()
        if upper == TRUE:
            return TRUE, (Cube(0, 0),)
        key = (lower, upper)
        found = self._cubes.get(key)
        if found is not None:
            return found
        variable = min(self._nodes[lower >> 1][0], self._nodes[upper >> 1][0])
        lower_low, lower_high = self._branches(lower, variable)
        upper_low, upper_high = self._branches(upper, variable)
        low, low_cubes = self._between(self.both(lower_low, upper_high ^ 1), upper_low)
        high, high_cubes = self._between(self.both(lower_high, upper_low ^ 1), upper_high)
        rest = self.either(self.both(lower_low, low ^ 1), self.both(lower_high, high ^ 1))
        shared, shared_cubes = self._between(rest, self.both(upper_low, upper_high))
        bit = 1 << variable
        cubes = (
            *(Cube(cube.positive, cube.negative | bit) for cube in low_cubes),
            *(Cube(cube.positive | bit, cube.negative) for cube in high_cubes),
            *shared_cubes,
        )
        if len(cubes) > MOST_CUBES:
            raise TooManyCubes
        self._cubes[key] = self._node(variable, self.either(low, shared), self.either(high, shared)), cubes
        return self._cubes[key]
