package parhelion;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.ConcurrentUpdateHttp2SolrClient;
import org.apache.solr.client.solrj.impl.Http2SolrClient;
import org.apache.solr.common.SolrInputDocument;
import org.junit.jupiter.api.Test;

/** SolrJ's client for many updates: requests one behind another in a body that streams. */
class ConcurrentUpdateTest {
  @Test
  void requestsShareABody() throws Exception {
    String url = ClientSuite.URL + "/" + ClientSuite.CORE;
    try (Http2SolrClient plain = new Http2SolrClient.Builder(url).build();
        ConcurrentUpdateHttp2SolrClient updates =
            new ConcurrentUpdateHttp2SolrClient.Builder(url, plain).withQueueSize(50).withThreadCount(1).build()) {
      plain.deleteByQuery("*:*");
      for (int at = 0; at < 500; at++) {
        updates.add(new SolrInputDocument("id", "many" + at, "kind_s", at % 2 == 0 ? "even" : "odd"));
      }
      updates.deleteById("many0");
      updates.blockUntilFinished();
      plain.commit();
      assertEquals(249, plain.query(new SolrQuery("kind_s:even")).getResults().getNumFound());
      assertEquals(250, plain.query(new SolrQuery("kind_s:odd")).getResults().getNumFound());
    }
  }
}
