package parhelion.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.lucene.facet.FacetResult;
import org.apache.lucene.facet.Facets;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.StringDocValuesReaderState;
import org.apache.lucene.facet.StringValueFacetCounts;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;

/**
 * What is run for each query: Lucene's shortest way to the ten best hits, to their exact number, or to facet counts. One
 * thread, no query cache. What a client would keep between requests (searcher, facet state, the query object) is made
 * beforehand and is not timed; rewriting, scorers and collectors are.
 */
final class Arm {
  private static final int TOP = 10;

  private final IndexSearcher searcher;
  private final Map<String, StringDocValuesReaderState> facetStates = new HashMap<>();

  private Arm(DirectoryReader reader) {
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
  }

  /** All runs, in the order of {@code cases}. Throws if the index is not one segment. */
  static List<Run> plan(DirectoryReader reader, List<Case> cases) throws IOException {
    if (reader.leaves().size() != 1) {
      throw new IllegalStateException("the index has " + reader.leaves().size() + " segments, not one");
    }
    Arm arm = new Arm(reader);
    List<Run> runs = new ArrayList<>();
    for (Case each : cases) {
      switch (each.kind()) {
        case "sort" -> arm.planSort(each, runs);
        case "facet" -> arm.planFacet(each, runs);
        default -> arm.planSearch(each, runs);
      }
    }
    return runs;
  }

  private void planSearch(Case each, List<Run> runs) throws IOException {
    Query query = each.query();
    long hits = searcher.count(query);
    runs.add(new Run(each, "top10", hits, () -> best(query, TOP)));
    runs.add(new Run(each, "top10_count", hits, () -> best(query, Integer.MAX_VALUE)));
    runs.add(new Run(each, "count", hits, () -> new Answer(searcher.count(query), this, null)));
  }

  private void planSort(Case each, List<Run> runs) throws IOException {
    Query query = each.query();
    Sort sort = each.sort();
    long hits = searcher.count(query);
    runs.add(new Run(each, "top10", hits, () -> sorted(query, sort, TOP)));
    runs.add(new Run(each, "top10_count", hits, () -> sorted(query, sort, Integer.MAX_VALUE)));
  }

  private void planFacet(Case each, List<Run> runs) throws IOException {
    Query query = each.query();
    String field = each.facetField();
    long hits = searcher.count(query);
    if (!facetStates.containsKey(field)) {
      facetStates.put(field, new StringDocValuesReaderState(searcher.getIndexReader(), field));
    }
    boolean all = each.terms() == null;
    runs.add(new Run(each, "facet", hits, () -> all ? facetAll(field, hits) : facet(query, field)));
    runs.add(
        new Run(
            each,
            "facet_top10_count",
            hits,
            () -> all ? facetAll(field, best(query, Integer.MAX_VALUE).hits()) : facetAndBest(query, field)));
  }

  /** Hits are exact if fewer than {@code exactUpTo} match; beyond that Lucene may skip what cannot be among the best. */
  private Answer best(Query query, int exactUpTo) throws IOException {
    return top(query, new TopScoreDocCollectorManager(TOP, null, exactUpTo));
  }

  private Answer sorted(Query query, Sort sort, int exactUpTo) throws IOException {
    return top(query, new TopFieldCollectorManager(sort, TOP, null, exactUpTo));
  }

  private Answer top(Query query, CollectorManager<?, ? extends TopDocs> manager) throws IOException {
    TopDocs found = searcher.search(query, manager);
    return new Answer(found.totalHits.value(), this, found.scoreDocs);
  }

  /** Without a query Lucene counts the column straight through, with no collector. */
  private Answer facetAll(String field, long hits) throws IOException {
    return new Answer(hits, this, values(new StringValueFacetCounts(facetStates.get(field)), field));
  }

  private Answer facet(Query query, String field) throws IOException {
    FacetsCollector matches = searcher.search(query, new FacetsCollectorManager());
    long hits = matches.getMatchingDocs().stream().mapToLong(segment -> segment.totalHits()).sum();
    return new Answer(hits, this, values(counts(field, matches), field));
  }

  private Answer facetAndBest(Query query, String field) throws IOException {
    FacetsCollectorManager.FacetsResult found =
        FacetsCollectorManager.search(searcher, query, TOP, new FacetsCollectorManager());
    return new Answer(
        found.topDocs().totalHits.value(), this, values(counts(field, found.facetsCollector()), field));
  }

  private Facets counts(String field, FacetsCollector matches) throws IOException {
    return new StringValueFacetCounts(facetStates.get(field), matches);
  }

  private static FacetResult values(Facets facets, String field) throws IOException {
    return facets.getTopChildren(TOP, field);
  }

  /** One thing to time. */
  @FunctionalInterface
  interface Action {
    Answer run() throws IOException;
  }

  /** One query in one mode; {@code hits} is the exact number of documents that match. */
  record Run(Case of, String mode, long hits, Action action) {
    /** The answer, untimed. Throws where a mode that counts exactly disagrees with {@code hits}. */
    Answer checkedAnswer() throws IOException {
      Answer answer = action.run();
      if (!mode.equals("top10") && answer.hits != hits) {
        throw new IllegalStateException(
            "`" + of.name() + "` in mode `" + mode + "` found " + answer.hits + ", not " + hits);
      }
      return answer;
    }
  }

  /** Hits as the mode counts them (in {@code top10} a lower bound) and what was found, in Lucene's form. */
  record Answer(long hits, Arm arm, Object found) {
    /** Identifiers of hits, best first, or pairs of facet value and count; null where only the number was asked. */
    List<?> top() throws IOException {
      if (found instanceof FacetResult facet) {
        return Arrays.stream(facet.labelValues).map(each -> List.of(each.label, each.value)).toList();
      }
      return found == null ? null : arm.ids((ScoreDoc[]) found);
    }
  }

  private List<String> ids(ScoreDoc[] hits) throws IOException {
    StoredFields stored = searcher.storedFields();
    List<String> ids = new ArrayList<>();
    for (ScoreDoc hit : hits) {
      ids.add(stored.document(hit.doc).get("id"));
    }
    return ids;
  }
}
