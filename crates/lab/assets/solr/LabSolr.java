import java.util.EnumSet;
import javax.servlet.DispatcherType;
import org.apache.solr.servlet.CoreContainerProvider;
import org.apache.solr.servlet.SolrDispatchFilter;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.gzip.GzipHandler;
import org.eclipse.jetty.servlet.DefaultServlet;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** A Solr node on 127.0.0.1, port jetty.port, with the thread pool and connector that Solr's distribution configures. */
public final class LabSolr {
  public static void main(String[] arguments) throws Exception {
    SolrDispatchFilter solr = new SolrDispatchFilter();
    ServletContextHandler context = new ServletContextHandler(null, "/solr", ServletContextHandler.NO_SESSIONS);
    context.addEventListener(new CoreContainerProvider());
    context.addFilter(new FilterHolder(solr), "/*", EnumSet.of(DispatcherType.REQUEST));
    context.addServlet(DefaultServlet.class, "/");

    GzipHandler compressing = new GzipHandler();
    compressing.setMinGzipSize(2048);
    compressing.addIncludedMethods("POST");
    compressing.setHandler(context);

    Server server = new Server(new QueuedThreadPool(10_000, 10, 120_000));
    server.addConnector(connector(server));
    server.setHandler(compressing);
    server.setStopAtShutdown(true);
    try {
      server.start();
      // Solr only logs why it could not start; asking for its cores makes that an error.
      solr.getCores();
    } catch (Throwable failure) {
      failure.printStackTrace();
      System.exit(1);
    }
    server.join();
  }

  private static ServerConnector connector(Server server) {
    HttpConfiguration http = new HttpConfiguration();
    http.setOutputBufferSize(32 * 1024);
    http.setOutputAggregationSize(8 * 1024);
    http.setSendServerVersion(false);
    http.setDelayDispatchUntilContent(false);
    ServerConnector connector =
        new ServerConnector(server, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setPort(Integer.getInteger("jetty.port"));
    connector.setIdleTimeout(120_000);
    return connector;
  }
}
