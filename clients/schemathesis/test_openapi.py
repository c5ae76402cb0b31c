"""The description that the server gives of itself: it is OpenAPI 3.1, and requests made from it, sensible and not, are answered
without a fault and as described.

SCHEMATHESIS_EXAMPLES=200 SCHEMATHESIS_SEED=7 asks more, and other things; SOLR_USER=name:password logs in."""

import base64
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request

from openapi_spec_validator import OpenAPIV31SpecValidator

URL = os.environ["SOLR_URL"].rstrip("/")
CORE = os.environ.get("SOLR_CORE", "clients")
EXAMPLES = os.environ.get("SCHEMATHESIS_EXAMPLES", "6")
SEED = os.environ.get("SCHEMATHESIS_SEED", "1")
USER = os.environ.get("SOLR_USER", "")
# What makes the requests writes no CBOR: crates/http/tests/hostile sends such bodies.
CBOR = "/solr/{collection}/update/cbor"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance"
DOCUMENTS = [
    {"id": "1", "title_t": "Solaris by Lem", "year_i": 1961, "price_d": 8.0, "tags_ss": ["sf"], "place_p": "45,-93"},
    {"id": "2", "title_t": "quick brown fox", "year_i": 2147483647, "added_dt": "9999-12-31T23:59:59Z"},
]
# Every path that has a collection is asked of this one.
SETTINGS = """
[parameters]
"path.collection" = "{core}"
"""


def ask(path, body=None):
    """What is answered to a request of somebody who has logged in, if there is a log-in."""
    headers = {"Content-Type": "application/json"}
    if USER:
        headers["Authorization"] = "Basic " + base64.b64encode(USER.encode()).decode()
    with urllib.request.urlopen(urllib.request.Request(URL + path, body, headers)) as answer:
        return json.load(answer)


class Description(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.description = ask("/openapi.json")
        ask(f"/{CORE}/update?commit=true", json.dumps(DOCUMENTS).encode())

    def test_is_openapi(self):
        errors = [error.message for error in OpenAPIV31SpecValidator(self.description).iter_errors()]
        self.assertEqual(errors, [])

    def test_holds(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "schemathesis.toml"), "w", encoding="utf-8") as settings:
                settings.write(SETTINGS.format(core=CORE))
            run = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", URL + "/openapi.json", "--checks", CHECKS,
                 "--phases", "fuzzing", "--exclude-path", CBOR, "--max-examples", EXAMPLES, "--seed", SEED, "--request-timeout", "30",
                 "--generation-database", "none", "--no-shrink", "--continue-on-failure", "--warnings", "off",
                 "--suppress-health-check", "all", "--no-color"] + (["--auth", USER] if USER else []),
                cwd=folder, capture_output=True, text=True, encoding="utf-8")
        self.assertEqual(run.returncode, 0, run.stdout[-20000:] + run.stderr[-4000:])


if __name__ == "__main__":
    unittest.main()
