//! Makes the target what the sources are, for the documents that differ: rows are read afresh and sent, what
//! no row has is deleted. Where triggers fill an outbox the keys go there instead, and the service, which
//! alone writes then, does the work.

use std::collections::HashMap;

use jiff::Timestamp;

use super::difference::{Difference, DifferenceKind};
use crate::config::{FollowKind, IngestConfig, SourceConfig};
use crate::follow::PipelineDatabase;
use crate::mass::RunError;
use crate::shape::{Documents, Shaper};
use crate::sources;
use crate::target::{Delivery, Target};

/// Rows read at once.
const KEYS: usize = 500;

/// How many were mended, or handed to the service.
pub async fn repair(
    config: &IngestConfig,
    target: &Target,
    now: Timestamp,
    differences: &[Difference],
) -> Result<u64, RunError> {
    let mut rows: HashMap<&str, Vec<String>> = HashMap::new();
    let mut extra = Vec::new();
    for difference in differences {
        match (&difference.row, difference.kind) {
            (Some((source, key)), _) => rows.entry(source).or_default().push(key.clone()),
            (None, DifferenceKind::Extra) => extra.push(difference.id.clone()),
            (None, _) => {}
        }
    }
    for source in &config.sources {
        for keys in rows.get(source.name.as_str()).map_or(&[][..], Vec::as_slice).chunks(KEYS) {
            match outbox_of(config, source)? {
                Some((outbox, watch)) => outbox.add_changes(watch, keys).await?,
                None => resend(config, source, target, now, keys).await?,
            }
        }
    }
    for ids in extra.chunks(KEYS) {
        target.update(&config.target.collection, &[], Documents::default().body(None, &[], ids)).await?;
    }
    target.commit(&config.target.collection).await?;
    Ok(differences.len() as u64)
}

/// The outbox of a source that is followed by triggers, and the watched table whose keys are the documents'.
fn outbox_of(
    config: &IngestConfig,
    source: &SourceConfig,
) -> Result<Option<(PipelineDatabase, usize)>, RunError> {
    let Some(postgres) = source.postgres.as_ref().filter(|postgres| postgres.follow == FollowKind::Trigger)
    else {
        return Ok(None);
    };
    let watch = postgres.watch.iter().position(|watch| watch.parents.is_none());
    let database = PipelineDatabase::new(&config.name, &source.name, postgres)?;
    Ok(watch.map(|watch| (database, watch)))
}

async fn resend(
    config: &IngestConfig,
    source_config: &SourceConfig,
    target: &Target,
    now: Timestamp,
    keys: &[String],
) -> Result<(), RunError> {
    let source = sources::open(source_config)?;
    let shaper =
        Shaper::new(config, source_config).map_err(|findings| RunError::Config(findings.join("\n")))?;
    let shaped = shaper.shape(source.fetch(keys).await?, now);
    let collection = &config.target.collection;
    let documents = &shaped.documents;
    let delivery = Delivery { collection, source: &source_config.name, documents, params: &[] };
    for batch in documents.batches(config.target.batch_docs, config.target.batch_bytes) {
        target.deliver(delivery, batch).await?;
    }
    Ok(())
}
