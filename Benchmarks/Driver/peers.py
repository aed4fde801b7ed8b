"""Who is asked: the peers, each a live process that answers a line with a line, and geoq bench."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / ".build" / "benchmarks"
PYTHON = [sys.executable, str(ROOT / "Benchmarks" / "Peers" / "python_peers.py"), "--peer"]
CORES = len(os.sched_getaffinity(0))
# geoq as it is built for all processors, and for those with AVX2 (make build CPU=haswell)
OURS, WIDE = "geoq", "geoq, AVX2"


@dataclass(frozen=True)
class Spec:
    """A peer: how it is started and what it answers."""

    name: str
    title: str
    command: tuple
    ops: tuple
    slow: bool = False
    exact: bool = False
    threads: int = 1
    largest: int = 10**8  # the largest number of points it is given

    def answers(self, workload):
        return workload.op in self.ops and workload.batch == (self.threads > 1)


def compiled(name):
    return (str(BUILT / name),)


K, KR, B = ("nearest",), ("nearest", "radius"), ("bbox", "count")
PEERS = (
    Spec("nanoflann", "nanoflann f32", compiled("nanoflann"), KR),
    Spec("nanoflann-f64", "nanoflann f64", compiled("nanoflann-f64"), KR),
    Spec("flinn", "FLINN f32", compiled("flinn"), K),
    Spec("flinn-f64", "FLINN f64", compiled("flinn-f64"), K),
    Spec("boost3d", "Boost 3-D", compiled("boost3d"), KR),
    Spec("boost2d", "Boost 2-D", compiled("boost2d"), B),
    Spec("hilbert", "Hilbert array", compiled("hilbert"), ("radius", *B)),
    Spec("scipy", "scipy", (*PYTHON, "scipy"), K),
    Spec("pykdtree-1", "pykdtree", (*PYTHON, "pykdtree"), K),
    Spec("pykdtree", "pykdtree, all cores", (*PYTHON, "pykdtree"), K, threads=max(CORES, 2)),
    Spec("s2", "S2", compiled("s2"), KR, slow=True),
    Spec("geographiclib", "GeographicLib", compiled("geographiclib"), KR, True, True, 1, 10**6),
    Spec("bersaelor", "Bersaelor/KDTree", compiled("bersaelor"), KR, slow=True, largest=10**6),
    Spec("sklearn", "scikit-learn", (*PYTHON, "sklearn"), KR, slow=True, largest=10**6),
)


class Failed(Exception):
    """A peer or geoq did not answer."""


def parsed(line, who):
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        raise Failed(f"{who}: no answer, but {line.strip()[:200]!r}") from None


class Live:
    """A peer's process: its index is built once and asked many times."""

    def __init__(self, spec, points):
        self.spec, self.name = spec, spec.name
        threads = {"OMP_NUM_THREADS": str(spec.threads), "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [*spec.command, "--points", str(points), "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **threads},
        )
        self.built = parsed(self.process.stdout.readline(), spec.title)

    def ask(self, *options):
        try:
            self.process.stdin.write(shlex.join(map(str, options)) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(f"{self.spec.title}: it has ended") from None
        return parsed(self.process.stdout.readline(), self.spec.title)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Geoq:
    """`geoq bench`: a process for each workload, which builds its tree each time."""

    def __init__(self, binary, points, name=OURS):
        self.name = name
        self.command = [*shlex.split(binary), "bench", "--json", "--points", str(points)]

    @staticmethod
    def check(binary):
        """Ends the run where the binary is no geoq that has `bench`."""
        try:
            command = [*shlex.split(binary), "bench", "--help"]
            subprocess.run(command, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"benchmarks: {binary} does not answer `bench --help`: {error}")

    def ask(self, *options, threads=1):
        arguments = self.arguments(list(map(str, options)))
        command = [*self.command, *arguments, "--threads", str(threads)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise Failed(f"{shlex.join(command)}: {result.stderr.strip()[-300:]}")
        return parsed(result.stdout, self.name)

    @staticmethod
    def arguments(options):
        """The peers' options as `geoq bench` calls them."""
        if "count" in options:
            options[options.index("count")] = "bbox"
            options.append("--count-only")
        if "--answers" in options:
            options.append("--force")
        return options
