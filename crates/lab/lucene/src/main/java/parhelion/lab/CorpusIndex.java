package parhelion.lab;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.core.LowerCaseFilterFactory;
import org.apache.lucene.analysis.core.WhitespaceTokenizerFactory;
import org.apache.lucene.analysis.custom.CustomAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field.Store;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.KeywordField;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogDocMergePolicy;
import org.apache.lucene.index.SegmentInfos;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.store.MMapDirectory;

/**
 * The corpus as one Lucene segment: the fields' index structures and the way from JSON lines to disk. Documents stay in
 * the file's order, so that equal scores and equal sort values fall to the same documents on every side. The commit
 * bears the corpus's size and time of change; an index of another corpus is built anew.
 */
final class CorpusIndex {
  private static final double RAM_BUFFER_MB = 512;
  private static final String CORPUS = "corpus";

  private CorpusIndex() {}

  /** Leaves in {@code directory} one segment with every document of {@code corpus}. */
  static void ensure(MMapDirectory directory, Path corpus, PrintStream progress) throws IOException {
    String stamp = Files.size(corpus) + " bytes of " + Files.getLastModifiedTime(corpus);
    if (DirectoryReader.indexExists(directory) && stamp.equals(stampOf(directory))) {
      progress.println("index taken up from " + directory.getDirectory());
      return;
    }
    long start = System.nanoTime();
    try (IndexWriter writer = new IndexWriter(directory, config())) {
      addAll(writer, corpus);
      double addSeconds = (System.nanoTime() - start) / 1e9;
      writer.forceMerge(1);
      writer.setLiveCommitData(Map.of(CORPUS, stamp).entrySet());
      writer.commit();
      double allSeconds = (System.nanoTime() - start) / 1e9;
      int docs = writer.getDocStats().numDocs;
      progress.printf(
          Locale.ROOT,
          "indexed %d documents in %.1f s, %.0f/s; %.1f s with the merge into one segment%n",
          docs,
          addSeconds,
          docs / addSeconds,
          allSeconds);
    }
  }

  private static String stampOf(MMapDirectory directory) throws IOException {
    return SegmentInfos.readLatestCommit(directory).getUserData().get(CORPUS);
  }

  /** One thread in all; the merge policy joins neighbours only, which keeps the documents' order. */
  private static IndexWriterConfig config() throws IOException {
    return new IndexWriterConfig(analyzer())
        .setOpenMode(IndexWriterConfig.OpenMode.CREATE)
        .setMergePolicy(new LogDocMergePolicy())
        .setMergeScheduler(new SerialMergeScheduler())
        .setRAMBufferSizeMB(RAM_BUFFER_MB);
  }

  private static Analyzer analyzer() throws IOException {
    return CustomAnalyzer.builder()
        .withTokenizer(WhitespaceTokenizerFactory.NAME)
        .addTokenFilter(LowerCaseFilterFactory.NAME)
        .build();
  }

  private static void addAll(IndexWriter writer, Path corpus) throws IOException {
    ObjectMapper json = new ObjectMapper();
    try (MappingIterator<Line> lines = json.readerFor(Line.class).readValues(corpus.toFile())) {
      while (lines.hasNextValue()) {
        writer.addDocument(lines.nextValue().toDocument());
      }
    }
  }

  /** One line of the corpus; other members are ignored. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Line(String id, String text, int num, String date, boolean flag, String cat, String tag) {
    /**
     * Text with positions and norms; numbers and dates (milliseconds) as points and as doc values with a skip index;
     * strings and the boolean as terms and sorted-set doc values. Only the identifier is stored.
     */
    Document toDocument() {
      long dateMs = Instant.parse(date).toEpochMilli();
      Document document = new Document();
      document.add(new StringField("id", id, Store.YES));
      document.add(new TextField("text", text, Store.NO));
      document.add(new IntPoint("num", num));
      document.add(SortedNumericDocValuesField.indexedField("num", num));
      document.add(new LongPoint("date", dateMs));
      document.add(SortedNumericDocValuesField.indexedField("date", dateMs));
      document.add(new KeywordField("flag", Boolean.toString(flag), Store.NO));
      document.add(new KeywordField("cat", cat, Store.NO));
      document.add(new KeywordField("tag", tag, Store.NO));
      return document;
    }
  }
}
