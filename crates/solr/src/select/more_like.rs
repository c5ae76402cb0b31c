//! `mlt.*`: by which words documents are to be like others, and what is shown of those words. Messages are
//! Solr's, recorded from 9.10.1. The same parameters ask it of the hits of a search and of a handler of its
//! own.

use std::sync::Arc;

use plan::{Error, LikeChoice, LikeSource, LikeTerm, MoreLike, Query, Result, Schema};

use super::resolve_context::ResolveContext;
use crate::params::{Params, Preset, more_like};
use crate::query::weighted_fields;

/// What the request means by "like".
#[derive(Clone, Debug, PartialEq)]
pub struct Likes {
    /// With what the words of each weigh.
    fields: Vec<(Arc<str>, f32)>,
    choice: LikeChoice,
    /// Documents shown for each hit of a search.
    pub count: usize,
    pub terms_shown: Option<TermsShown>,
    unique_key: Option<Arc<str>>,
    schema_version: Option<u64>,
}

/// How words are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermsShown {
    List,
    /// With their weights.
    Details,
}

/// Documents like one hit are a search of their own; Solr differs: it takes on any number of them.
const HITS_MAX: usize = 1000;

impl Likes {
    /// What a search asks to be shown beside `rows` hits; `None` without `mlt=true`.
    pub fn of_hits(params: &Params, context: &ResolveContext<'_>, rows: usize) -> Result<Option<Self>> {
        if !more_like::MORE_LIKE.read(params)? {
            return Ok(None);
        }
        if rows > HITS_MAX {
            return Err(Error::bad_request(format!(
                "`mlt` with `rows` of `{rows}` is too much at once; ask for {HITS_MAX} rows at most"
            )));
        }
        Self::parse(params, context.schema, context.boolean_clauses_max).map(Some)
    }

    /// A query has at most `clauses_max` words.
    pub fn parse(params: &Params, schema: &Schema, clauses_max: usize) -> Result<Self> {
        let names: Vec<_> = more_like::FIELDS.sent_all(params).flat_map(names).collect();
        if names.is_empty() {
            return Err(Error::bad_request(match more_like::FIELDS.sent(params) {
                None => "Missing required parameter: mlt.fl",
                Some(_) => "MoreLikeThis requires at least one similarity field: mlt.fl",
            }));
        }
        let boosts = weighted_fields(more_like::BOOSTS.sent_all(params))?;
        let boost =
            |name: &str| boosts.iter().find(|(known, _)| known == name).map_or(1.0, |(_, boost)| *boost);
        let terms_shown = match more_like::TERMS_SHOWN.text(params).to_lowercase().as_str() {
            "list" => Some(TermsShown::List),
            "details" => Some(TermsShown::Details),
            _ => None,
        };
        Ok(Self {
            fields: names.into_iter().map(|name| (Arc::from(name), boost(name))).collect(),
            choice: choice(params, clauses_max)?,
            count: number(params, &more_like::COUNT)?,
            terms_shown,
            unique_key: schema.unique_key.clone(),
            schema_version: Some(schema.lineage.version),
        })
    }

    pub fn of(&self, source: LikeSource) -> MoreLike {
        MoreLike {
            collections: Vec::new(),
            schema_version: self.schema_version,
            of: source,
            fields: self.fields.clone(),
            choice: self.choice.clone(),
        }
    }

    /// The documents that are like it by these words.
    pub fn query(&self, like: &MoreLike, terms: &[LikeTerm]) -> Query {
        like.query(terms, self.unique_key.as_ref())
    }
}

/// Names between commas and spaces.
pub(crate) fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(|c: char| c == ',' || c.is_whitespace()).filter(|name| !name.is_empty())
}

fn choice(params: &Params, clauses_max: usize) -> Result<LikeChoice> {
    let percent = more_like::PERCENT_MAX.read(params)?;
    Ok(LikeChoice {
        frequency_min: u32::try_from(number(params, &more_like::FREQUENCY_MIN)?).unwrap_or(u32::MAX),
        documents_min: number(params, &more_like::DOCUMENTS_MIN)? as u64,
        documents_max: match more_like::DOCUMENTS_MAX.read(params)? {
            Some(count) => u64::try_from(count).unwrap_or(0),
            None => u64::MAX,
        },
        percent_max: percent.map(|percent| u64::try_from(percent).unwrap_or(0)),
        length_min: number(params, &more_like::LENGTH_MIN)?,
        length_max: number(params, &more_like::LENGTH_MAX)?,
        // Each word becomes a clause of one boolean query.
        terms_max: number(params, &more_like::TERMS_MAX)?.min(clauses_max),
        tokens_max: number(params, &more_like::TOKENS_MAX)?,
        weighted: more_like::WEIGHTED.read(params)?,
    })
}

/// What is below 0 is 0.
fn number(params: &Params, param: &Preset<i32>) -> Result<usize> {
    Ok(usize::try_from(param.read(params)?).unwrap_or(0))
}
