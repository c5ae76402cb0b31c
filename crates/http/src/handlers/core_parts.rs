//! `SPLIT` and `MERGEINDEXES` of cores: documents that go from one core into others. Which ones is decided
//! here; that nothing is half done, whatever happens, is the cluster's (`take_in`).
//!
//! What the target's schema could not hold is found and reported before the first document goes. Parts of a
//! split go one after another, each whole or not at all; the source stays as it is.

use std::sync::Arc;

use cluster::{Collection, HashRange, Intake, route_key};
use plan::{Error, Result};
use solr::params::admin::cores as params;
use solr::response::Entries;
use solr::schema::first_loss;

use crate::request::call::Call;

/// Parts of a split, and sources of a merge.
const PARTS_MAX: usize = 64;

/// Documents by the hash of their ids into cores that are there.
///
/// Solr differs: without `ranges` it deals the documents out in turn, which nobody can repeat; here each
/// target has an equal share of the hashes. It also writes to folders (`path`), which no core here would find
/// (`compat/admin/figures.yaml`).
pub(super) async fn split(call: &Call<'_>) -> Result<Entries> {
    let names: Vec<&str> = params::TARGETS.sent_all(&call.params).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(Error::bad_request(match call.text(&params::PATH) {
            Some(path) => format!(
                "`path` is `{path}`, which is not supported: make cores and name each with `targetCore`"
            ),
            None => "Either path or targetCore param must be specified".to_owned(),
        }));
    }
    let source = existing(call, call.required(&params::CORE)?)?;
    let key = split_key(call)?;
    let ranges = ranges(call, names.len())?;
    let expected = |name: &&str| {
        call.server.node.find(name).ok_or_else(|| {
            Error::bad_request(format!("Core with core name {name} expected but doesn't exist."))
        })
    };
    let targets = names.iter().map(expected).collect::<Result<Vec<_>>>()?;
    for target in &targets {
        check_distinct(&source, target, &targets)?;
        check_fields(&source, target).await?;
    }
    if source.schema().unique_key.is_none() {
        return Err(Error::bad_request(
            "the core has no unique key by whose hash to split it; declare `uniqueKey`",
        ));
    }
    for (target, range) in targets.into_iter().zip(ranges) {
        let key = key.clone();
        let wanted =
            move |id: &str| range.has(id) && key.as_deref().is_none_or(|key| route_key(id) == Some(key));
        target.take_in(&call.server.node, vec![Intake::new(source.clone(), wanted)]).await?;
    }
    Ok(vec![])
}

/// The tenant whose documents alone are to be taken.
fn split_key(call: &Call<'_>) -> Result<Option<String>> {
    let Some(text) = call.text(&params::SPLIT_KEY) else { return Ok(None) };
    match route_key(text) {
        Some(key) => Ok(Some(key.to_owned())),
        None => Err(Error::bad_request(format!("`split.key` is `{text}`; end it with `!`, as in `tenant!`"))),
    }
}

/// One for each target.
fn ranges(call: &Call<'_>, targets: usize) -> Result<Vec<HashRange>> {
    if targets > PARTS_MAX {
        return Err(Error::bad_request(format!(
            "there are `{targets}` targets; use {PARTS_MAX} or fewer at once"
        )));
    }
    let Some(text) = call.text(&params::RANGES) else {
        return Ok(HashRange::ALL.cut(u32::try_from(targets).unwrap_or(1)));
    };
    let ranges = text.split(',').map(HashRange::parse).collect::<Result<Vec<_>>>()?;
    if ranges.len() == targets {
        return Ok(ranges);
    }
    Err(Error::bad_request(format!(
        "there are `{}` ranges for `{targets}` targets; give a range for each `targetCore`",
        ranges.len()
    )))
}

fn check_distinct(source: &Arc<Collection>, target: &Arc<Collection>, all: &[Arc<Collection>]) -> Result<()> {
    let named = all.iter().filter(|other| Arc::ptr_eq(other, target)).count();
    if named == 1 && !Arc::ptr_eq(source, target) {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "`targetCore` names `{}` again, or the core to split; use another core for each part",
        target.core_name()
    )))
}

/// All documents of cores into another, in place of those with their ids.
///
/// Solr differs: two documents of one id stay two there, and a target that is not there goes unsaid
/// (`compat/admin/figures.yaml`).
pub(super) async fn merge(call: &Call<'_>) -> Result<Entries> {
    let core = call.required(&params::CORE)?;
    if let Some(folder) = call.text(&params::INDEX_DIR) {
        return Err(Error::bad_request(format!(
            "`indexDir` is `{folder}`, which is not supported: name cores with `srcCore`"
        )));
    }
    let names: Vec<&str> = params::SOURCES.sent_all(&call.params).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Err(Error::bad_request("At least one indexDir or srcCore must be specified"));
    }
    if names.len() > PARTS_MAX {
        let count = names.len();
        return Err(Error::bad_request(format!(
            "there are `{count}` sources; use {PARTS_MAX} or fewer at once"
        )));
    }
    let target = existing(call, core)?;
    let mut intakes = Vec::new();
    for name in names {
        let source = existing(call, name)?;
        // Its documents are there already.
        if !Arc::ptr_eq(&source, &target) {
            check_fields(&source, &target).await?;
            intakes.push(Intake::new(source, |_| true));
        }
    }
    if !intakes.is_empty() {
        target.take_in(&call.server.node, intakes).await?;
    }
    Ok(vec![])
}

/// What would be lost on the way is reported before anything is done.
async fn check_fields(source: &Collection, target: &Collection) -> Result<()> {
    let fields = source.luke_fields().await?.into_iter().filter(|field| field.in_index);
    let present: Vec<String> = fields.map(|field| field.name).collect();
    let (from, into) = (source.schema(), target.schema());
    let Some((field, why)) = first_loss(&from, &into, &present) else { return Ok(()) };
    Err(Error::bad_request(format!(
        "documents of `{}` cannot go into `{}`: field `{field}`: {why}",
        source.core_name(),
        target.core_name()
    )))
}

fn existing(call: &Call<'_>, name: &str) -> Result<Arc<Collection>> {
    call.server.node.find(name).ok_or_else(|| Error::bad_request(format!("Core: {name} does not exist")))
}
