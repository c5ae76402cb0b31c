import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What all four servers answer, to the byte: an empty 200 at /noop, the content of a file at /json. */
final class Endpoints {
  static final int PORT = Integer.getInteger("lab.port");
  static final String JSON_TYPE = System.getProperty("lab.type");
  static final byte[] JSON = read(System.getProperty("lab.json"));
  static final byte[] EMPTY = {};

  private Endpoints() {}

  private static byte[] read(String file) {
    try {
      return Files.readAllBytes(Path.of(file));
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(unreadable);
    }
  }
}
