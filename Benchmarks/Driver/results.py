"""Records of a run, kept in a file, so that runs of several sizes make one report."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Figure:
    """One contender in one workload: its time in each round (µs per query, seconds of a build)."""

    rounds: tuple
    line: dict

    @property
    def median(self):
        return median(self.rounds)

    @property
    def spread(self):
        """Half of the range, as a share of the median."""
        return (max(self.rounds) - min(self.rounds)) / 2 / self.median

    def times(self, ours):
        """How many times as long this takes as ours: the median over the rounds."""
        return median(mine / our for mine, our in zip(self.rounds, ours.rounds))


@dataclass
class Results:
    """All figures by (layout, size, mix, workload, slow, contender), and the checks of answers."""

    machine: dict = field(default_factory=dict)
    figures: dict = field(default_factory=dict)
    checks: list = field(default_factory=list)

    def take(self, cell):
        for key, record in cell.records.items():
            self.figures[key] = Figure(tuple(record["figures"]), record["line"])
        new = {self.place(check) for check in cell.checks}
        self.checks = [c for c in self.checks if self.place(c) not in new] + cell.checks

    @staticmethod
    def place(check):
        return tuple(check[name] for name in ("layout", "size", "workload", "peer"))

    def get(self, layout, size, mix, workload, contender, slow=False):
        return self.figures.get((layout, size, mix, workload, slow, contender))

    def of_build(self, name):
        """The same with the figures of another build in the place of ours."""
        theirs = {(*key[:5], "geoq"): figure for key, figure in self.figures.items() if key[5] == name}
        return Results(self.machine, {**self.figures, **theirs}, self.checks) if theirs else Results()

    def cells(self):
        """The layouts and sizes there are: clustered first, small first."""
        return sorted({key[:2] for key in self.figures})

    def save(self, path):
        figures = [[*key, list(f.rounds), f.line] for key, f in self.figures.items()]
        content = {"machine": self.machine, "figures": figures, "checks": self.checks}
        Path(path).write_text(json.dumps(content, indent=1))

    @classmethod
    def load(cls, path):
        if not Path(path).exists():
            return cls()
        content = json.loads(Path(path).read_text())
        figures = {tuple(f[:6]): Figure(tuple(f[6]), f[7]) for f in content["figures"]}
        return cls(content["machine"], figures, content["checks"])
