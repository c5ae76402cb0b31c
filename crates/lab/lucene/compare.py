#!/usr/bin/env python3
"""Sets two arms' results side by side: compare.py OURS LUCENE. Answers first: a row whose hits or top differ is void.

The ratio is Lucene's processor time of a call over ours. Scores that are equal to the last digit in one arm and not in the
other may change places: a top is the same if it holds the same documents.
"""

import json
import math
import sys
from collections import defaultdict


def rows(path):
    with open(path, encoding="utf-8") as file:
        found = (json.loads(line) for line in file)
        return {(row["name"], row["mode"]): row for row in found}


def same(ours, theirs):
    def top(row):
        return sorted(map(str, row.get("top", [])))

    return ours["hits"] == theirs["hits"] and top(ours) == top(theirs)


def main():
    ours, theirs = rows(sys.argv[1]), rows(sys.argv[2])
    ratios, void = defaultdict(list), 0
    print(f"{'':36} {'mode':18} {'hits':>9} {'ours us':>10} {'Lucene us':>10} {'ratio':>7}")
    for key, row in ours.items():
        other = theirs.get(key)
        if other is None:
            continue
        if not same(row, other):
            void += 1
            print(f"{key[0]:36} {key[1]:18} {row['hits']:>9} void: Lucene found {other['hits']} or another top")
            continue
        ratio = other["cpu_us"] / row["cpu_us"]
        ratios[row["class"]].append(ratio)
        print(f"{key[0]:36} {key[1]:18} {row['hits']:>9} {row['cpu_us']:>10.1f} {other['cpu_us']:>10.1f} {ratio:>6.2f}x")
    for name, of_class in ratios.items():
        mean = math.exp(sum(map(math.log, of_class)) / len(of_class))
        print(f"{name:36} geometric mean of {len(of_class):2} {mean:>6.2f}x, least {min(of_class):.2f}x")
    sys.exit(1 if void else 0)


if __name__ == "__main__":
    main()
