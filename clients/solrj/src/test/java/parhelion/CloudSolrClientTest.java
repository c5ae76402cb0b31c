package parhelion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.client.solrj.response.RequestStatusState;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.cloud.DocCollection;
import org.apache.solr.common.cloud.Replica;
import org.junit.jupiter.api.Test;

/** SolrJ's cloud client, which reads the state of the cluster over HTTP. */
class CloudSolrClientTest extends ClientSuite {
  @Override
  SolrClient connect(String url) {
    CloudSolrClient.Builder builder = new CloudSolrClient.Builder(List.of(URL));
    return url.equals(URL) ? builder.build() : builder.withDefaultCollection(CORE).build();
  }

  private static CloudSolrClient cloud() {
    return new CloudSolrClient.Builder(List.of(URL)).build();
  }

  @Test
  void stateIsReadInParts() throws Exception {
    try (CloudSolrClient solr = cloud()) {
      DocCollection state = solr.getClusterStateProvider().getCollection(CORE);
      Replica leader = state.getLeader("shard1");
      assertTrue(leader.isActive(solr.getClusterStateProvider().getLiveNodes()));
      assertTrue(leader.getCoreName().startsWith(CORE), leader.getCoreName());
      assertEquals("compositeId", state.getRouter().getName());
      assertNull(solr.getClusterStateProvider().getClusterProperty("nothing"));
      assertEquals(List.of("nobody"), solr.getClusterStateProvider().resolveAlias("nobody"));
    }
  }

  @Test
  void collectionsAndAliasesComeAndGo() throws Exception {
    try (CloudSolrClient solr = cloud()) {
      CollectionAdminRequest.createCollection("cloudy", "_default", 1, 1).process(solr);
      CollectionAdminRequest.createAlias("sky", "cloudy").process(solr);
      solr.add("sky", new SolrInputDocument("id", "1"));
      solr.commit("sky");
      assertEquals(1, solr.query("sky", new SolrQuery("*:*")).getResults().getNumFound());
      assertEquals(Map.of("sky", "cloudy"), new CollectionAdminRequest.ListAliases().process(solr).getAliases());
      assertTrue(CollectionAdminRequest.listCollections(solr).contains("cloudy"));
      assertTrue(CollectionAdminRequest.reloadCollection("cloudy").process(solr).isSuccess());
      CollectionAdminRequest.deleteAlias("sky").process(solr);
      CollectionAdminRequest.deleteCollection("cloudy").process(solr);
    }
  }

  @Test
  void workIsDoneBeside() throws Exception {
    try (CloudSolrClient solr = cloud()) {
      RequestStatusState made =
          CollectionAdminRequest.createCollection("beside", "_default", 1, 1).processAndWait("make", solr, 30);
      assertEquals(RequestStatusState.COMPLETED, made);
      RequestStatusState twice =
          CollectionAdminRequest.createCollection("beside", "_default", 1, 1).processAndWait("again", solr, 30);
      assertEquals(RequestStatusState.FAILED, twice);
      CollectionAdminRequest.deleteAsyncId("make").process(solr);
      CollectionAdminRequest.deleteAsyncId("again").process(solr);
      CollectionAdminRequest.deleteCollection("beside").process(solr);
    }
  }

  /** The server says that its state is another, and the client reads it. */
  @Test
  void changedStateIsReadAgain() throws Exception {
    try (CloudSolrClient solr = cloud(); CloudSolrClient other = cloud()) {
      solr.query(CORE, new SolrQuery("*:*"));
      int before = solr.getClusterStateProvider().getCollection(CORE).getZNodeVersion();
      CollectionAdminRequest.modifyCollection(CORE, Map.of("property.shelf", "s" + before)).process(other);
      assertEquals(0, solr.query(CORE, new SolrQuery("*:*")).getStatus());
      solr.query(CORE, new SolrQuery("*:*"));
      assertEquals(before + 1, other.getClusterStateProvider().getCollection(CORE).getZNodeVersion());
    }
  }

  /** A collection that was deleted and made again has another state, which the client's kept one does not know. */
  @Test
  void staleStateIsFoundOut() throws Exception {
    try (CloudSolrClient solr = cloud()) {
      for (int round = 0; round < 2; round++) {
        CollectionAdminRequest.createCollection("again", "_default", 1, 1).process(solr);
        solr.add("again", new SolrInputDocument("id", "round" + round));
        solr.commit("again");
        assertEquals(1, solr.query("again", new SolrQuery("*:*")).getResults().getNumFound());
        CollectionAdminRequest.deleteCollection("again").process(solr);
      }
    }
  }
}
