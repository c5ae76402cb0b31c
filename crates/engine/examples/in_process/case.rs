//! A query of the file, as the plan that a mode runs. In: a line of JSON that the Lucene side of the
//! comparison reads too (`crates/lab/lucene`); out: a plan. A mode is what is asked of the query: the first
//! ten, how many there are, or both.

use std::error::Error;
use std::ops::Bound;
use std::sync::Arc;

use plan::{
    Clause, FacetPlan, FieldFacet, Filter, Occur, Page, Phrase, PhrasePosition, Query, Range, SearchPlan,
    SortBy, SortKey, Value,
};

pub struct Case(serde_json::Value);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Top10,
    Top10Count,
    Count,
    Facet,
    FacetTop10Count,
}

impl Mode {
    pub fn name(self) -> &'static str {
        match self {
            Mode::Top10 => "top10",
            Mode::Top10Count => "top10_count",
            Mode::Count => "count",
            Mode::Facet => "facet",
            Mode::FacetTop10Count => "facet_top10_count",
        }
    }
}

impl Case {
    pub fn read(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line).map(Self)
    }

    fn text(&self, member: &str) -> &str {
        self.0[member].as_str().unwrap_or_default()
    }

    pub fn class(&self) -> &str {
        self.text("class")
    }

    pub fn name(&self) -> &str {
        self.text("name")
    }

    pub fn modes(&self) -> Vec<Mode> {
        match self.text("kind") {
            "facet" => vec![Mode::Facet, Mode::FacetTop10Count],
            "sort" => vec![Mode::Top10, Mode::Top10Count],
            _ => vec![Mode::Top10, Mode::Top10Count, Mode::Count],
        }
    }

    pub fn plan(&self, mode: Mode) -> Result<SearchPlan, Box<dyn Error>> {
        let rows = if matches!(mode, Mode::Count | Mode::Facet) { 0 } else { 10 };
        Ok(SearchPlan {
            filters: self.filters()?,
            sort: vec![self.sort()],
            page: Page { start: 0, rows },
            facets: self.facets(),
            count_enough: (mode == Mode::Top10).then_some(0),
            ..SearchPlan::count(self.query()?)
        })
    }

    fn query(&self) -> Result<Query, Box<dyn Error>> {
        let terms: Vec<String> = match self.0["terms"].as_array() {
            Some(terms) => terms.iter().filter_map(|term| term.as_str().map(str::to_owned)).collect(),
            None => Vec::new(),
        };
        let field: Arc<str> = "text".into();
        let term = |term: &String| Query::Term { field: field.clone(), value: Value::Str(term.clone()) };
        let clauses = |occur| terms.iter().map(|word| Clause { occur, query: term(word) }).collect();
        Ok(match self.text("kind") {
            "range" => Query::Range(self.range()?),
            "prefix" => Query::Prefix { field, prefix: self.text("prefix").to_owned() },
            "and" => Query::Boolean { clauses: clauses(Occur::Must), minimum_should_match: 0 },
            "or" => Query::Boolean { clauses: clauses(Occur::Should), minimum_should_match: 1 },
            "phrase" => {
                let at =
                    |(position, word): (u32, &String)| PhrasePosition { position, terms: vec![word.clone()] };
                Query::Phrase(Phrase { field, positions: (0..).zip(&terms).map(at).collect(), slop: 0 })
            }
            _ => terms.first().map_or(Query::All, term),
        })
    }

    fn filters(&self) -> Result<Vec<Filter>, Box<dyn Error>> {
        if self.text("kind") != "range_term" {
            return Ok(Vec::new());
        }
        let query = Query::Range(self.range()?);
        Ok(vec![Filter { query, cache: false, cost: 0, tags: Vec::new() }])
    }

    fn range(&self) -> Result<Range, Box<dyn Error>> {
        let field = self.text("field");
        let value = |member: &str| -> Result<Value, Box<dyn Error>> {
            if field == "date" {
                return Ok(Value::Date(plan::parse_instant(self.text(member)).ok_or("a date is none")?));
            }
            Ok(Value::Int(i32::try_from(self.0[member].as_i64().ok_or("a bound is no number")?)?))
        };
        let (lower, upper) = (Bound::Included(value("from")?), Bound::Included(value("to")?));
        Ok(Range { field: field.into(), lower, upper })
    }

    fn sort(&self) -> SortKey {
        match self.text("sort_field") {
            "" => SortKey { by: SortBy::Score, descending: true },
            field => SortKey { by: SortBy::Field(field.into()), descending: self.text("order") == "desc" },
        }
    }

    fn facets(&self) -> FacetPlan {
        let field = self.text("facet_field");
        if field.is_empty() {
            return FacetPlan::default();
        }
        let facet = FieldFacet { limit: Some(10), ..FieldFacet::of(&field.into()) };
        FacetPlan { enabled: true, fields: vec![facet], ..FacetPlan::default() }
    }
}
