"""A reader of javabin that is not Solr's own: what it makes of an answer is what the same answer says as JSON."""

import json
import os
import unittest
import urllib.parse
import urllib.request

import javapyn

URL = os.environ["SOLR_URL"] + "/" + os.environ["SOLR_CORE"]

PLANETS = [
    {"id": "mars", "name_t": "Mars the red", "moons_i": 2, "mass_d": 0.107, "kind_s": "rock", "seen_dt": "1877-08-12T00:00:00Z"},
    {"id": "earth", "name_t": "Earth & Mönd 月", "moons_i": 1, "mass_f": 1.5, "kind_s": "rock", "tags_ss": ["blue", "home"]},
    {"id": "saturn", "name_t": "Saturn", "moons_l": 1 << 40, "ringed_b": True, "kind_s": "gas", "empty_s": ""},
]


def ask(path, **params):
    with urllib.request.urlopen(URL + path + "?" + urllib.parse.urlencode(params, doseq=True)) as answer:
        return answer.headers["Content-Type"], answer.read()


def plain(value):
    """Dates as text, floats with the digits that both have, no best score where there is none."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items() if (key, entry) != ("maxScore", None)}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if hasattr(value, "isoformat"):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return value


class Javabin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        for body in [{"delete": {"query": "*:*"}}, PLANETS]:
            request = urllib.request.Request(
                URL + "/update?commit=true", json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            urllib.request.urlopen(request).close()

    def check(self, path, **params):
        params["omitHeader"] = "true"
        kind, packed = ask(path, wt="javabin", **params)
        self.assertEqual(kind, "application/octet-stream")
        _, text = ask(path, wt="json", **{"json.nl": "map", **params})
        found, expected = plain(javapyn.deserialize(packed)), plain(json.loads(text))
        self.assertEqual(found, expected)

    def test_documents(self):
        self.check("/select", q="*:*", sort="id asc", fl="id,name_t,moons_i,moons_l,mass_d,mass_f,kind_s,tags_ss,ringed_b,empty_s")
        self.check("/select", q="id:nothing")
        self.check("/select", q="kind_s:rock", sort="id asc", fl="id,score", rows=1, start=1)

    def test_counts(self):
        self.check("/select", q="*:*", rows=0, facet="true", **{"facet.field": "kind_s", "facet.query": "moons_i:[2 TO *]"})
        facet = json.dumps({"kinds": {"type": "terms", "field": "kind_s", "facet": {"most": "max(moons_i)"}}})
        self.check("/select", q="*:*", rows=0, **{"json.facet": facet})

    def test_what_stands_beside_documents(self):
        self.check("/select", q="name_t:red", fl="id", hl="true", **{"hl.fl": "name_t"})
        self.check("/select", q="*:*", fl="id", sort="id asc", group="true", **{"group.field": "kind_s"})
        self.check("/get", id="mars", fl="id,moons_i")
        self.check("/schema/fields/id")

    def test_documents_stream(self):
        _, packed = ask("/select", q="*:*", sort="id asc", fl="id", wt="javabin")
        found = []
        javapyn.deserialize_stream(packed, lambda document: found.append(document["id"]))
        self.assertEqual(found, ["earth", "mars", "saturn"])


if __name__ == "__main__":
    unittest.main()
