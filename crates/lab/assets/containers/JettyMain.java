import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

public final class JettyMain {
  public static void main(String[] arguments) throws Exception {
    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(Endpoints.PORT);
    server.addConnector(connector);
    server.setHandler(new Handler.Abstract.NonBlocking() {
      @Override
      public boolean handle(Request request, Response response, Callback callback) {
        boolean json = request.getHttpURI().getPath().equals("/json");
        byte[] body = json ? Endpoints.JSON : Endpoints.EMPTY;
        if (json) {
          response.getHeaders().put(HttpHeader.CONTENT_TYPE, Endpoints.JSON_TYPE);
        }
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length);
        response.write(true, ByteBuffer.wrap(body), callback);
        return true;
      }
    });
    server.start();
    server.join();
  }
}
