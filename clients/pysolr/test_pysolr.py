"""pysolr against a running server: its JSON and its XML update paths, and everything it reads back."""

import datetime
import os
import unittest

import kazoo.exceptions
import pysolr

URL = os.environ["SOLR_URL"].rstrip("/")
# The node that has the collection, where that is not the one that is asked.
OWNER = os.environ.get("SOLR_OWNER", URL).rstrip("/")
CORE = os.environ.get("SOLR_CORE", "clients")
ZOOKEEPER = os.environ.get("SOLR_ZK")

BOOKS = [
    {"id": "b1", "title_t": "The Dispossessed", "author_s": "Ursula K. Le Guin", "year_i": 1974, "price_d": 9.5,
     "tags_ss": ["sf", "anarchy"], "in_stock_b": True, "added_dt": "2024-01-02T03:04:05Z"},
    {"id": "b2", "title_t": "A Wizard of Earthsea", "author_s": "Ursula K. Le Guin", "year_i": 1968, "price_d": 7.25,
     "tags_ss": ["fantasy"], "in_stock_b": False, "added_dt": "2024-02-02T00:00:00Z"},
    {"id": "b3", "title_t": "Solaris & <other> \u201cworlds\u201d", "author_s": "Stanis\u0142aw Lem", "year_i": 1961,
     "price_d": 8.0, "tags_ss": ["sf"], "in_stock_b": True, "added_dt": "2024-03-02T00:00:00Z"},
]


class Paths:
    """The same calls over both update paths; a subclass says which."""

    use_xml: bool

    def setUp(self):
        self.solr = pysolr.Solr(f"{URL}/{CORE}", always_commit=True, timeout=30)
        self.solr.delete(q="*:*")

    def add(self, docs, **kwargs):
        if self.use_xml:
            from xml.etree import ElementTree
            message = ElementTree.Element("add")
            for doc in docs:
                message.append(self.solr._build_xml_doc(doc, **{k: v for k, v in kwargs.items() if k == "fieldUpdates"}))
            body = ElementTree.tostring(message, encoding="utf-8").decode("utf-8")
            return self.solr._update(body, commit=True)
        return self.solr.add(docs, **kwargs)

    def test_add_and_search(self):
        self.add(BOOKS)
        results = self.solr.search("author_s:\"Ursula K. Le Guin\"", sort="year_i asc")
        self.assertEqual([doc["id"] for doc in results], ["b2", "b1"])
        self.assertEqual(results.hits, 2)
        self.assertEqual(results.docs[1]["tags_ss"], ["sf", "anarchy"])
        self.assertEqual(results.docs[1]["price_d"], 9.5)
        self.assertIs(results.docs[1]["in_stock_b"], True)
        self.assertEqual(results.docs[1]["added_dt"], "2024-01-02T03:04:05Z")

    def test_unicode_and_markup_survive(self):
        self.add(BOOKS)
        doc = self.solr.search("title_t:solaris").docs[0]
        self.assertEqual(doc["title_t"], BOOKS[2]["title_t"])
        self.assertEqual(doc["author_s"], BOOKS[2]["author_s"])

    def test_dates_and_python_values(self):
        moment = datetime.datetime(2025, 6, 7, 8, 9, 10)
        if not self.use_xml:
            moment = self.solr._from_python(moment)  # pysolr's JSON path takes dates as text only
        self.add([{"id": "d1", "added_dt": moment, "count_i": 7, "in_stock_b": False}])
        doc = self.solr.search("id:d1").docs[0]
        self.assertEqual(doc["added_dt"], "2025-06-07T08:09:10Z")
        self.assertEqual(doc["count_i"], 7)
        self.assertEqual(self.solr.search("added_dt:[2025-06-07T00:00:00Z TO 2025-06-07T00:00:00Z+1DAY]").hits, 1)

    def test_facets(self):
        self.add(BOOKS)
        results = self.solr.search("*:*", **{
            "rows": 0, "facet": "on", "facet.field": ["author_s", "tags_ss"], "facet.mincount": 1,
            "facet.query": "year_i:[1960 TO 1969]", "facet.range": "year_i", "facet.range.start": 1960,
            "facet.range.end": 1980, "facet.range.gap": 10})
        fields = results.facets["facet_fields"]
        self.assertEqual(fields["tags_ss"], ["sf", 2, "anarchy", 1, "fantasy", 1])
        self.assertEqual(fields["author_s"][:2], ["Ursula K. Le Guin", 2])
        self.assertEqual(results.facets["facet_queries"], {"year_i:[1960 TO 1969]": 2})
        self.assertEqual(results.facets["facet_ranges"]["year_i"]["counts"], ["1960", 2, "1970", 1])

    def test_delete(self):
        self.add(BOOKS)
        self.solr.delete(id="b1")
        self.assertEqual(self.solr.search("*:*").hits, 2)
        self.solr.delete(id=["b2", "b3"])
        self.assertEqual(self.solr.search("*:*").hits, 0)
        self.add(BOOKS)
        self.solr.delete(q="tags_ss:sf")
        self.assertEqual([doc["id"] for doc in self.solr.search("*:*")], ["b2"])

    def test_paging_and_fields(self):
        self.add(BOOKS)
        page = self.solr.search("*:*", sort="id asc", start=1, rows=1, fl="id,year_i")
        self.assertEqual(page.docs, [{"id": "b2", "year_i": 1968}])

    def test_debug_and_explain(self):
        self.add(BOOKS)
        results = self.solr.search("title_t:earthsea", debugQuery="true")
        self.assertIn("b2", results.debug["explain"])
        self.assertEqual(results.debug["QParser"], "LuceneQParser")


class JsonPath(Paths, unittest.TestCase):
    use_xml = False

    def test_atomic_updates(self):
        self.add(BOOKS)
        self.solr.add([{"id": "b1", "price_d": 1.5, "tags_ss": "classic", "year_i": 1}],
                      fieldUpdates={"price_d": "set", "tags_ss": "add", "year_i": "inc"})
        doc = self.solr.search("id:b1").docs[0]
        self.assertEqual((doc["price_d"], doc["tags_ss"], doc["year_i"]), (1.5, ["sf", "anarchy", "classic"], 1975))
        self.assertEqual(doc["title_t"], "The Dispossessed")

    def test_commit_within_and_explicit_commit(self):
        solr = pysolr.Solr(f"{URL}/{CORE}", timeout=30)
        solr.add([{"id": "c1"}], commitWithin="60000")
        solr.commit()
        self.assertEqual(solr.search("id:c1").hits, 1)
        solr.add([{"id": "c2"}])
        solr.commit(softCommit=True)
        self.assertEqual(solr.search("id:c2").hits, 1)
        solr.optimize()

    def test_errors_carry_the_reason(self):
        with self.assertRaises(pysolr.SolrError) as caught:
            self.solr.search("title_t:x AND (")
        self.assertIn("Cannot parse", str(caught.exception))
        with self.assertRaises(pysolr.SolrError) as caught:
            self.solr.add([{"id": "e1", "year_i": "not a number"}])
        self.assertIn("Error adding field 'year_i'='not a number'", str(caught.exception))

    def test_ping(self):
        self.assertIn("OK", self.solr.ping())

    def test_long_queries_go_by_post(self):
        self.add(BOOKS)
        query = " OR ".join(f"id:b{number}" for number in range(1, 900))
        self.assertEqual(self.solr.search(query).hits, 3)

    def test_core_admin(self):
        # Only whoever has a core knows it.
        admin = pysolr.SolrCoreAdmin(f"{OWNER}/admin/cores")
        self.assertIn(CORE, admin.status(core=CORE))


class XmlPath(Paths, unittest.TestCase):
    use_xml = True


@unittest.skipUnless(ZOOKEEPER, "no ZooKeeper shows the server (SOLR_ZK)")
class Cloud(unittest.TestCase):
    """Servers are looked up in ZooKeeper."""

    @classmethod
    def setUpClass(cls):
        cls.zookeeper = pysolr.ZooKeeper(ZOOKEEPER)

    @classmethod
    def tearDownClass(cls):
        cls.zookeeper.zk.stop()
        cls.zookeeper.zk.close()

    def test_collections_are_found(self):
        self.assertIn(CORE, self.zookeeper.collections)
        for leaders_only in [False, True]:
            self.assertEqual(len(self.zookeeper.getHosts(CORE, only_leader=leaders_only)), 1)
        # The server has credentials there, clients have none.
        with self.assertRaises(kazoo.exceptions.NoAuthError):
            self.zookeeper.zk.set(f"/collections/{CORE}/state.json", b"{}")
        solr = pysolr.SolrCloud(self.zookeeper, CORE, always_commit=True, timeout=30)
        solr.delete(q="*:*")
        solr.add(BOOKS)
        self.assertEqual(solr.search("author_s:\"Ursula K. Le Guin\"").hits, 2)


if __name__ == "__main__":
    unittest.main()
