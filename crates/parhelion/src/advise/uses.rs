//! Which fields a search uses, and for what. A search is resolved by the code that serves it, against the
//! schema of the collection, so that no parser is written twice; every name of a field in the plan is a use.
//! Besides, names that stand where names stand (`name:`, `qf`, `fl`) count, since a plan may have done
//! without them. What cannot be resolved here is guessed: every word that is a name of a field may be a use.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::anyhow;
use plan::{Component, HighlightParts, Query, Schema, glob_matches};
use serde_json::Value;
use solr::query::{Names, SchemaAnalyzers};
use solr::select::{HandlerElevation, ResolveContext, Resolved, SelectRequest};
use solr::{Params, json_request};

use super::asked::AskedSearch;
use super::roles::{ParamReading, UseRole, reading_of};
use super::words::{is_word, words, words_before_colons};

/// What one search uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchUses {
    pub certain: BTreeSet<(String, UseRole)>,
    /// Fields that it may use, where it could not be read.
    pub maybe: BTreeSet<String>,
    /// Why it could not.
    pub unread: Option<String>,
    /// Whether it shows all stored fields.
    pub shows_all: bool,
}

/// Reads searches against the schema of a collection.
pub struct UseReader<'a> {
    schema: &'a Schema,
    analyzers: Arc<SchemaAnalyzers>,
    /// All concrete names that are to be judged.
    names: &'a BTreeSet<String>,
    /// Those among them that are not found as words.
    odd_names: Vec<&'a str>,
}

impl<'a> UseReader<'a> {
    pub fn new(schema: &'a Schema, names: &'a BTreeSet<String>) -> Self {
        let odd_names = names.iter().map(String::as_str).filter(|name| !is_word(name)).collect();
        Self { schema, analyzers: SchemaAnalyzers::new(schema), names, odd_names }
    }

    pub fn uses(&self, search: &AskedSearch) -> SearchUses {
        let mut uses = SearchUses::default();
        self.add_named(search, &mut uses);
        let unread = match self.resolved(search) {
            Ok(resolved) => {
                self.add_plan(&resolved, &mut uses);
                uses.shows_all = resolved.plan.fields.all && shows_documents(search, &resolved);
                resolved.late_failure.map(|(_, error)| error.message)
            }
            Err(error) => Some(format!("{error:#}")),
        };
        // Each column of such a kind is a search of its own, with parameters of its own.
        let has_subquery = search.values("fl").any(|it| it.contains("[subquery"));
        if let Some(why) = unread.or(has_subquery.then(|| "`[subquery]` in `fl`".to_owned())) {
            uses.maybe = self.guessed(search);
            uses.unread = Some(why);
        }
        uses
    }

    /// All names that a search has anywhere.
    pub fn guessed(&self, search: &AskedSearch) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for value in search.params.values().flatten() {
            found.extend(words(value).filter(|word| self.names.contains(*word)).map(str::to_owned));
            found.extend(
                self.odd_names.iter().filter(|name| value.contains(**name)).map(|it| (*it).to_owned()),
            );
            for glob in value.split([',', ' ', '"']).filter(|it| it.len() > 1 && it.contains('*')) {
                found.extend(self.names.iter().filter(|name| glob_matches(glob, name)).cloned());
            }
        }
        found
    }

    fn resolved(&self, search: &AskedSearch) -> anyhow::Result<Resolved> {
        let pairs = search
            .params
            .iter()
            .flat_map(|(name, values)| values.iter().map(move |value| (name.clone(), value.clone())));
        let params = json_request::with_params(&Params::new(pairs.collect()));
        let params =
            json_request::filled(params).and_then(json_request::expand).map_err(|it| anyhow!(it.message))?;
        let context = ResolveContext {
            schema: self.schema,
            analyzers: &self.analyzers,
            now_ms: search.at.as_millisecond(),
            // What the server took is not to be refused here.
            boolean_clauses_max: usize::MAX,
            prefix_length_min: None,
            // Other collections may be on other servers: what asks them is guessed.
            others: None,
            core: "",
            elevation: HandlerElevation::Nowhere,
            // A handler that runs fewer does not do what others would; counted, it keeps a field.
            components: &Component::DEFAULT,
            names: Names::default(),
            highlight: &HighlightParts::default(),
        };
        let request = SelectRequest::parse(&params).map_err(|it| anyhow!(it.message))?;
        request.resolve(&context).map_err(|it| anyhow!(it.message))
    }

    fn add_plan(&self, resolved: &Resolved, uses: &mut SearchUses) {
        let Ok(Value::Object(plan)) = serde_json::to_value(&*resolved.plan) else {
            uses.unread = Some("its plan cannot be written".to_owned());
            return;
        };
        for (section, value) in &plan {
            let role = match section.as_str() {
                "query" => UseRole::Query,
                "filters" => UseRole::Filter,
                "sort" => UseRole::Sort,
                "functions" => UseRole::Function,
                "facets" => UseRole::Facet,
                "shape" => UseRole::Group,
                "highlight" => UseRole::Highlight,
                // `fields`, `children`, and what a later release adds: counted rather than missed.
                _ => UseRole::Show,
            };
            match value {
                // Statistics of the hits are a part of the plan's facets, and not of its tree of them.
                Value::Object(parts) if role == UseRole::Facet => {
                    for (part, value) in parts {
                        let role = if part == "stats" { UseRole::Stats } else { role };
                        self.add_strings(value, role, uses);
                    }
                }
                _ => self.add_strings(value, role, uses),
            }
        }
    }

    /// Every text of a section that is the name of a field, or a glob that matches some: which members hold
    /// names is not known here, and a value that equals a name is better counted than a name missed.
    fn add_strings(&self, value: &Value, role: UseRole, uses: &mut SearchUses) {
        match value {
            Value::String(text) if self.names.contains(text) => {
                uses.certain.insert((text.clone(), role));
            }
            Value::String(glob)
                if glob.len() > 1 && glob.contains(['*', '?']) && role >= UseRole::Highlight =>
            {
                let matching = self.names.iter().filter(|name| glob_matches(glob, name));
                uses.certain.extend(matching.map(|name| (name.clone(), role)));
            }
            Value::Array(values) => values.iter().for_each(|value| self.add_strings(value, role, uses)),
            Value::Object(members) => {
                for (name, value) in members {
                    // What a facet is called in the answer, values, and tags are no names of fields.
                    let is_other = matches!(name.as_str(), "key" | "Str" | "query_tags" | "exclude_tags");
                    if !is_other {
                        self.add_strings(value, role, uses);
                    }
                }
            }
            _ => {}
        }
    }

    /// Names where parameters have names.
    fn add_named(&self, search: &AskedSearch, uses: &mut SearchUses) {
        for (param, values) in &search.params {
            let Some((role, reading)) = reading_of(param) else { continue };
            for value in values {
                let found: Vec<&str> = match reading {
                    ParamReading::Names => words(value).collect(),
                    ParamReading::Query => words_before_colons(value).collect(),
                };
                let known = found.into_iter().filter(|word| self.names.contains(*word));
                uses.certain.extend(known.map(|word| (word.to_owned(), role)));
            }
        }
    }
}

/// Whether a search has documents in its answer at all: not of terms, nor of counts alone.
fn shows_documents(search: &AskedSearch, resolved: &Resolved) -> bool {
    // Those like a text that is sent have no query either.
    let is_like = search.params.keys().any(|name| name.starts_with("mlt."));
    resolved.plan.page.rows > 0 && (resolved.plan.query != Query::Nothing || is_like)
}

/// The uses of all searches of a log, by field.
#[derive(Default)]
pub struct LoggedUses {
    pub fields: BTreeMap<String, FieldUses>,
    /// Searches that show all stored fields.
    pub shows_all: u64,
    /// Why searches could not be read, and how many.
    pub unread: BTreeMap<String, u64>,
    /// Searches of which the log has a part only.
    pub cut: u64,
}

/// What one field is used for, in searches.
#[derive(Clone, Debug, Default)]
pub struct FieldUses {
    pub certain: BTreeMap<UseRole, u64>,
    pub maybe: u64,
    /// Of one of them.
    pub maybe_why: Option<String>,
}

impl LoggedUses {
    pub fn add(&mut self, search: &AskedSearch, uses: SearchUses) {
        self.shows_all += if uses.shows_all { search.count } else { 0 };
        self.cut += if search.is_cut() { search.count } else { 0 };
        for (name, role) in uses.certain {
            *self.fields.entry(name).or_default().certain.entry(role).or_default() += search.count;
        }
        if let Some(why) = uses.unread {
            *self.unread.entry(why.clone()).or_default() += search.count;
            self.add_guessed(search, uses.maybe, &why);
        }
    }

    pub fn add_guessed(&mut self, search: &AskedSearch, names: BTreeSet<String>, why: &str) {
        for name in names {
            let field = self.fields.entry(name).or_default();
            field.maybe += search.count;
            field.maybe_why.get_or_insert_with(|| why.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::asked::testing::asked;
    use super::*;

    const SCHEMA: &str = r#"<schema name="t" version="1.7"><uniqueKey>id</uniqueKey>
        <fieldType name="string" class="solr.StrField"/><fieldType name="int" class="solr.IntPointField"/>
        <fieldType name="text" class="solr.TextField"><analyzer><tokenizer name="standard"/>
        <filter name="lowercase"/></analyzer></fieldType>
        <field name="id" type="string"/><field name="name" type="text"/><field name="body" type="text"/>
        <field name="cat" type="string"/><field name="year" type="int"/><field name="price" type="int"/>
        <dynamicField name="*_s" type="string"/></schema>"#;

    fn uses(params: &[(&str, &str)]) -> SearchUses {
        let schema = Schema::build(solr::schema::parse(SCHEMA, &|_| None).unwrap()).unwrap();
        let names = ["id", "name", "body", "cat", "year", "price", "a_s", "b_s"].map(str::to_owned).into();
        UseReader::new(&schema, &names).uses(&asked(params))
    }

    #[track_caller]
    fn check(params: &[(&str, &str)], expected: &[(&str, UseRole)]) {
        let found = uses(&[&[("fl", "id")], params].concat());
        assert_eq!(found.unread, None, "{params:?}");
        let mut expected: BTreeSet<_> =
            expected.iter().map(|(name, role)| ((*name).to_owned(), *role)).collect();
        expected.insert(("id".to_owned(), UseRole::Show));
        assert_eq!(found.certain, expected, "{params:?}");
    }

    #[test]
    fn each_kind_of_use_has_its_role() {
        use UseRole as U;
        check(&[("q", "body:word")], &[("body", U::Query)]);
        check(&[("q", "word"), ("df", "name")], &[("name", U::Query)]);
        check(
            &[("q", "year:[1 TO 2] OR (cat:x AND -a_s:y)")],
            &[("year", U::Query), ("cat", U::Query), ("a_s", U::Query)],
        );
        check(
            &[("q", "x"), ("defType", "edismax"), ("qf", "name^2 body"), ("pf", "body")],
            &[("name", U::Query), ("body", U::Query)],
        );
        check(&[("q", "*:*"), ("fq", "{!term f=cat}x")], &[("cat", U::Filter)]);
        check(
            &[("q", "*:*"), ("fq", "{!frange l=1}sum(year,price)")],
            &[("year", U::Filter), ("price", U::Filter)],
        );
        check(
            &[("q", "*:*"), ("sort", "year desc, mul(price,2) asc")],
            &[("year", U::Sort), ("price", U::Sort)],
        );
        check(
            &[("q", "*:*"), ("facet", "true"), ("facet.field", "{!key=name}cat")],
            &[("cat", U::Facet), ("name", U::Facet)],
        );
        check(&[("q", "*:*"), ("facet", "true"), ("facet.query", "price:1")], &[("price", U::Facet)]);
        check(
            &[
                ("q", "*:*"),
                ("json", r#"{"facet":{"c":{"type":"terms","field":"cat","facet":{"m":"max(price)"}}}}"#),
            ],
            &[("cat", U::Facet), ("price", U::Facet)],
        );
        check(&[("q", "*:*"), ("stats", "true"), ("stats.field", "price")], &[("price", U::Stats)]);
        check(&[("q", "*:*"), ("group", "true"), ("group.field", "cat")], &[("cat", U::Group)]);
        check(&[("q", "*:*"), ("fq", "{!collapse field=cat}")], &[("cat", U::Group)]);
        check(
            &[("q", "name:x"), ("hl", "true"), ("hl.fl", "body")],
            &[("name", U::Query), ("name", U::Highlight), ("body", U::Highlight)],
        );
        check(
            &[("q", "*:*"), ("fl", "twice:mul(price,2),*_s")],
            &[("price", U::Function), ("price", U::Show), ("a_s", U::Show), ("b_s", U::Show)],
        );
        check(&[("q", "*:*"), ("mlt", "true"), ("mlt.fl", "body")], &[("body", U::Like)]);
    }

    #[test]
    fn a_word_that_is_a_name_is_no_use_where_the_search_can_be_read() {
        check(
            &[("q", "price body:cat"), ("df", "name")],
            &[("name", UseRole::Query), ("body", UseRole::Query)],
        );
        check(&[("q", "*:*"), ("note", "price")], &[]);
        check(&[("q", "body:x"), ("df", "name")], &[("body", UseRole::Query)]);
    }

    #[test]
    fn words_that_the_analyzer_drops_still_name_their_field() {
        check(&[("q", "body:\"...\"")], &[("body", UseRole::Query)]);
    }

    #[test]
    fn what_cannot_be_read_may_use_all_that_it_names() {
        let found = uses(&[("q", "{!mine f=cat}price"), ("fl", "a_*")]);
        assert!(found.unread.is_some() && found.certain.is_empty(), "{found:?}");
        assert_eq!(found.maybe, ["a_s", "cat", "price"].map(str::to_owned).into());
        let found =
            uses(&[("q", "*:*"), ("fl", "id,more:[subquery]"), ("more.q", "{!term f=cat v=$row.id}")]);
        assert!(found.maybe.contains("cat"), "{found:?}");
    }

    #[test]
    fn all_that_is_stored_is_shown_without_a_list() {
        assert!(uses(&[("q", "*:*")]).shows_all && uses(&[("q", "*:*"), ("fl", "*,score")]).shows_all);
        for without in [
            &[("q", "*:*"), ("fl", "name")][..],
            &[("q", "*:*"), ("rows", "0")],
            &[("terms", "true"), ("terms.fl", "name")],
        ] {
            assert!(!uses(without).shows_all, "{without:?}");
        }
    }
}
