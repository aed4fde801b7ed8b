"""See that the checker of answers notices wrong ones: python control.py CHECKER DIR

CHECKER is the built geographiclib.cpp and DIR what it has passed. Each wrong file differs from DIR's
answers.txt in one answer, which the checker must name. Exits 1 if it lets one pass.
"""

import os
import subprocess
import sys
import tempfile

PLACE = 1e-3  # meters between two answers that no rounding makes a tie


def words_from(kind, first):
    """A test for query lines of a kind with at least two answers, whose count is word `first`."""
    return lambda words: words[0] == kind and int(words[first]) >= 2


def apart(words):
    """Whether a nearest query's first two answers are clearly not as far."""
    return words_from("nearest", 6)(words) and float(words[8]) + PLACE < float(words[10])


def without_last(words, count, width):
    words[count] = str(int(words[count]) - 1)
    return words[:-width]


def without_first(words, count, width):
    words[count] = str(int(words[count]) - 1)
    return words[: count + 1] + words[count + 1 + width :]


def changed(words, place, value):
    return words[:place] + [value] + words[place + 1 :]


FAULTS = {
    "two answers in the wrong order": (
        apart, lambda w: w[:7] + w[9:11] + w[7:9] + w[11:]),
    "two indexes exchanged": (
        apart, lambda w: changed(changed(w, 7, w[9]), 9, w[7])),
    "a nearest answer skipped": (
        words_from("nearest", 6), lambda w: without_last(w, 6, 2)),
    "a radius answer skipped": (
        words_from("radius", 5), lambda w: without_first(w, 5, 2)),
    "a distance off by 2 um": (
        words_from("nearest", 6), lambda w: changed(w, 8, repr(float(w[8]) + 2e-6))),
    "a point skipped of a box": (
        words_from("box", 6), lambda w: without_last(w, 6, 1)),
    "one too many counted in a box": (
        words_from("boxCount", 6), lambda w: changed(w, 6, str(int(w[6]) + 1))),
    # past all the points there are, so that no tie at the rim can explain it
    "too many counted in a circle": (
        words_from("radiusCount", 5), lambda w: changed(w, 5, "1000000000")),
}


def passes(checker, folder, lines):
    with open(os.path.join(folder, "answers.txt"), "w", encoding="utf-8") as file:
        file.writelines(lines)
    return subprocess.run([checker, folder], capture_output=True, check=False).returncode == 0


def main(checker, source):
    with open(os.path.join(source, "answers.txt"), encoding="utf-8") as file:
        lines = file.readlines()
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        pairs = os.path.abspath(os.path.join(source, "pairs.f64"))
        os.symlink(pairs, os.path.join(folder, "pairs.f64"))
        for name, (fits, spoil) in FAULTS.items():
            split = enumerate(line.split() for line in lines)
            place, words = next((i, w) for i, w in split if w and w[0].isalpha() and fits(w))
            wrong = lines[:place] + [" ".join(spoil(words)) + "\n"] + lines[place + 1 :]
            if passes(checker, folder, wrong):
                missed.append(name)
    print(f"controls: {len(FAULTS) - len(missed)} of {len(FAULTS)} wrong answers noticed")
    for name in missed:
        print(f"  not noticed: {name}")
    return 1 if missed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
