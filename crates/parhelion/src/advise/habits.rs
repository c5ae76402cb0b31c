//! What of the searches themselves costs more than it need: ranges up to a `NOW` that is another each
//! millisecond, ranges that hardly ever come again, filters that come often. In: the searches of a log; out:
//! figures, those first that count most. What to do about each is said where it is shown.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

use super::asked::AskedSearch;
use super::clauses::filters_in_q;
use super::range_text::{ranges, with_now_rounded};

/// Parameters whose ranges are looked at.
pub const QUERY_PARAMS: [&str; 4] = ["q", "fq", "bq", "facet.query"];
/// So many different ends of a field's ranges are many, where they are of at least half as many searches.
const ENDS_MANY: u64 = 20;
/// Most of each list.
const SHOWN_MAX: usize = 10;

#[derive(Debug, Default, Serialize)]
pub struct SearchHabits {
    pub unrounded_now: Vec<UnroundedNow>,
    pub many_ends: Vec<ManyEnds>,
    pub filters: Vec<OftenFilter>,
    pub filters_in_q: Vec<OftenClause>,
}

/// A query text with a range that is another each time.
#[derive(Debug, Serialize)]
pub struct UnroundedNow {
    pub param: &'static str,
    pub text: String,
    pub rounded: String,
    pub searches: u64,
    /// Whether so many searches ask for it that the answer belongs into the documents.
    pub wants_rule: bool,
}

/// A field whose ranges hardly ever come again.
#[derive(Debug, Serialize)]
pub struct ManyEnds {
    pub field: String,
    pub searches: u64,
    pub distinct: u64,
}

/// A filter that comes often.
#[derive(Debug, Serialize)]
pub struct OftenFilter {
    pub filter: String,
    pub searches: u64,
    /// Of the searches that have it, with all that they did besides.
    pub mean_ms: f64,
    pub kept: FilterKept,
}

/// Whether the server can keep what a filter finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterKept {
    Yes,
    /// It says `cache=false`.
    Forbidden,
    /// Its text has another meaning each time.
    NeverTheSame,
}

/// A clause of `q` that comes often, in queries that are otherwise several.
#[derive(Debug, Serialize)]
pub struct OftenClause {
    pub clause: String,
    pub searches: u64,
    pub queries: u64,
}

impl SearchHabits {
    /// `is_exact` says of a field that its values are no words.
    pub fn of(searches: &[&AskedSearch], is_exact: &dyn Fn(&str) -> bool) -> Self {
        Self {
            unrounded_now: unrounded_now(searches),
            many_ends: many_ends(searches),
            filters: often_filters(searches),
            filters_in_q: often_clauses(searches, is_exact),
        }
    }
}

fn unrounded_now(searches: &[&AskedSearch]) -> Vec<UnroundedNow> {
    let all: u64 = searches.iter().map(|search| search.count).sum();
    let mut counts: BTreeMap<(&'static str, &str), u64> = BTreeMap::new();
    for (search, param) in searches.iter().flat_map(|search| QUERY_PARAMS.map(|param| (search, param))) {
        for text in search.values(param).filter(|text| ranges(text).iter().any(|range| range.moves())) {
            *counts.entry((param, text)).or_default() += search.count;
        }
    }
    let mut found: Vec<UnroundedNow> = counts
        .into_iter()
        .filter_map(|((param, text), searches)| {
            let rounded = with_now_rounded(text)?;
            // A filter of every other search is a property of documents, not of what somebody asked.
            let wants_rule = param == "fq" && searches * 2 >= all && searches >= ENDS_MANY;
            Some(UnroundedNow { param, text: text.to_owned(), rounded, searches, wants_rule })
        })
        .collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.searches));
    found.truncate(SHOWN_MAX);
    found
}

/// Searches with ranges of a field, and the different ends of those.
type RangeFigures<'a> = (u64, HashSet<(&'a str, &'a str)>);

fn many_ends(searches: &[&AskedSearch]) -> Vec<ManyEnds> {
    let mut fields: BTreeMap<&str, RangeFigures<'_>> = BTreeMap::new();
    for (search, param) in searches.iter().flat_map(|search| QUERY_PARAMS.map(|param| (search, param))) {
        // Those of the clock are another list: they come again by their text.
        for range in search.values(param).flat_map(ranges).filter(|range| !range.is_of_now()) {
            let (count, ends) = fields.entry(range.field).or_default();
            *count += search.count;
            ends.insert((range.lower, range.upper));
        }
    }
    let figures = fields.into_iter().map(|(field, (searches, ends))| ManyEnds {
        field: field.to_owned(),
        searches,
        distinct: ends.len() as u64,
    });
    let mut found: Vec<_> =
        figures.filter(|it| it.distinct >= ENDS_MANY && it.distinct * 2 >= it.searches).collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.distinct));
    found.truncate(SHOWN_MAX);
    found
}

fn often_filters(searches: &[&AskedSearch]) -> Vec<OftenFilter> {
    let mut counts: BTreeMap<&str, (u64, f64)> = BTreeMap::new();
    for search in searches {
        for filter in search.values("fq") {
            let (count, total_ms) = counts.entry(filter).or_default();
            *count += search.count;
            *total_ms += search.total_ms;
        }
    }
    let mut found: Vec<OftenFilter> = counts
        .into_iter()
        // What came once is found once anyway.
        .filter(|(_, (count, _))| *count > 1)
        .map(|(filter, (searches, total_ms))| OftenFilter {
            filter: filter.to_owned(),
            searches,
            mean_ms: (total_ms / searches as f64 * 1e3).round() / 1e3,
            kept: kept(filter),
        })
        .collect();
    found.sort_by_key(|it| std::cmp::Reverse(it.searches));
    found.truncate(SHOWN_MAX);
    found
}

fn kept(filter: &str) -> FilterKept {
    let local = filter.strip_prefix("{!").and_then(|it| it.split_once('}')).map_or("", |(local, _)| local);
    if local.split_whitespace().any(|it| it == "cache=false") {
        FilterKept::Forbidden
    } else if ranges(filter).iter().any(|range| range.moves()) {
        FilterKept::NeverTheSame
    } else {
        FilterKept::Yes
    }
}

fn often_clauses(searches: &[&AskedSearch], is_exact: &dyn Fn(&str) -> bool) -> Vec<OftenClause> {
    let mut clauses: HashMap<String, (u64, HashSet<String>)> = HashMap::new();
    for search in searches {
        for found in filters_in_q(search, is_exact) {
            let (count, rests) = clauses.entry(found.clause).or_default();
            *count += search.count;
            rests.insert(found.rest);
        }
    }
    // Of one query alone the result cache has it, with all clauses.
    let often = clauses.into_iter().filter(|(_, (_, rests))| rests.len() > 1);
    let figures = often.map(|(clause, (searches, rests))| OftenClause {
        clause,
        searches,
        queries: rests.len() as u64,
    });
    let mut found: Vec<_> = figures.collect();
    found.sort_by(|one, other| other.searches.cmp(&one.searches).then_with(|| one.clause.cmp(&other.clause)));
    found.truncate(SHOWN_MAX);
    found
}

#[cfg(test)]
mod tests {
    use super::super::asked::testing::asked;
    use super::*;

    fn habits(searches: &[AskedSearch]) -> SearchHabits {
        let searches: Vec<&AskedSearch> = searches.iter().collect();
        SearchHabits::of(&searches, &|name| name == "cat")
    }

    fn filtered(filter: &str, count: u64) -> AskedSearch {
        AskedSearch { count, total_ms: 3.0 * count as f64, ..asked(&[("q", "*:*"), ("fq", filter)]) }
    }

    #[test]
    fn a_now_that_moves_is_named_and_one_of_every_search_wants_a_rule() {
        let found = habits(&[filtered("d:[NOW-7DAYS TO NOW]", 30), filtered("d:[NOW/DAY TO *]", 10)]);
        let [now] = &found.unrounded_now[..] else { panic!("{found:?}") };
        assert_eq!((now.searches, now.wants_rule, now.param), (30, true, "fq"));
        assert_eq!(now.rounded, "d:[NOW/HOUR-7DAYS TO NOW/HOUR+1HOUR]");
        assert!(!habits(&[filtered("d:[NOW TO *]", 30), filtered("cat:x", 100)]).unrounded_now[0].wants_rule);
    }

    #[test]
    fn ends_that_hardly_come_again_are_many() {
        let searches: Vec<_> = (0..30).map(|at| filtered(&format!("price:[{at} TO 99]"), 1)).collect();
        assert_eq!(habits(&searches).many_ends[0].distinct, 30);
        let often: Vec<_> = (0..30).map(|at| filtered(&format!("price:[{at} TO 99]"), 9)).collect();
        assert!(habits(&often).many_ends.is_empty());
        assert!(habits(&searches[..19]).many_ends.is_empty());
    }

    #[test]
    fn filters_come_with_their_cost_and_whether_they_are_kept() {
        let found = habits(&[
            filtered("cat:x", 5),
            filtered("{!cache=false cost=3}cat:y", 4),
            filtered("d:[NOW TO *]", 3),
            filtered("cat:once", 1),
        ]);
        let found: Vec<_> = found.filters.iter().map(|it| (it.searches, it.mean_ms, it.kept)).collect();
        let expected =
            [(5, 3.0, FilterKept::Yes), (4, 3.0, FilterKept::Forbidden), (3, 3.0, FilterKept::NeverTheSame)];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_clause_of_several_queries_could_be_a_filter() {
        let found = habits(&[
            asked(&[("q", "a AND cat:x")]),
            asked(&[("q", "b AND cat:x")]),
            asked(&[("q", "c AND cat:y")]),
        ]);
        let [clause] = &found.filters_in_q[..] else { panic!("{found:?}") };
        assert_eq!((clause.clause.as_str(), clause.searches, clause.queries), ("cat:x", 2, 2));
    }
}
