package parhelion;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.Http2SolrClient;
import org.apache.solr.client.solrj.impl.LBHttp2SolrClient;
import org.apache.solr.client.solrj.impl.LBSolrClient.Endpoint;
import org.junit.jupiter.api.Test;

/** SolrJ's client for several servers: it goes on to the next, and asks those it lost whether they are back. */
class LoadBalancedTest {
  @Test
  void theOneThatAnswersIsFound() throws Exception {
    Endpoint gone = new Endpoint("http://127.0.0.1:1/solr", ClientSuite.CORE);
    Endpoint served = new Endpoint(ClientSuite.URL, ClientSuite.CORE);
    try (Http2SolrClient plain = new Http2SolrClient.Builder().build();
        LBHttp2SolrClient balanced = new LBHttp2SolrClient.Builder(plain, gone, served).build()) {
      for (int round = 0; round < 4; round++) {
        assertEquals(0, balanced.query(new SolrQuery("*:*")).getStatus());
      }
    }
  }

  @Test
  void theLostAreAskedInIndexOrder() throws Exception {
    SolrQuery question = new SolrQuery("*:*").setRows(0).setSort("_docid_", SolrQuery.ORDER.asc);
    question.set("distrib", false);
    try (Http2SolrClient plain = new Http2SolrClient.Builder(ClientSuite.URL + "/" + ClientSuite.CORE).build()) {
      assertEquals(0, plain.query(question).getStatus());
    }
  }
}
