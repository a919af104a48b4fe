"""Where the people of a family tree stand: generations in layers, couples side by side, kin near kin."""

from __future__ import annotations

from collections.abc import Sequence

from proband.suites.kinship.world.kernel import Family

Unit = tuple[int, ...]  # people who stand side by side: a couple, or one alone
GAP = 20.0


# ---- generations ---------------------------------------------------------------------------------------------------


def generations(family: Family) -> list[int]:
    """A layer per person, parents above children and spouses level; where the family does not allow the latter,
    as when somebody married a generation up, parents still stand above children.

    >>> generations(Family(named=2, genders=("male", "female", "male"), father=(2, None, None),
    ...                    mother=(None, None, None), spouses=((1,), (0,), ())))
    [1, 1, 0]
    """
    level = family.levels()
    if level is None:
        level = [0] * len(family)
        for _ in range(len(family)):
            for x in range(len(family)):
                level[x] = max([level[x], *(level[p] + 1 for p in family.parents[x])])
    return level


# ---- places --------------------------------------------------------------------------------------------------------


def _units(family: Family, level: Sequence[int]) -> list[list[Unit]]:
    rows: list[list[Unit]] = [[] for _ in range(max(level, default=0) + 1)]
    placed: set[int] = set()
    for x in range(len(family)):
        if x in placed:
            continue
        beside = [s for s in family.spouses[x] if s not in placed and level[s] == level[x]]
        unit = (x, *beside[:1])
        placed.update(unit)
        rows[level[x]].append(unit)
    return rows


class Layout:
    """Centres of all people. Rows are ordered and spread by the mean place of each unit's parents and children."""

    def __init__(self, family: Family, widths: Sequence[float]) -> None:
        self.family, self.widths = family, widths
        self.level = generations(family)
        self.rows = _units(family, self.level)
        self.x = [0.0] * len(family)
        for row in self.rows:
            self._pack(row)
        for sweep in range(8):
            for row in self.rows if sweep % 2 == 0 else reversed(self.rows):
                self._settle(row)
        for _ in range(6):
            for row in (*self.rows, *reversed(self.rows)):
                self._spread(row)
        self._side_by_side()

    def _side_by_side(self) -> None:
        """People who are not connected stand apart, each group closed up to the one before."""
        group = list(range(len(self.family)))
        for x in range(len(self.family)):
            for y in (*self.family.parents[x], *self.family.spouses[x]):
                group = [group[x] if g == group[y] else g for g in group]
        spans: dict[int, tuple[float, float]] = {}
        for g, centre, width in zip(group, self.x, self.widths):
            left, right = spans.get(g, (centre, centre))
            spans[g] = min(left, centre - width / 2), max(right, centre + width / 2)
        shift, at = {}, 0.0
        for g, (left, right) in sorted(spans.items(), key=lambda span: (span[1][0], span[0])):
            shift[g] = at - left
            at += right - left + 2 * GAP
        self.x = [x + shift[g] for x, g in zip(self.x, group)]

    def _wish(self, unit: Unit) -> float:
        """The mean place of those it is tied to; where it stands if there are none."""
        family, near = self.family, []
        for person in unit:
            apart = [s for s in family.spouses[person] if self.level[s] != self.level[person]]
            near += [self.x[y] for y in (*family.parents[person], *family.children[person], *apart)]
        return sum(near) / len(near) if near else sum(self.x[person] for person in unit) / len(unit)

    def _width(self, unit: Unit) -> float:
        return sum(self.widths[person] for person in unit) + GAP * (len(unit) - 1)

    def _put(self, unit: Unit, centre: float) -> None:
        at = centre - self._width(unit) / 2
        for person in unit:
            self.x[person] = at + self.widths[person] / 2
            at += self.widths[person] + GAP

    def _pack(self, row: list[Unit]) -> None:
        at = 0.0
        for unit in row:
            self._put(unit, at + self._width(unit) / 2)
            at += self._width(unit) + 1.4 * GAP

    def _settle(self, row: list[Unit]) -> None:
        """Reorder a row by what its units are tied to, and turn couples so that each stands nearer to their own."""
        row.sort(key=lambda unit: (self._wish(unit), unit))
        for i, unit in enumerate(row):
            if len(unit) == 2:
                sides = [[self.x[p] for p in self.family.parents[person]] for person in unit]
                if all(sides) and sum(sides[0]) / len(sides[0]) > sum(sides[1]) / len(sides[1]):
                    row[i] = (unit[1], unit[0])
        self._pack(row)
        self._spread(row)

    def _spread(self, row: list[Unit]) -> None:
        """Move units towards their wishes, keeping their order and distance."""
        wishes = [self._wish(unit) for unit in row]
        right = self._pushed(row, wishes)
        left = [-x for x in reversed(self._pushed(row[::-1], [-wish for wish in reversed(wishes)]))]
        for unit, a, b in zip(row, right, left):
            self._put(unit, (a + b) / 2)

    def _pushed(self, row: Sequence[Unit], wishes: Sequence[float]) -> list[float]:
        places: list[float] = []
        for i, (unit, wish) in enumerate(zip(row, wishes)):
            if i:
                reach = (self._width(row[i - 1]) + self._width(unit)) / 2 + 1.4 * GAP
                wish = max(wish, places[-1] + reach)
            places.append(wish)
        return places
