package parhelion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.CloudSolrClient;
import org.apache.solr.client.solrj.request.CollectionAdminRequest;
import org.apache.solr.common.SolrInputDocument;
import org.apache.solr.common.cloud.DocCollection;
import org.apache.solr.common.cloud.Replica;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** SolrJ's cloud client, which reads the state of the cluster in ZooKeeper and knows no server. */
@EnabledIfSystemProperty(named = "solr.zk", matches = ".+")
class ZooKeeperCloudTest extends ClientSuite {
  @Override
  SolrClient connect(String url) {
    CloudSolrClient.Builder builder = builder();
    return url.equals(URL) ? builder.build() : builder.withDefaultCollection(CORE).build();
  }

  private static CloudSolrClient.Builder builder() {
    String place = System.getProperty("solr.zk");
    int chroot = place.indexOf('/');
    return new CloudSolrClient.Builder(List.of(place.substring(0, chroot)), Optional.of(place.substring(chroot)));
  }

  @Test
  void stateIsReadInZooKeeper() throws Exception {
    try (CloudSolrClient solr = builder().build()) {
      DocCollection state = solr.getClusterStateProvider().getCollection(CORE);
      Replica leader = state.getLeader("shard1");
      assertTrue(leader.isActive(solr.getClusterStateProvider().getLiveNodes()));
      assertTrue(OWNER.startsWith(leader.getBaseUrl()), leader.getBaseUrl());
      assertEquals("compositeId", state.getRouter().getName());
      assertEquals("_default", state.getConfigName());
      assertNull(solr.getClusterStateProvider().getClusterProperty("nothing"));
    }
  }

  /** What was answered is to be found there at once. */
  @Test
  void collectionsAliasesAndPropertiesComeAndGo() throws Exception {
    try (CloudSolrClient solr = builder().build()) {
      for (int round = 0; round < 2; round++) {
        CollectionAdminRequest.createCollection("seen", "_default", 2, 1).process(solr);
        CollectionAdminRequest.createAlias("looked_at", "seen").process(solr);
        solr.add("looked_at", List.of(new SolrInputDocument("id", "1"), new SolrInputDocument("id", "2")));
        solr.commit("looked_at");
        assertEquals(2, solr.query("looked_at", new SolrQuery("*:*")).getResults().getNumFound());
        assertEquals(2, solr.getClusterStateProvider().getCollection("seen").getSlices().size());
        assertEquals(Map.of("looked_at", "seen"), new CollectionAdminRequest.ListAliases().process(solr).getAliases());
        CollectionAdminRequest.deleteAlias("looked_at").process(solr);
        CollectionAdminRequest.deleteCollection("seen").process(solr);
      }
      CollectionAdminRequest.setClusterProperty("ext.shelf", "b4").process(solr);
      try (CloudSolrClient other = builder().build()) {
        assertEquals("b4", other.getClusterStateProvider().getClusterProperty("ext.shelf"));
      }
      CollectionAdminRequest.setClusterProperty("ext.shelf", null).process(solr);
    }
  }

  /** Both ways of reading the state say the same version, so that neither is called stale. */
  @Test
  void versionsAgree() throws Exception {
    try (CloudSolrClient there = builder().build();
        CloudSolrClient here = new CloudSolrClient.Builder(List.of(URL)).build()) {
      CollectionAdminRequest.modifyCollection(CORE, Map.of("property.place", "p1")).process(here);
      int version = here.getClusterStateProvider().getCollection(CORE).getZNodeVersion();
      assertEquals(version, there.getClusterStateProvider().getCollection(CORE).getZNodeVersion());
      SolrQuery query = new SolrQuery("*:*");
      query.set("_stateVer_", CORE + ":" + version);
      assertNull(there.query(CORE, query).getResponse().get("_stateVer_"));
    }
  }
}
