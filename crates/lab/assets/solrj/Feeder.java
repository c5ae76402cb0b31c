import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32;
import org.apache.solr.client.solrj.SolrQuery;
import org.apache.solr.client.solrj.impl.ConcurrentUpdateHttp2SolrClient;
import org.apache.solr.client.solrj.impl.Http2SolrClient;
import org.apache.solr.common.SolrInputDocument;

/**
 * Feeds documents of about 1 KB through SolrJ's concurrent client. Reads one order a line, `URL FIRST END THREADS SEED`, and answers
 * each with a line, `SECONDS FOUND CPU CRC`: from the first document to the end of the commit, what the collection holds then,
 * the processor seconds of this program meanwhile, and a checksum of what was sent. Documents are made before the clock starts, and follow
 * from their number and the seed alone.
 */
public final class Feeder {
  private static final int WORDS = 200_000;
  private static final int BODY_CHARS = 800;
  private static final int QUEUE = 1_000;

  public static void main(String[] arguments) throws Exception {
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String order = orders.readLine(); order != null; order = orders.readLine()) {
      String[] words = order.split(" ");
      long first = Long.parseLong(words[1]);
      long end = Long.parseLong(words[2]);
      CRC32 sum = new CRC32();
      List<SolrInputDocument> documents = new ArrayList<>();
      for (long number = first; number < end; number++) {
        documents.add(document(number, Long.parseLong(words[4]), sum));
      }
      System.out.println(feed(words[0], documents, Integer.parseInt(words[3])) + " " + sum.getValue());
      System.out.flush();
    }
  }

  private static String feed(String url, List<SolrInputDocument> documents, int threads) throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Http2SolrClient plain = new Http2SolrClient.Builder(url).build();
        ConcurrentUpdateHttp2SolrClient updates =
            new ConcurrentUpdateHttp2SolrClient(
                new ConcurrentUpdateHttp2SolrClient.Builder(url, plain)
                    .withQueueSize(QUEUE)
                    .withThreadCount(threads)) {
              @Override
              public void handleError(Throwable error) {
                failure.compareAndSet(null, error);
              }
            }) {
      long cpu = cpuNanos();
      long started = System.nanoTime();
      for (SolrInputDocument document : documents) {
        updates.add(document);
      }
      updates.blockUntilFinished();
      plain.commit();
      double seconds = (System.nanoTime() - started) / 1e9;
      double used = (cpuNanos() - cpu) / 1e9;
      if (failure.get() != null) {
        throw new IllegalStateException(failure.get());
      }
      long found = plain.query(new SolrQuery("*:*").setRows(0)).getResults().getNumFound();
      return seconds + " " + found + " " + used;
    }
  }

  private static long cpuNanos() {
    var system = java.lang.management.ManagementFactory.getOperatingSystemMXBean();
    return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime();
  }

  private static SolrInputDocument document(long number, long seed, CRC32 sum) {
    SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
    SolrInputDocument document = new SolrInputDocument();
    document.setField("id", "doc" + number);
    document.setField("title_t", text(random, 60));
    document.setField("body_t", text(random, BODY_CHARS));
    document.setField("kind_s", "kind" + random.nextInt(100));
    document.setField("stock_i", random.nextInt(10_000));
    document.setField("price_d", random.nextInt(1_000_000) / 100.0);
    document.setField("made_dt", new java.util.Date(1_600_000_000_000L + random.nextLong(100_000_000_000L)));
    document.setField("new_b", random.nextBoolean());
    sum.update(document.toString().getBytes(StandardCharsets.UTF_8));
    return document;
  }

  /** Words as they are spread in texts: the more common, the lower their number. */
  private static String text(SplittableRandom random, int chars) {
    StringBuilder text = new StringBuilder(chars + 16);
    while (text.length() < chars) {
      long rank = (long) Math.exp(random.nextDouble() * Math.log(WORDS));
      text.append(text.length() == 0 ? "" : " ").append(word(rank));
    }
    return text.toString();
  }

  private static String word(long rank) {
    StringBuilder word = new StringBuilder();
    for (long left = rank + 20; left > 0; left /= 20) {
      word.append("bdfgklmnprst".charAt((int) (left % 12))).append("aeiou".charAt((int) (left % 5)));
    }
    return word.toString();
  }

  private Feeder() {}
}
