package parhelion;

import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.impl.HttpSolrClient;

/** SolrJ's HTTP/1.1 client as it comes: javabin both ways. */
class HttpSolrClientJavabinTest extends ClientSuite {
  @Override
  SolrClient connect(String url) {
    return new HttpSolrClient.Builder(url).build();
  }
}
