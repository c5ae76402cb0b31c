package parhelion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.apache.solr.client.solrj.RemoteSolrException;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.impl.HttpJdkSolrClient;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.client.solrj.request.SolrQuery;
import org.apache.solr.common.SolrDocument;
import org.apache.solr.common.SolrInputDocument;
import org.junit.jupiter.api.Test;

/** SolrJ 10: the client of the JDK, alone and below the cloud client. */
class CloudSolrClientTest {
  private static final String URL = System.getProperty("solr.url");
  private static final String CORE = System.getProperty("solr.core");

  private static CloudSolrClient cloud() {
    return new CloudSolrClient.Builder(List.of(URL)).build();
  }

  private static void addAndAsk(SolrClient solr) throws Exception {
    solr.deleteByQuery(CORE, "*:*");
    solr.add(CORE, List.of(new SolrInputDocument("id", "1", "n_i", "5"), new SolrInputDocument("id", "2")));
    solr.commit(CORE);
    SolrDocument found = solr.query(CORE, new SolrQuery("n_i:5")).getResults().get(0);
    assertEquals(5, found.get("n_i"));
    assertEquals("2", solr.getById(CORE, "2").get("id"));
    solr.deleteById(CORE, "2");
    solr.commit(CORE);
    assertEquals(1, solr.query(CORE, new SolrQuery("*:*")).getResults().getNumFound());
    RemoteSolrException error =
        assertThrows(RemoteSolrException.class, () -> solr.query(CORE, new SolrQuery("nosuch:1")));
    assertEquals(400, error.code());
    assertTrue(error.getMessage().contains("undefined field nosuch"), error.getMessage());
  }

  @Test
  void byTheStateOfTheCluster() throws Exception {
    try (CloudSolrClient solr = cloud()) {
      addAndAsk(solr);
      assertNotNull(solr.getClusterStateProvider().getCollection(CORE).getLeader("shard1"));
    }
  }

  @Test
  void byTheAddress() throws Exception {
    try (HttpJdkSolrClient solr = new HttpJdkSolrClient.Builder(URL).build()) {
      addAndAsk(solr);
    }
  }

  @Test
  void collectionsAndAliasesComeAndGo() throws Exception {
    try (CloudSolrClient solr = cloud()) {
      CollectionAdminRequest.createCollection("cloudy10", "_default", 1, 1).process(solr);
      CollectionAdminRequest.createAlias("sky10", "cloudy10").process(solr);
      solr.add("sky10", new SolrInputDocument("id", "1"));
      solr.commit("sky10");
      assertEquals(1, solr.query("sky10", new SolrQuery("*:*")).getResults().getNumFound());
      CollectionAdminRequest.deleteAlias("sky10").process(solr);
      CollectionAdminRequest.deleteCollection("cloudy10").process(solr);
    }
  }
}
