//! `{!mlt qf=…}id`: documents like the one with that id, and `{!mlt_content qf=…}text`: documents like a
//! text. The words are chosen where the index is. In: local parameters; out: `plan::MoreLike` with what to
//! choose by. The component `mlt` and its handler have parameters of their own (`select/more_like.rs`) and
//! share only what is searched.

use std::sync::Arc;

use plan::{LikeChoice, LikeSource, MoreLike, Query, Result};

use super::dismax::weighted_fields;
use super::request::Request;
use crate::params::integer;

pub(super) fn of_document(request: &Request<'_>) -> Result<Option<Query>> {
    let fields = match fields(request)? {
        fields if fields.is_empty() => declared(request),
        fields => fields,
    };
    like(request, LikeSource::Document(request.text.to_owned()), fields)
}

pub(super) fn of_text(request: &Request<'_>) -> Result<Option<Query>> {
    like(request, LikeSource::Text(request.text.to_owned()), fields(request)?)
}

fn like(request: &Request<'_>, of: LikeSource, fields: Vec<(Arc<str>, f32)>) -> Result<Option<Query>> {
    // The shard chooses the words, and must do so under the schema that named the fields (ADR 16).
    let schema_version = Some(request.context.schema.lineage.version);
    let names = &request.context.names;
    let collections = match names.together {
        [] => names.sharded.map(Arc::from).into_iter().collect(),
        together => together.to_vec(),
    };
    let choice = choice(request)?;
    Ok(Some(Query::MoreLike(Box::new(MoreLike { schema_version, collections, of, fields, choice }))))
}

fn fields(request: &Request<'_>) -> Result<Vec<(Arc<str>, f32)>> {
    let lists = request.local.all("qf").flat_map(|list| list.split(','));
    let weighted = weighted_fields(lists)?.into_iter();
    Ok(weighted.map(|(name, boost)| (Arc::from(name), boost)).collect())
}

/// The schema's own fields of texts.
fn declared(request: &Request<'_>) -> Vec<(Arc<str>, f32)> {
    let fields = request.context.schema.fields();
    let has_words = |properties: plan::Properties| properties.indexed && properties.stored;
    let texts = fields.filter(|spec| has_words(spec.properties) && !spec.class().is_point());
    texts.map(|spec| (spec.name.clone(), 1.0)).collect()
}

fn choice(request: &Request<'_>) -> Result<LikeChoice> {
    let default = LikeChoice::default();
    let number = |name: &str| -> Result<Option<usize>> {
        let number = request.local.get(name).map(integer).transpose()?;
        Ok(number.map(|number| usize::try_from(number).unwrap_or(0)))
    };
    let most = request.context.boolean_clauses_max;
    Ok(LikeChoice {
        frequency_min: number("mintf")?
            .map_or(default.frequency_min, |count| u32::try_from(count).unwrap_or(u32::MAX)),
        documents_min: number("mindf")?.map_or(default.documents_min, |count| count as u64),
        documents_max: number("maxdf")?.map_or(default.documents_max, |count| count as u64),
        percent_max: None,
        length_min: number("minwl")?.unwrap_or(default.length_min),
        length_max: number("maxwl")?.unwrap_or(default.length_max),
        terms_max: number("maxqt")?.unwrap_or(default.terms_max).min(most),
        tokens_max: number("maxntp")?.unwrap_or(default.tokens_max),
        weighted: request.local.get("boost") == Some("true"),
    })
}
