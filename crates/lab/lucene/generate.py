#!/usr/bin/env python3
"""Writes corpus.jsonl and queries.jsonl, always the same ones: generate.py DOCS FOLDER.

100 words a document out of 200,000 (six letters, three syllables), the word of rank r with weight 1/r; 1,000 categories by
rank as well, 100,000 tags, numbers below a million and seconds of three years evenly. Queries name words by rank: 3, 5 and 10
are frequent, 300 is medium, 50,000 is rare.
"""

import json
import random
import sys
from datetime import datetime, timedelta, timezone
from itertools import accumulate, product

WORDS, VOCABULARY, CATEGORIES, TAGS, NUMBERS = 100, 200_000, 1000, 100_000, 1_000_000
SECONDS, START = 3 * 365 * 86400, datetime(2023, 1, 1, tzinfo=timezone.utc)
PREFIXES = ((4, 25, 1000), (2, 2000, 50))  # letters, words wanted, rank that the best word must not reach


def by_rank(count):
    return list(accumulate(1 / rank for rank in range(1, count + 1)))


def time(second):
    return (START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")


def documents(random, words, count):
    word_weights, category_weights = by_rank(VOCABULARY), by_rank(CATEGORIES)
    for number in range(count):
        yield {
            "id": f"d{number:07}",
            "text": " ".join(random.choices(words, cum_weights=word_weights, k=WORDS)),
            "num": random.randrange(NUMBERS),
            "date": time(random.randrange(SECONDS)),
            "flag": random.random() < 0.5,
            "cat": f"cat{random.choices(range(CATEGORIES), cum_weights=category_weights)[0]:04}",
            "tag": f"tag{random.randrange(TAGS):06}",
        }


def middle(share, whole):
    """The middle percents of a span: first and last."""
    width = int(whole * share / 100)
    first = (whole - width) // 2
    return first, first + width - 1


def prefix_of(words, letters, wanted, rank_min):
    best = {}
    for rank, word in enumerate(words, 1):
        best.setdefault(word[:letters], [rank, 0])[1] += 1
    known = ((abs(count - wanted), rank, prefix) for prefix, (rank, count) in best.items() if rank > rank_min)
    return min(known)[2]


def queries(words):
    frequent, also, third, medium, rare = (words[rank - 1] for rank in (3, 10, 5, 300, 50_000))
    for kind, name, *terms in (
        ("term", "term frequent", frequent),
        ("term", "term medium", medium),
        ("term", "term rare", rare),
        ("and", "AND frequent,frequent", frequent, also),
        ("and", "AND frequent,medium", frequent, medium),
        ("and", "AND of 3", frequent, also, medium),
        ("or", "OR frequent,frequent", frequent, also),
        ("or", "OR frequent,medium", frequent, medium),
        ("or", "OR of 3", frequent, also, medium),
        ("or", "OR of 3 frequent", frequent, also, third),
        ("or", "OR of 5", frequent, also, words[29], medium, words[2999]),
        ("phrase", "phrase frequent,frequent", frequent, also),
        ("phrase", "phrase frequent,medium", frequent, medium),
    ):
        yield {"class": kind, "name": name, "kind": kind, "terms": terms}
    for letters, wanted, rank_min in PREFIXES:
        prefix = prefix_of(words, letters, wanted, rank_min)
        yield {"class": "prefix", "name": f"prefix ~{wanted} terms", "kind": "prefix", "prefix": prefix}
    for field, whole, shown in (("date", SECONDS, time), ("num", NUMBERS, int)):
        for share in (0.1, 1, 10, 50):
            first, last = middle(share, whole)
            label = {"date": "date", "num": "int"}[field]
            yield {"class": "range", "name": f"{label} range {share} %", "kind": "range",
                   "field": field, "from": shown(first), "to": shown(last)}
    for word, label in ((frequent, "frequent"), (medium, "medium")):
        for share in (1, 10):
            first, last = middle(share, SECONDS)
            yield {"class": "range_term", "name": f"term {label} + date range {share} %", "kind": "range_term",
                   "terms": [word], "field": "date", "from": time(first), "to": time(last)}
    for label, terms in (("all", None), ("term frequent", [frequent]), ("term medium", [medium])):
        restricted = {"terms": terms} if terms else {}
        yield {"class": "sort", "name": f"sort by date, {label}", "kind": "sort", **restricted,
               "sort_field": "date", "order": "desc"}
        for field, values in (("cat", "1 K"), ("tag", "100 K")):
            yield {"class": "facet", "name": f"facet {values} values, {label}", "kind": "facet", **restricted,
                   "facet_field": field}


def write(path, rows):
    with open(path, "w", encoding="ascii") as file:
        for row in rows:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def main():
    count, folder = int(sys.argv[1]), sys.argv[2]
    seeded = random.Random(20261121)
    syllables = [consonant + vowel for consonant in "bcdfghjklmnpqrstvwxz" for vowel in "aeiou"]
    words = ["".join(parts) for parts in seeded.sample(list(product(syllables, repeat=3)), VOCABULARY)]
    write(f"{folder}/queries.jsonl", queries(words))
    write(f"{folder}/corpus.jsonl", documents(seeded, words, count))


if __name__ == "__main__":
    main()
