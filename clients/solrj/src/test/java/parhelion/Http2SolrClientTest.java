package parhelion;

import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.impl.Http2SolrClient;

/** SolrJ's HTTP/2 client as it comes: prior knowledge, javabin both ways. */
class Http2SolrClientTest extends ClientSuite {
  @Override
  SolrClient connect(String url) {
    return new Http2SolrClient.Builder(url).build();
  }
}
