//! `/get`: documents by id, as last updated, whether a commit made them visible or not. One `id` answers with
//! `doc`, more of them, or `ids`, with a list. `getVersions` asks for the versions of the last updates
//! instead, `getFingerprint` for those of all documents in one number.

use std::collections::HashMap;

use plan::partial::IndexFingerprint;
use plan::{
    ChildHit, Document, Error, FieldSelection, Hit, Page, Query, Result, Schema, SearchPlan, SearchResult,
    Value, Version,
};

use crate::params::admin::get;
use crate::params::unsupported::refuse_unsupported;
use crate::params::{Param, Params, query};
use crate::query::{Budget, QueryContext, parse_query};
use crate::response::{self, Entries, Node};
use crate::select::{FieldItem, FieldList, ResolveContext, as_filter};

/// What to fetch, and how to show it.
#[derive(Clone, Debug)]
pub struct GetRequest {
    pub ids: Vec<String>,
    /// How many versions to list instead.
    pub versions: Option<usize>,
    /// Up to which version to tell all in one number instead, or ahead of that list.
    pub fingerprint: Option<Version>,
    filters: Vec<String>,
    fields: FieldList,
    single: bool,
}

/// A document that was asked for, with those below it.
#[derive(Clone, Debug)]
pub struct Fetched {
    pub document: Document,
    pub children: Vec<ChildHit>,
    /// By their numbers among those that are asked.
    pub collection: usize,
    pub shard: u32,
    /// Of the functions in `fl`, in their order.
    pub values: Vec<Option<Value>>,
    /// Its number in the index; `None` where nothing searched for it.
    pub place: Option<u64>,
}

impl From<(u32, Document)> for Fetched {
    fn from((shard, document): (u32, Document)) -> Self {
        Self { document, children: Vec::new(), collection: 0, shard, values: Vec::new(), place: None }
    }
}

/// More versions are not listed at once.
const VERSIONS_MAX: usize = 10_000;

/// What Solr's nodes ask of each other when they compare their logs.
const UNSUPPORTED: [Param<String>; 3] = [get::UPDATES, get::INPUT_DOCUMENT, get::VERSION_RANGES];

impl GetRequest {
    /// `id` may repeat, `ids` holds several between commas. The context is that of the first collection.
    pub fn parse(params: &Params, context: &ResolveContext<'_>) -> Result<Self> {
        refuse_unsupported(params)?;
        if let Some(Param { name, .. }) = UNSUPPORTED.iter().find(|param| param.is_sent(params)) {
            return Err(Error::bad_request(format!(
                "parameter `{name}` is not supported by /get; ask for documents by `id`"
            )));
        }
        let filters = query::FQ.sent_all(params).filter(|text| !text.trim().is_empty());
        let listed = get::IDS.sent_all(params).flat_map(|list| list.split(',')).map(str::trim);
        let listed = listed.filter(|id| !id.is_empty());
        let ids: Vec<String> = get::ID.sent_all(params).chain(listed).map(str::to_owned).collect();
        let single = ids.len() == 1 && !get::IDS.is_sent(params);
        Ok(Self {
            ids,
            versions: versions(params)?,
            fingerprint: fingerprint(params)?,
            filters: filters.map(str::to_owned).collect(),
            fields: Self::fields(params, context)?,
            single,
        })
    }

    /// Solr differs: it searches for columns of documents here too (`compat/select/get_computed.yaml`).
    fn fields(params: &Params, context: &ResolveContext<'_>) -> Result<FieldList> {
        let (dates, budget) = (context.dates(params)?, Budget::of(params));
        let fields = FieldList::parse(params, &context.queries(params, &dates, &budget))?;
        match fields.subqueries.is_empty() {
            true => Ok(fields),
            false => Err(Error::bad_request("`[subquery]` in `fl` is not supported by /get; use /select")),
        }
    }

    /// Whether filters decide which of the documents are shown, others are shown below them, or what is shown
    /// is worked out: what only a search tells.
    ///
    /// Solr differs: what is not committed has the number -1, unless something is worked out beside it
    /// (`compat/select/get_computed.yaml`).
    pub fn is_searched(&self) -> bool {
        let computed = |item: &FieldItem| {
            matches!(item, FieldItem::Children { .. } | FieldItem::Function { .. } | FieldItem::Number { .. })
        };
        (!self.filters.is_empty() || self.fields.items.iter().any(computed)) && !self.ids.is_empty()
    }

    /// The search for those of the documents that pass the filters, in no order.
    pub fn filtered(&self, params: &Params, context: &ResolveContext<'_>) -> Result<SearchPlan> {
        // Each collection gives the names in functions their meaning.
        let functions = Self::fields(params, context)?.functions;
        let (dates, budget) = (context.dates(params)?, Budget::of(params));
        let context = QueryContext { filtering: true, ..context.queries(params, &dates, &budget) };
        let key = context.schema.unique_key.clone().unwrap_or_else(|| "id".into());
        let values = self.ids.iter().cloned().map(Value::Str).collect();
        let filters = self.filters.iter().map(|text| as_filter(&parse_query(&context, text, "lucene")?));
        Ok(SearchPlan {
            schema_version: Some(context.schema.lineage.version),
            filters: filters.collect::<Result<_>>()?,
            page: Page { start: 0, rows: self.ids.len() },
            fields: self.selection(),
            functions,
            children: self.fields.children(&context)?,
            ..SearchPlan::count(Query::TermSet { field: key, values })
        })
    }

    /// What such a search found, one entry an id.
    pub fn by_id(&self, result: SearchResult) -> Vec<Option<Fetched>> {
        let mut found: HashMap<String, Fetched> = HashMap::new();
        for Hit { id, document, children, shard, values, place, .. } in result.hits {
            found
                .insert(id, Fetched { document, children, collection: 0, shard, values, place: Some(place) });
        }
        self.ids.iter().map(|id| found.get(id).cloned()).collect()
    }

    /// The same for other ids.
    pub fn of_ids(&self, ids: Vec<String>) -> Self {
        Self { ids, ..self.clone() }
    }

    /// Whose shards may be named; names are given before the answer is made.
    pub fn fields_mut(&mut self) -> &mut FieldList {
        &mut self.fields
    }

    /// What the engine has to load.
    pub fn selection(&self) -> FieldSelection {
        self.fields.selection()
    }

    /// The body of the answer, each document by the schema of its collection. Ids that are not there are left
    /// out of a list, and `null` alone.
    pub fn respond(&self, found: Vec<Option<Fetched>>, schemas: &[&Schema]) -> Entries {
        if self.ids.is_empty() {
            return vec![];
        }
        let found = found.into_iter().flatten().map(|found| match schemas.get(found.collection) {
            Some(schema) => without_copies(found, schema),
            None => found,
        });
        let mut list = response::found(found.collect(), &self.fields, schemas);
        if self.single {
            let document = list.docs.pop().map(Node::Document);
            return vec![("doc".into(), document.unwrap_or(Node::Null))];
        }
        vec![("response".into(), Node::DocList(list))]
    }
}

/// The document as it was sent: what `copyField` made of it is left out, but for what only columns hold.
///
/// Solr differs: before a commit it leaves that out, too (`compat/select/get_copies.yaml`).
fn without_copies(mut found: Fetched, schema: &Schema) -> Fetched {
    let is_destination = |name: &str| schema.source.copy_fields.iter().any(|copy| copy.dest == name);
    let is_kept = |name: &str| {
        let field = schema.field(name);
        field.is_some_and(|it| !it.properties.stored && it.properties.use_doc_values_as_stored)
    };
    found.document.fields.retain(|(name, _)| !is_destination(name) || is_kept(name));
    found
}

/// The body of the answer to `getVersions`.
pub fn versions_entry(versions: &[Version]) -> Entries {
    vec![("versions".into(), Node::Array(versions.iter().map(|version| Node::Long(*version)).collect()))]
}

/// The body of the answer to `getFingerprint`.
pub fn fingerprint_entry(up_to: Version, fingerprint: &IndexFingerprint) -> Entries {
    let IndexFingerprint { greatest, greatest_hashed, hash, hashed, documents, max_doc } = *fingerprint;
    let entries = [
        ("maxVersionSpecified", Node::Long(up_to)),
        ("maxVersionEncountered", Node::Long(greatest)),
        ("maxInHash", Node::Long(greatest_hashed)),
        ("versionsHash", Node::Long(hash)),
        ("numVersions", Node::long(hashed)),
        ("numDocs", Node::long(documents)),
        ("maxDoc", Node::long(max_doc)),
    ];
    let entries = entries.map(|(name, value)| (name.into(), value));
    vec![("fingerprint".into(), Node::Map(entries.into()))]
}

/// Up to which version; beside a list of versions of all.
fn fingerprint(params: &Params) -> Result<Option<Version>> {
    let of_all = get::VERSIONS.is_sent(params) && get::FINGERPRINT.read(params)?;
    let sent = get::INDEX_FINGERPRINT.read(params)?.map(i64::saturating_abs);
    Ok(sent.or(of_all.then_some(Version::MAX)))
}

/// 0 is read as 1, and what is below it as no wish, as in Solr.
fn versions(params: &Params) -> Result<Option<usize>> {
    let Some(number) = get::VERSIONS.read(params)? else { return Ok(None) };
    Ok(usize::try_from(number).ok().map(|number| number.clamp(1, VERSIONS_MAX)))
}

#[cfg(test)]
mod tests {
    use plan::SchemaSource;

    use super::*;
    use crate::query::tests::Fixture;
    use crate::response::{Format, JsonStyle};

    /// Bytes recorded from Solr 9.10.1.
    #[test]
    fn one_id_answers_otherwise_than_several() {
        let schema = Schema::build(SchemaSource::default()).unwrap();
        let document = || Document { fields: vec![("id".into(), vec![Value::Str("2".into())])] };
        let check = |pairs: &[(&str, &str)], found: Vec<Option<Document>>, expected: &str| {
            let found = found.into_iter().map(|it| it.map(|document| Fetched::from((0, document)))).collect();
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let fixture = Fixture::new();
            let request =
                GetRequest::parse(&Params::new(pairs.collect()), &fixture.resolve_context()).unwrap();
            let mut out = Vec::new();
            Format::Json(JsonStyle::default()).write(&request.respond(found, &[&schema]), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        let list =
            "{\"response\":{\"numFound\":1,\"start\":0,\"numFoundExact\":true,\"docs\":[{\"id\":\"2\"}]}}";
        check(&[("id", "2")], vec![Some(document())], "{\"doc\":{\"id\":\"2\"}}");
        check(&[("id", "9")], vec![None], "{\"doc\":null}");
        check(&[("id", "")], vec![None], "{\"doc\":null}");
        check(&[("id", "2"), ("id", "9")], vec![Some(document()), None], list);
        check(&[("ids", "9,2")], vec![None, Some(document())], list);
        check(&[("ids", "2")], vec![Some(document())], list);
        check(&[], vec![], "{}");
    }

    #[test]
    fn versions_and_filters_are_asked_for() {
        let parse = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            GetRequest::parse(&Params::new(pairs.collect()), &Fixture::new().resolve_context())
        };
        for (text, expected) in
            [("3", Some(3)), ("0", Some(1)), ("-1", None), ("99999999", Some(VERSIONS_MAX))]
        {
            assert_eq!(parse(&[("getVersions", text)]).unwrap().versions, expected, "{text}");
        }
        assert!(parse(&[("getVersions", "x")]).is_err());
        assert!(parse(&[("getUpdates", "1")]).is_err());
        assert_eq!(parse(&[("getFingerprint", "-7")]).unwrap().fingerprint, Some(7));
        let beside = parse(&[("getVersions", "2"), ("fingerprint", "true")]).unwrap();
        assert_eq!((beside.versions, beside.fingerprint), (Some(2), Some(Version::MAX)));
        assert!(parse(&[("getFingerprint", "")]).is_err());
        assert!(parse(&[("id", "1"), ("fq", "a:b")]).unwrap().is_searched());
        for computed in ["[docid]", "x:sum(1,2)", "[child]"] {
            assert!(parse(&[("id", "1"), ("fl", computed)]).unwrap().is_searched(), "{computed}");
        }
        assert!(parse(&[("id", "1"), ("fl", "a:[subquery]")]).is_err());
        assert!(!parse(&[("id", "1"), ("fq", " ")]).unwrap().is_searched());
        assert!(!parse(&[("fq", "a:b")]).unwrap().is_searched());
    }
}
