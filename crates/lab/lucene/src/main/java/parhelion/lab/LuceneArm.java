package parhelion.lab;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.Version;

/**
 * The program: indexes the corpus with Lucene if need be, runs every query in every mode on one thread, and writes one
 * JSON line for each. How the index is made is {@link CorpusIndex}'s matter, what a query means {@link Case}'s, what a
 * mode does {@link Arm}'s, and how time is taken {@link Stopwatch}'s. Progress goes to standard error.
 */
public final class LuceneArm {
  private static final PrintStream PROGRESS = System.err;

  private LuceneArm() {}

  public static void main(String[] args) throws IOException {
    Options options;
    try {
      options = Options.parse(args);
    } catch (IllegalArgumentException e) {
      PROGRESS.println("error: " + e.getMessage());
      System.exit(2);
      return;
    }
    run(options);
  }

  private static void run(Options options) throws IOException {
    PROGRESS.printf("lucene %s, java %s%n", Version.LATEST, Runtime.version());
    try (MMapDirectory directory = new MMapDirectory(options.index())) {
      CorpusIndex.ensure(directory, options.data(), PROGRESS);
      try (DirectoryReader reader = DirectoryReader.open(directory)) {
        measure(Arm.plan(reader, Case.readAll(options.queries())), options);
      }
    }
  }

  /** Every run once over, so that each meets code compiled for all of them, then each to its end, in the file's order. */
  private static void measure(List<Arm.Run> runs, Options options) throws IOException {
    List<Arm.Answer> answers = new ArrayList<>();
    for (Arm.Run run : runs) {
      answers.add(run.checkedAnswer());
      options.stopwatch().touch(run.action());
    }
    ObjectMapper json = new ObjectMapper();
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(options.out(), StandardCharsets.UTF_8))) {
      for (int at = 0; at < runs.size(); at++) {
        Arm.Run run = runs.get(at);
        Row row = Row.of(run, answers.get(at), options.stopwatch().time(run.action()));
        out.println(json.writeValueAsString(row));
        out.flush();
        PROGRESS.printf(
            Locale.ROOT,
            "%-36s %-18s %9d %10.1f %10.1f %10.1f%n",
            row.name(),
            row.mode(),
            row.hits(),
            row.medianUs(),
            row.p99Us(),
            row.cpuUs());
      }
    }
  }

  /** The command line. {@code index} defaults to {@code DATA.lucene}, which a later run takes up again. */
  record Options(Path data, Path queries, Path out, Path index, Stopwatch stopwatch) {
    static Options parse(String[] args) {
      Path data = null;
      Path queries = null;
      Path out = null;
      Path index = null;
      Stopwatch stopwatch = Stopwatch.DEFAULT;
      for (int at = 0; at < args.length; at += 2) {
        if (at + 1 == args.length) {
          throw new IllegalArgumentException("`" + args[at] + "` needs a value");
        }
        String value = args[at + 1];
        switch (args[at]) {
          case "--data" -> data = Path.of(value);
          case "--queries" -> queries = Path.of(value);
          case "--out" -> out = Path.of(value);
          case "--index" -> index = Path.of(value);
          case "--warm-seconds" -> stopwatch = stopwatch.withWarmSeconds(Double.parseDouble(value));
          case "--measure-seconds" ->
              stopwatch = stopwatch.withMeasureSeconds(Double.parseDouble(value));
          default -> throw new IllegalArgumentException("unknown option `" + args[at] + "`; use "
              + "--data, --queries, --out, --index, --warm-seconds or --measure-seconds");
        }
      }
      if (data == null || queries == null || out == null) {
        throw new IllegalArgumentException("give --data FILE, --queries FILE and --out FILE");
      }
      Path indexOrDefault = index != null ? index : data.resolveSibling(data.getFileName() + ".lucene");
      return new Options(data, queries, out, indexOrDefault, stopwatch);
    }
  }
}
