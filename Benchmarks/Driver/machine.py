"""What a result depends on: the machine, compilers, libraries and flags."""

import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

from points import SEED

PACKAGES = ("libnanoflann-dev", "libboost-dev", "libs2-dev", "libgeographiclib-dev")
MODULES = ("numpy", "scipy", "pykdtree", "scikit-learn")


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        return ""


def processor():
    text = Path("/proc/cpuinfo").read_text()
    found = re.search(r"model name\s*: (.*)", text)
    return found[1] if found else platform.machine()


def cache():
    found = re.findall(r"^L[123]d? cache: +(.*)$", output("lscpu"), re.MULTILINE)
    return " / ".join(re.sub(r" \(.*", "", size) for size in found)


def memory():
    kilobytes = re.search(r"MemTotal: +(\d+)", Path("/proc/meminfo").read_text())
    return f"{int(kilobytes[1]) / 2**20:.0f} GB"


def huge_pages():
    path = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    found = re.search(r"\[(.*)\]", path.read_text()) if path.exists() else None
    return found[1] if found else "none"


def description(flags):
    """Pairs of a word and what it stands for."""
    debian = "; ".join(f"{p} {output('dpkg-query', '-W', '-f', '${Version}', p)}" for p in PACKAGES)
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))
    commit = output("git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty")
    return {
        "processor": f"{processor()}, {len(os.sched_getaffinity(0))} cores; "
        f"L1d / L2 / L3 of all cores: {cache()}",
        "memory": f"{memory()}, pages of {os.sysconf('SC_PAGE_SIZE')} bytes, "
        f"transparent huge pages: {huge_pages()}",
        "system": f"{platform.system()} {platform.release()}, "
        + output("getconf", "GNU_LIBC_VERSION"),
        "load at the start": f"{os.getloadavg()[0]:.1f}",
        "geoq": f"commit {commit}, Swift {swift[1] if swift else '?'}, `swift build -c release`",
        "C++ peers": f"g++ {output('g++', '-dumpfullversion')}, `{flags}`; {debian}",
        "Python peers": f"Python {platform.python_version()}; "
        + "; ".join(f"{m} {version(m)}" for m in MODULES),
        "seed": f"{SEED}, numpy's PCG64",
    }
