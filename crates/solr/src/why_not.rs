//! `/whynot`: why a search does not show a document, and the edits of the request that would. The engine has
//! found which clause decides; here that becomes words. Solr differs: it has no such path
//! (`compat/select/why_not.yaml`).

use plan::{
    Absent, FieldSelection, Miss, MissKind, Page, Query, Schema, SearchPlan, SearchResult, Shape, WhyNot,
};

use crate::debug::QueryPrinter;
use crate::response::{Entries, Name, Node};

/// Ranks beyond are not shown.
pub const RANKS_MAX: usize = 10_000;

/// Clauses shown of one that combines many.
const CLAUSES_SHOWN: usize = 10;

/// What is known of the document.
#[derive(Debug)]
pub struct Question<'a> {
    pub id: &'a str,
    /// Whether it exists, visible or not.
    pub exists: bool,
    /// Whether searches see it in a shard that the request does not ask.
    pub is_elsewhere: bool,
    pub why: &'a WhyNot,
    /// What [`ranking`] found, where filters and query let the document pass.
    pub ranking: Option<&'a SearchResult>,
    pub page: Page,
    /// The filters as sent, those of the plan first.
    pub filters: Vec<&'a str>,
}

/// The search that tells the document's rank.
pub fn ranking(plan: &SearchPlan) -> SearchPlan {
    let Shape { collapses, rerank, .. } = plan.shape.clone();
    SearchPlan {
        schema_version: plan.schema_version,
        filters: plan.filters.clone(),
        sort: plan.sort.clone(),
        page: Page { start: 0, rows: RANKS_MAX },
        fields: FieldSelection::default(),
        scores: true,
        shape: Shape { collapses, rerank, ..Shape::default() },
        ..SearchPlan::count(plan.query.clone())
    }
}

/// The body of the answer.
pub fn answer(question: &Question<'_>, schema: &Schema) -> Entries {
    let mut told =
        WhyNotReport { printer: QueryPrinter::new(schema), entries: Entries::new(), edits: Vec::new() };
    told.put("id", Node::from(question.id.to_owned()));
    match (&question.why.filters[..], &question.why.query) {
        _ if !question.exists => told.verdict("missing", "there is no document with this id"),
        _ if question.is_elsewhere => {
            told.verdict("elsewhere", "it is in a shard that the request does not ask");
            told.edits.push("leave out `shards`, `_route_` and `distrib=false`".to_owned());
        }
        _ if !question.why.visible => {
            told.verdict("invisible", "it was updated after the last commit that opened a searcher");
            told.edits.push("commit".to_owned());
        }
        ([], None) => told.rank(question),
        (filters, query) => told.misses(question, filters, query.as_ref()),
    }
    if !told.edits.is_empty() {
        let edits = std::mem::take(&mut told.edits);
        told.put("edits", Node::Array(edits.into_iter().map(Node::from).collect()));
    }
    vec![("whynot".into(), Node::Map(told.entries))]
}

struct WhyNotReport<'a> {
    printer: QueryPrinter<'a>,
    entries: Entries,
    /// What to change in the request, all of it together.
    edits: Vec<String>,
}

impl WhyNotReport<'_> {
    fn put(&mut self, name: &'static str, node: Node) {
        self.entries.push((Name::Borrowed(name), node));
    }

    fn verdict(&mut self, verdict: &'static str, reason: impl Into<String>) {
        self.put("verdict", Node::str(verdict));
        self.put("reason", Node::from(reason.into()));
    }

    /// The first filter that leaves it out, else what the query lacks.
    fn misses(&mut self, question: &Question<'_>, filters: &[(usize, Miss)], query: Option<&Miss>) {
        let sent = |at: usize| question.filters.get(at).copied().unwrap_or_default().to_owned();
        match (filters, query) {
            ([(at, miss), ..], _) => {
                self.verdict("filter", format!("a filter leaves it out: {}", self.reason(miss)));
                self.put("filter", Node::from(sent(*at)));
                self.clause(miss);
            }
            ([], Some(miss)) => {
                self.verdict("query", format!("the query does not match it: {}", self.reason(miss)));
                self.clause(miss);
            }
            ([], None) => {}
        }
        self.edits.extend(filters.iter().map(|(at, _)| format!("leave out fq={}", sent(*at))));
        let edit = query.and_then(|miss| self.edit(miss));
        self.edits.extend(edit);
    }

    /// In a sentence.
    fn reason(&self, miss: &Miss) -> String {
        let clause = self.text(&miss.clause);
        match &miss.kind {
            MissKind::Absent(absent) if has_all(absent) => {
                format!("the terms of `{clause}` are in it, and do not stand so")
            }
            MissKind::Absent(Absent { field: Some(field), has, .. }) => match has.as_deref() {
                None => format!("`{clause}` is not in it, and `{field}` is not stored to show what is"),
                Some([]) => format!("`{clause}` is not in it, which has nothing in `{field}`"),
                Some(_) => format!("`{clause}` is not in it"),
            },
            MissKind::Absent(_) | MissKind::Other => format!("`{clause}` does not match"),
            MissKind::Prohibited => format!("`{clause}` matches, and must not"),
            MissKind::TooFew { matched: 0, minimum: 1, .. } => format!("no clause of `{clause}` matches"),
            MissKind::TooFew { matched, minimum, .. } => {
                format!("{matched} of the clauses of `{clause}` match, {minimum} must")
            }
            MissKind::NoneOf(_) => format!("none of `{clause}` matches"),
        }
    }

    /// Without Solr's ways to run a range.
    fn text(&self, query: &Query) -> String {
        let text = self.printer.text(query);
        let range = text.strip_prefix("IndexOrDocValuesQuery(indexQuery=");
        match range.and_then(|text| text.split_once(", dvQuery=")) {
            Some((range, _)) => range.to_owned(),
            None => text,
        }
    }

    /// The clause that decides, with what the document has instead.
    fn clause(&mut self, miss: &Miss) {
        self.entries.extend(self.shown(miss));
    }

    fn shown(&self, miss: &Miss) -> Entries {
        let mut entries: Entries = vec![("clause".into(), Node::from(self.text(&miss.clause)))];
        match &miss.kind {
            MissKind::Absent(absent) => {
                let Absent { field, wanted, has, nearest } = absent;
                entries.extend(field.as_ref().map(|field| ("field".into(), Node::from(field.to_string()))));
                if !wanted.is_empty() {
                    let wanted = wanted.iter().cloned().map(Node::from).collect();
                    entries.push(("wanted".into(), Node::Array(wanted)));
                }
                let has = has.iter().map(|has| has.iter().cloned().map(Node::from).collect());
                entries.extend(has.map(|has| (Name::Borrowed("has"), Node::Array(has))));
                let nearest = nearest.as_ref().map(|(_, nearest)| Node::from(nearest.clone()));
                entries.extend(nearest.map(|nearest| (Name::Borrowed("nearest"), nearest)));
            }
            MissKind::TooFew { matched, minimum, missing } => {
                entries.push(("matched".into(), Node::count(*matched as u64)));
                entries.push(("minimum".into(), Node::count(*minimum as u64)));
                entries.push(("missing".into(), self.all(missing)));
            }
            MissKind::NoneOf(misses) => entries.push(("missing".into(), self.all(misses))),
            MissKind::Prohibited | MissKind::Other => {}
        }
        entries
    }

    fn all(&self, misses: &[Miss]) -> Node {
        Node::Array(misses.iter().take(CLAUSES_SHOWN).map(|miss| Node::Map(self.shown(miss))).collect())
    }

    /// The smallest change of the query that mends it, where one is known.
    fn edit(&self, miss: &Miss) -> Option<String> {
        match &miss.kind {
            MissKind::Absent(Absent { nearest: Some((wanted, nearest)), .. }) => {
                Some(format!("write {nearest} for {wanted}"))
            }
            MissKind::Absent(_) | MissKind::Other => None,
            MissKind::Prohibited => Some(format!("leave out -{}", self.text(&miss.clause))),
            MissKind::TooFew { matched, .. } if *matched > 0 => Some(format!("set mm={matched}")),
            MissKind::TooFew { missing: misses, .. } | MissKind::NoneOf(misses) => {
                misses.iter().find_map(|miss| self.edit(miss))
            }
        }
    }

    /// It matches: where it stands.
    fn rank(&mut self, question: &Question<'_>) {
        let Some(found) = question.ranking else { return };
        let Page { start, rows } = question.page;
        let place = found.hits.iter().position(|hit| hit.id == question.id);
        let Some(place) = place else {
            let reached = found.total > found.hits.len() as u64;
            return match reached {
                true => self.verdict("rank", format!("it matches, behind the first {RANKS_MAX}")),
                false => self.verdict("collapsed", "it matches, and another document stands for its group"),
            };
        };
        let shown = (start..question.page.end()).contains(&place);
        match shown {
            true => self.verdict("shown", "it is on the page"),
            false => self.verdict("rank", format!("it matches, at rank {}", place + 1)),
        }
        self.put("rank", Node::count(place as u64 + 1));
        let score = |at: usize| found.hits.get(at).and_then(|hit| hit.score).map(Node::Float);
        self.entries.extend(score(place).map(|score| (Name::Borrowed("score"), score)));
        if shown {
            return;
        }
        let last = rows.checked_sub(1).and_then(|last| score(start.checked_add(last)?));
        self.entries.extend(last.map(|score| (Name::Borrowed("lastScore"), score)));
        self.edits.push(match place.checked_sub(start) {
            Some(behind) => format!("set rows={}", behind + 1),
            None => format!("set start={place}"),
        });
    }
}

/// Whether the document has each of several terms.
fn has_all(absent: &Absent) -> bool {
    let has = |wanted: &String| {
        absent.has.iter().flatten().any(|value| matches!(value, plan::Value::Str(text) if text == wanted))
    };
    absent.wanted.len() > 1 && absent.wanted.iter().all(has)
}
