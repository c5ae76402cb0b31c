package parhelion.lab;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.SortedNumericDocValuesField;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.SortedNumericSortField;
import org.apache.lucene.search.TermQuery;

/**
 * One line of the query file and what it means in Lucene's terms. {@code kind} names the members that count; the README
 * has the table. {@code group} (in the file: {@code class}) and {@code name} are only carried to the results.
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record Case(
    @JsonProperty("class") String group,
    String name,
    String kind,
    List<String> terms,
    String prefix,
    String field,
    JsonNode from,
    JsonNode to,
    @JsonProperty("sort_field") String sortField,
    String order,
    @JsonProperty("facet_field") String facetField) {
  private static final String TEXT = "text";

  static List<Case> readAll(Path queries) throws IOException {
    try (MappingIterator<Case> lines =
        new ObjectMapper().readerFor(Case.class).readValues(queries.toFile())) {
      return lines.readAll();
    }
  }

  /** The documents that match, and their scores. */
  Query query() {
    return switch (kind) {
      case "term" -> term();
      case "and" -> allOf(Occur.MUST);
      case "or" -> allOf(Occur.SHOULD);
      case "phrase" -> new PhraseQuery(TEXT, terms.toArray(String[]::new));
      case "prefix" -> new PrefixQuery(new Term(TEXT, prefix));
      case "range" -> range();
      case "range_term" ->
          new BooleanQuery.Builder().add(term(), Occur.MUST).add(range(), Occur.FILTER).build();
      case "sort", "facet" -> terms == null ? new MatchAllDocsQuery() : term();
      default -> throw new IllegalArgumentException("unknown kind `" + kind + "` of query `" + name + "`");
    };
  }

  /** The order of the hits; missing values cannot occur. */
  Sort sort() {
    SortField.Type type = isDate(sortField) ? SortField.Type.LONG : SortField.Type.INT;
    return new Sort(new SortedNumericSortField(sortField, type, "desc".equals(order)));
  }

  private Query term() {
    return new TermQuery(new Term(TEXT, terms.getFirst()));
  }

  private Query allOf(Occur occur) {
    BooleanQuery.Builder builder = new BooleanQuery.Builder();
    terms.forEach(word -> builder.add(new TermQuery(new Term(TEXT, word)), occur));
    return builder.build();
  }

  /** Both ends are included. Lucene takes the points where the range leads, the doc values where it follows. */
  private Query range() {
    if (isDate(field)) {
      long fromMs = Instant.parse(from.textValue()).toEpochMilli();
      long toMs = Instant.parse(to.textValue()).toEpochMilli();
      return new IndexOrDocValuesQuery(
          LongPoint.newRangeQuery(field, fromMs, toMs),
          SortedNumericDocValuesField.newSlowRangeQuery(field, fromMs, toMs));
    }
    return new IndexOrDocValuesQuery(
        IntPoint.newRangeQuery(field, from.intValue(), to.intValue()),
        SortedNumericDocValuesField.newSlowRangeQuery(field, from.intValue(), to.intValue()));
  }

  private static boolean isDate(String name) {
    return "date".equals(name);
  }
}
