"""`parhelion relevance test` beside ir-measures: random judgments and runs, the same figures.

ir-measures computes nDCG, RR, P, R, AP and Success by pytrec_eval (trec_eval itself) and falls back to other providers for
what that has not: RR@k and Judged@k. Those order equal scores in their own ways, so their runs have none.
"""

import json
import os
import random
import subprocess
import tempfile
import unittest

import ir_measures
from ir_measures import Qrel, ScoredDoc

PARHELION = os.environ["PARHELION"]
TREC_EVAL = ["nDCG", "nDCG@3", "nDCG@10", "RR", "RR(rel=2)", "P@1", "P@5", "P(rel=2)@5", "R@5", "R(rel=3)@10", "AP",
             "AP@5", "AP(rel=2)", "Success@1", "Success(rel=2)@5"]
OTHERS = ["RR@3", "RR(rel=2)@5", "Judged@5"]
# Names sort as bytes, not as people sort them.
NAMES = [f"{kind}{number}" for kind in ("doc", "Doc", "dök", "δ") for number in range(12)]


def judgments(chance):
    """Some queries have nothing relevant, some only what is not found. No negative grades: pytrec_eval can hang on them."""
    grades = [0, 0, 1, 2, 3]
    qrels = []
    for query in range(chance.randint(1, 8)):
        for name in chance.sample(NAMES, chance.randint(1, 20)):
            qrels.append(Qrel(f"q{query}", name, 0 if query == 3 else chance.choice(grades)))
    return qrels


def answers(chance, ties):
    """More queries than are judged, or fewer; with ties, scores that are equal as floats of 32 bits among them."""
    scores = [0.0, 1.0, 1.00000001, 2.5, -3.0, 1e-30, 7e9] if ties else None
    run = []
    for query in range(chance.randint(1, 10)):
        names = chance.sample(NAMES, chance.randint(1, 25))
        for place, name in enumerate(names):
            run.append(ScoredDoc(f"q{query}", name, chance.choice(scores) if ties else 1000.0 - place))
    chance.shuffle(run)
    return run


def ours(qrels, run, measures):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("judgments.txt", "answers.run")]
        lines = [
            [f"{one.query_id} 0 {one.doc_id} {one.relevance}\n" for one in qrels],
            [f"{one.query_id} Q0 {one.doc_id} 1 {one.score!r} test\n" for one in run],
        ]
        for path, text in zip(paths, lines):
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(text)
        asked = [word for measure in measures for word in ("--measure", measure)]
        command = [PARHELION, "relevance", "test", paths[0], "--run", paths[1], "--json", *asked]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


class Relevance(unittest.TestCase):
    def check(self, seed, measures, ties):
        chance = random.Random(seed)
        qrels, run = judgments(chance), answers(chance, ties)
        report = ours(qrels, run, measures)
        parsed = [ir_measures.parse_measure(measure) for measure in measures]
        for measure, expected in ir_measures.calc_aggregate(parsed, qrels, run).items():
            self.assertAlmostEqual(report["means"][str(measure)], expected, delta=1e-6, msg=f"{measure}, seed {seed}")
        for found in ir_measures.iter_calc(parsed, qrels, run):
            value = report["queries"][found.query_id][str(found.measure)]
            self.assertAlmostEqual(value, found.value, delta=1e-6, msg=f"{found}, seed {seed}")

    def test_trec_eval_measures_with_ties(self):
        for seed in range(60):
            self.check(seed, TREC_EVAL, ties=True)

    def test_all_measures_without_ties(self):
        for seed in range(100, 140):
            self.check(seed, TREC_EVAL + OTHERS, ties=False)


if __name__ == "__main__":
    unittest.main()
