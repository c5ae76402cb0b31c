import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import java.nio.ByteBuffer;

public final class UndertowMain {
  public static void main(String[] arguments) {
    Undertow.builder()
        .addHttpListener(Endpoints.PORT, "127.0.0.1")
        .setHandler(UndertowMain::answer)
        .build()
        .start();
  }

  private static void answer(HttpServerExchange exchange) {
    boolean json = exchange.getRequestPath().equals("/json");
    byte[] body = json ? Endpoints.JSON : Endpoints.EMPTY;
    if (json) {
      exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, Endpoints.JSON_TYPE);
    }
    exchange.getResponseHeaders().put(Headers.CONTENT_LENGTH, body.length);
    exchange.getResponseSender().send(ByteBuffer.wrap(body));
  }
}
