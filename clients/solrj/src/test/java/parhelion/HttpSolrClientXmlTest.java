package parhelion;

import org.apache.solr.client.solrj.SolrClient;
import org.apache.solr.client.solrj.impl.HttpSolrClient;
import org.apache.solr.client.solrj.impl.XMLResponseParser;
import org.apache.solr.client.solrj.request.RequestWriter;

/** SolrJ's HTTP/1.1 client with XML both ways. */
class HttpSolrClientXmlTest extends ClientSuite {
  @Override
  SolrClient connect(String url) {
    HttpSolrClient client =
        new HttpSolrClient.Builder(url).withResponseParser(new XMLResponseParser()).build();
    client.setRequestWriter(new RequestWriter());
    return client;
  }
}
