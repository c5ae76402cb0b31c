import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.function.Consumer;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

public final class TomcatMain {
  public static void main(String[] arguments) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir("tomcat");
    Connector connector = new Connector();
    connector.setProperty("address", "127.0.0.1");
    connector.setPort(Endpoints.PORT);
    // Keeps a connection for as many requests as the client has.
    connector.setProperty("maxKeepAliveRequests", "-1");
    tomcat.setConnector(connector);
    Context context = tomcat.addContext("", null);
    serve(context, "/noop", response -> response.setContentLength(0));
    serve(context, "/json", TomcatMain::json);
    tomcat.start();
    tomcat.getServer().await();
  }

  private static void serve(Context context, String path, Consumer<HttpServletResponse> answer) {
    HttpServlet servlet = new HttpServlet() {
      @Override
      protected void doGet(HttpServletRequest request, HttpServletResponse response) {
        answer.accept(response);
      }
    };
    Tomcat.addServlet(context, path, servlet);
    context.addServletMappingDecoded(path, path);
  }

  private static void json(HttpServletResponse response) {
    response.setContentType(Endpoints.JSON_TYPE);
    response.setContentLength(Endpoints.JSON.length);
    try {
      response.getOutputStream().write(Endpoints.JSON);
    } catch (IOException gone) {
      throw new IllegalStateException(gone);
    }
  }
}
