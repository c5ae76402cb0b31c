package parhelion;

import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.impl.HttpJdkSolrClient;

/** SolrJ's client on Java's own HTTP client as it comes: an upgrade offered, javabin both ways. */
class HttpJdkSolrClientTest extends ClientSuite {
  @Override
  SolrClient connect(String url) {
    return new HttpJdkSolrClient.Builder(url).build();
  }
}
