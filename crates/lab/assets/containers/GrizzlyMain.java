import java.io.IOException;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;

public final class GrizzlyMain {
  public static void main(String[] arguments) throws Exception {
    HttpServer server = new HttpServer();
    NetworkListener listener = new NetworkListener("lab", "127.0.0.1", Endpoints.PORT);
    // Keeps a connection for as many requests as the client has.
    listener.getKeepAlive().setMaxRequestsCount(-1);
    server.addListener(listener);
    server.getServerConfiguration().addHttpHandler(new HttpHandler() {
      @Override
      public void service(Request request, Response response) throws IOException {
        boolean json = request.getRequestURI().equals("/json");
        byte[] body = json ? Endpoints.JSON : Endpoints.EMPTY;
        if (json) {
          response.setContentType(Endpoints.JSON_TYPE);
        }
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
      }
    }, "/");
    server.start();
    Thread.currentThread().join();
  }
}
