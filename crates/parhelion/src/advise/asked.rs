//! What was asked, by the query log of some days: searches that ask the same of the same handler are one,
//! with how often it was asked and how long it took. In: lines of the log; out: those searches, what was
//! asked of other collections with a word of this one, and since when there is anything.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::words::words;
use crate::queries::tally::QueryTally;
use crate::query_log::{QueryLine, SearchLine};

pub type LoggedParams = BTreeMap<String, Vec<String>>;

/// A search, however often it was asked.
#[derive(Clone, Debug)]
pub struct AskedSearch {
    pub handler: String,
    pub params: LoggedParams,
    pub count: u64,
    pub total_ms: f64,
    /// When it was asked last: what `NOW` was.
    pub at: Timestamp,
}

impl AskedSearch {
    pub fn values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.params.get(name).into_iter().flatten().map(String::as_str)
    }

    /// Whether the log kept less of it than was asked.
    pub fn is_cut(&self) -> bool {
        self.params.iter().any(|(name, values)| name == CUT || values.iter().any(|it| it.ends_with(CUT)))
    }
}

/// How the log marks what it left out.
const CUT: &str = "…";

/// The searches of one collection.
pub struct AskedSearches {
    collections: BTreeSet<String>,
    since: Timestamp,
    known: HashMap<(String, LoggedParams), AskedSearch>,
    /// Of other collections, that have the name of this one in them: joins and subqueries.
    elsewhere: HashMap<(String, LoggedParams), AskedSearch>,
    /// The collections that the log has searches of, whenever.
    pub seen: BTreeSet<String>,
    pub tally: QueryTally,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    pub count: u64,
}

impl AskedSearches {
    /// Of the collections that a name stands for, not before `since`.
    pub fn new(collections: BTreeSet<String>, since: Timestamp) -> Self {
        Self {
            collections,
            since,
            known: HashMap::new(),
            elsewhere: HashMap::new(),
            seen: BTreeSet::new(),
            tally: QueryTally::default(),
            first: None,
            last: None,
            count: 0,
        }
    }

    pub fn add(&mut self, line: QueryLine) {
        let search = match line {
            QueryLine::Search(search) => search,
            dropped @ QueryLine::Dropped(_) => return self.tally.add(dropped, None),
        };
        // A request that was refused for its words asked for nothing.
        let Ok(at) = search.time.parse::<Timestamp>() else { return };
        if search.status == 400 {
            return;
        }
        // Of all times: whoever asked for too few days, or an alias of old, is told what there is.
        self.seen.extend(search.collection.split(',').map(str::to_owned));
        if at < self.since {
            return;
        }
        if search.collection.split(',').any(|name| self.collections.contains(name)) {
            self.first = Some(self.first.map_or(at, |first| first.min(at)));
            self.last = Some(self.last.map_or(at, |last| last.max(at)));
            self.count += 1;
            // Thousands of searches are dozens of kinds: each is resolved once.
            keep(&mut self.known, &search, at);
            self.tally.add(QueryLine::Search(search), None);
        } else if self.is_named_by(&search) {
            keep(&mut self.elsewhere, &search, at);
        }
    }

    /// Those asked most often first; equal ones stand the same each time.
    pub fn searches(&self) -> Vec<&AskedSearch> {
        in_order(&self.known)
    }

    pub fn elsewhere(&self) -> Vec<&AskedSearch> {
        in_order(&self.elsewhere)
    }

    fn is_named_by(&self, search: &SearchLine) -> bool {
        let names = |value: &String| words(value).any(|word| self.collections.contains(word));
        search.params.values().flatten().any(names)
    }
}

fn keep(into: &mut HashMap<(String, LoggedParams), AskedSearch>, search: &SearchLine, at: Timestamp) {
    let key = (search.handler.clone(), search.params.clone());
    let asked = into.entry(key).or_insert_with_key(|(handler, params)| AskedSearch {
        handler: handler.clone(),
        params: params.clone(),
        count: 0,
        total_ms: 0.0,
        at,
    });
    asked.count += 1;
    asked.total_ms += search.elapsed_ms;
    // Dates in a query mean what they meant last.
    asked.at = asked.at.max(at);
}

fn in_order(known: &HashMap<(String, LoggedParams), AskedSearch>) -> Vec<&AskedSearch> {
    let mut searches: Vec<&AskedSearch> = known.values().collect();
    // A map has no order, and two runs over one log are to print the same.
    let by_name = |it: &&AskedSearch| (it.handler.clone(), it.params.clone());
    searches
        .sort_by(|one, other| other.count.cmp(&one.count).then_with(|| by_name(one).cmp(&by_name(other))));
    searches
}

#[cfg(test)]
pub mod testing {
    use super::*;

    /// A search asked once, by its parameters.
    pub fn asked(params: &[(&str, &str)]) -> AskedSearch {
        let mut logged = LoggedParams::new();
        for (name, value) in params {
            logged.entry((*name).to_owned()).or_default().push((*value).to_owned());
        }
        AskedSearch {
            handler: "/select".to_owned(),
            params: logged,
            count: 1,
            total_ms: 1.0,
            at: Timestamp::UNIX_EPOCH,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_same_search_is_counted_and_others_are_told_apart() {
        let since = "2026-11-02T00:00:00Z".parse().unwrap();
        let mut asked = AskedSearches::new(["films".to_owned()].into(), since);
        let mut add = |time: &str, collection: &str, q: &str, status: u16| {
            let line = json!({
                "time": time, "collection": collection, "handler": "/select", "params": {"q": [q]},
                "status": status, "hits": 1, "elapsed_ms": 2.0,
            });
            asked.add(serde_json::from_value(line).unwrap());
        };
        add("2026-11-01T00:00:00.000Z", "films", "before", 200);
        add("2026-11-02T00:00:00.000Z", "films", "a", 200);
        add("2026-11-03T00:00:00.000Z", "books,films", "a", 200);
        add("2026-11-03T00:00:00.000Z", "films", "refused", 400);
        add("2026-11-03T00:00:00.000Z", "books", "b", 200);
        add("2026-11-03T00:00:00.000Z", "books", "{!join from=a to=b fromIndex=films}x", 200);
        let [a] = asked.searches()[..] else { panic!("{}", asked.known.len()) };
        assert_eq!((a.count, a.total_ms, asked.count), (2, 4.0, 2));
        assert_eq!(asked.elsewhere().len(), 1);
        assert!(asked.seen.contains("books") && asked.first.unwrap() == since);
    }

    #[test]
    fn a_search_that_was_cut_says_so() {
        let cut = |params: &[(&str, &str)]| testing::asked(params).is_cut();
        assert!(cut(&[("q", "abc…")]) && cut(&[("…", "")]) && !cut(&[("q", "abc")]));
    }
}
