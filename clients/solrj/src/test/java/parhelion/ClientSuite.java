package parhelion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Date;
import java.util.List;
import java.util.Map;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.BaseHttpSolrClient.RemoteSolrException;
import org.apache.solr.client.solrj.request.CoreAdminRequest;
import org.apache.solr.client.solrj.response.QueryResponse;
import org.apache.solr.client.solrj.response.RangeFacet;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrException;
import org.apache.solr.common.SolrInputDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every client of SolrJ's must get, whatever it speaks: types, facets, updates, errors. */
abstract class ClientSuite {
  static final String URL = System.getProperty("solr.url");
  /** The node that has the collection, where that is not the one that is asked. */
  static final String OWNER = System.getProperty("solr.owner", "").isEmpty() ? URL : System.getProperty("solr.owner");
  static final String CORE = System.getProperty("solr.core");

  private SolrClient solr;

  /** A client for the address, which is the node's or the core's. */
  abstract SolrClient connect(String url);

  @BeforeEach
  void empty() throws Exception {
    solr = connect(URL + "/" + CORE);
    solr.deleteByQuery("*:*");
    solr.commit();
  }

  @AfterEach
  void close() throws Exception {
    solr.close();
  }

  private static SolrInputDocument document(String id, Object... fields) {
    SolrInputDocument document = new SolrInputDocument("id", id);
    for (int at = 0; at < fields.length; at += 2) {
      document.addField((String) fields[at], fields[at + 1]);
    }
    return document;
  }

  private void addPlanets() throws Exception {
    solr.add(
        List.of(
            document("mars", "name_t", "Mars the red", "moons_i", 2, "mass_d", 0.107, "kind_s", "rock"),
            document("earth", "name_t", "Earth & Moon", "moons_i", 1, "mass_d", 1.0, "kind_s", "rock"),
            document("saturn", "name_t", "Saturn", "moons_i", 146, "mass_d", 95.2, "kind_s", "gas")));
    solr.commit();
  }

  @Test
  void typesSurviveTheTrip() throws Exception {
    Date moment = new Date(1_700_000_000_123L);
    solr.add(
        document("t", "i_i", 7, "l_l", 1L << 40, "f_f", 1.5f, "d_d", 2.25, "b_b", true, "dt_dt", moment,
            "many_ss", List.of("a", "b"), "text_t", "x < y & z"));
    solr.commit();
    SolrDocument found = solr.getById("t");
    assertEquals(7, found.get("i_i"));
    assertEquals(1L << 40, found.get("l_l"));
    assertEquals(1.5f, found.get("f_f"));
    assertEquals(2.25, found.get("d_d"));
    assertEquals(true, found.get("b_b"));
    assertEquals(moment, found.get("dt_dt"));
    assertEquals(List.of("a", "b"), found.get("many_ss"));
    assertEquals("x < y & z", found.get("text_t"));
    assertInstanceOf(Long.class, found.get("_version_"));
    assertNull(solr.getById("nobody"));
  }

  @Test
  void queriesSortAndPage() throws Exception {
    addPlanets();
    SolrQuery query = new SolrQuery("kind_s:rock").setSort("moons_i", SolrQuery.ORDER.desc).setRows(1).setFields("id", "score");
    QueryResponse response = solr.query(query);
    assertEquals(2, response.getResults().getNumFound());
    assertEquals(0, response.getResults().getStart());
    assertEquals("mars", response.getResults().get(0).get("id"));
    assertNotNull(response.getResults().getMaxScore());
    assertEquals(0, response.getStatus());
  }

  @Test
  void facets() throws Exception {
    addPlanets();
    SolrQuery query = new SolrQuery("*:*").setRows(0).addFacetField("kind_s").addFacetQuery("moons_i:[2 TO *]");
    query.addNumericRangeFacet("moons_i", 0, 200, 100);
    QueryResponse response = solr.query(query);
    assertEquals(2, response.getFacetField("kind_s").getValues().get(0).getCount());
    assertEquals("rock", response.getFacetField("kind_s").getValues().get(0).getName());
    assertEquals(Map.of("moons_i:[2 TO *]", 2), response.getFacetQuery());
    RangeFacet<?, ?> moons = response.getFacetRanges().get(0);
    assertEquals(List.of(2, 1), moons.getCounts().stream().map(RangeFacet.Count::getCount).toList());
  }

  @Test
  void atomicUpdatesAndVersions() throws Exception {
    addPlanets();
    solr.add(document("mars", "moons_i", Map.of("inc", 1), "kind_s", Map.of("set", "dust")));
    solr.commit();
    SolrDocument mars = solr.getById("mars");
    assertEquals(3, mars.get("moons_i"));
    assertEquals("dust", mars.get("kind_s"));
    SolrException conflict =
        assertThrows(SolrException.class, () -> solr.add(document("mars", "_version_", 12345L)));
    assertEquals(409, conflict.code());
    assertTrue(conflict.getMessage().contains("version conflict for mars expected=12345"), conflict.getMessage());
  }

  @Test
  void deletes() throws Exception {
    addPlanets();
    solr.deleteById("mars");
    solr.deleteById(List.of("earth"));
    solr.commit();
    assertEquals(1, solr.query(new SolrQuery("*:*")).getResults().getNumFound());
    assertEquals(List.of("saturn"), solr.getById(List.of("saturn", "mars")).stream().map(d -> d.get("id")).toList());
  }

  @Test
  void errorsHaveTheServersMessage() {
    RemoteSolrException error =
        assertThrows(RemoteSolrException.class, () -> solr.query(new SolrQuery("nosuch:1")));
    assertEquals(400, error.code());
    assertTrue(error.getMessage().contains("undefined field nosuch"), error.getMessage());
  }

  @Test
  void documentsBelowOthers() throws Exception {
    SolrInputDocument shelf = document("shelf", "kind_s", "shelf");
    shelf.addField("books", List.of(document("b1", "kind_s", "book"), document("b2", "kind_s", "book")));
    solr.add(shelf);
    solr.commit();
    SolrQuery query = new SolrQuery("kind_s:shelf").setFields("id", "books", "[child]");
    SolrDocument found = solr.query(query).getResults().get(0);
    List<?> books = (List<?>) found.get("books");
    assertEquals(List.of("b1", "b2"), books.stream().map(book -> ((SolrDocument) book).get("id")).toList());
  }

  @Test
  void statisticsSnippetsAndGroups() throws Exception {
    addPlanets();
    SolrQuery query = new SolrQuery("name_t:red").setHighlight(true).addHighlightField("name_t");
    query.setGetFieldStatistics("moons_i");
    QueryResponse response = solr.query(query);
    assertEquals("Mars the <em>red</em>", response.getHighlighting().get("mars").get("name_t").get(0));
    assertEquals(2.0, response.getFieldStatsInfo().get("moons_i").getMax());
    QueryResponse grouped =
        solr.query(new SolrQuery("*:*").setParam("group", "true").setParam("group.field", "kind_s").setSort("id", SolrQuery.ORDER.asc));
    assertEquals("rock", grouped.getGroupResponse().getValues().get(0).getValues().get(0).getGroupValue());
  }

  @Test
  void cursorsGoOnToTheEnd() throws Exception {
    addPlanets();
    SolrQuery query = new SolrQuery("*:*").setSort("id", SolrQuery.ORDER.asc).setRows(2);
    QueryResponse first = solr.query(query.setParam("cursorMark", "*"));
    QueryResponse second = solr.query(query.setParam("cursorMark", first.getNextCursorMark()));
    assertEquals("saturn", second.getResults().get(0).get("id"));
    assertEquals(second.getNextCursorMark(), solr.query(query.setParam("cursorMark", second.getNextCursorMark())).getNextCursorMark());
  }

  @Test
  void pingAndCoreStatus() throws Exception {
    assertEquals("OK", solr.ping().getResponse().get("status"));
    // Only whoever has a core knows it.
    try (SolrClient admin = connect(OWNER)) {
      // A cloud's client asks whichever node it finds first among those that live.
      if (!OWNER.equals(URL) && admin.getClass().getName().contains("Cloud")) return;
      var cores = CoreAdminRequest.getStatus(null, admin).getCoreStatus();
      // A collection of several shards has a core for each.
      String core = cores.get(CORE) != null ? CORE : CORE + "_shard1_replica_n1";
      assertNotNull(CoreAdminRequest.getStatus(core, admin).getCoreStatus(core).get("index"));
    }
  }
}
