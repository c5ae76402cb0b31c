//! Why a row is visible or not: the row as the source has it now, what each rule says of it, when that
//! changes, and whether the target has its document.
//!
//! In: a key, asked of every source that can be asked for single rows; out: an answer for each, for the
//! command line. Judges by the same shaper as a run (`shape`), so that it cannot say otherwise.

use jiff::Timestamp;
use serde::Serialize;

use crate::config::IngestConfig;
use crate::shape::Shaper;
use crate::sources::{self, SourceError};
use crate::target::Target;

#[derive(Clone, Debug, Serialize)]
pub struct WhyAnswer {
    pub source: String,
    /// Whether the source has the row.
    pub exists: bool,
    /// Why it cannot be made a document.
    pub refused: Option<String>,
    pub visible: bool,
    pub changes_at: Option<String>,
    /// A line each.
    pub rules: Vec<String>,
    /// Whether the target has the document; `None` where it could not be asked.
    pub indexed: Option<bool>,
}

/// Asks every source that can be asked for single rows.
pub async fn why(config: &IngestConfig, key: &str, now: Timestamp) -> Result<Vec<WhyAnswer>, SourceError> {
    let mut answers = Vec::new();
    for source_config in &config.sources {
        let source = sources::open(source_config)?;
        let shaper = Shaper::new(config, source_config)
            .map_err(|findings| SourceError::refused(&source_config.name, findings.join("; ")))?;
        let page = source.fetch(&[key.to_owned()]).await?;
        let record = page.records.first();
        let verdict = record.map(|record| shaper.rules().judge(&source_config.name, &record.row, now));
        let id =
            record.and_then(|record| shaper.mapping().id_of(record).ok()).or_else(|| shaper.id_of_key(key));
        let refused = page.rejected.first().map(|rejected| rejected.reason.clone()).or_else(|| {
            let record = record?;
            shaper.mapping().write(record, &mut Vec::new()).err()
        });
        answers.push(WhyAnswer {
            source: source_config.name.clone(),
            exists: record.is_some() || refused.is_some(),
            refused,
            visible: verdict.as_ref().is_some_and(|verdict| verdict.visible),
            changes_at: verdict.as_ref().and_then(|verdict| Some(verdict.changes_at?.to_string())),
            rules: verdict.iter().flat_map(|verdict| &verdict.rules).map(ToString::to_string).collect(),
            indexed: match id {
                Some(id) => is_indexed(config, &id).await,
                None => None,
            },
        });
    }
    Ok(answers)
}

async fn is_indexed(config: &IngestConfig, id: &str) -> Option<bool> {
    let target = Target::new(&config.target).ok()?;
    let path = format!("{}/get", config.target.collection);
    let answer = target.api().get(&path, &[("id", id), ("fl", &config.target.id_field)]).await.ok()?;
    Some(answer.get("doc").is_some_and(serde_json::Value::is_object))
}

impl WhyAnswer {
    /// One line.
    pub fn summary(&self) -> String {
        let state = match (&self.refused, self.exists, self.visible) {
            (Some(reason), ..) => format!("refused: {reason}"),
            (None, false, _) => "the source has no such row".to_owned(),
            (None, true, true) => "visible".to_owned(),
            (None, true, false) => "kept back".to_owned(),
        };
        let changes =
            self.changes_at.as_ref().map_or_else(String::new, |at| format!(", which changes at {at}"));
        let indexed = match self.indexed {
            Some(true) => "; the target has it",
            Some(false) => "; the target does not have it",
            None => "; the target could not be asked",
        };
        format!("{state}{changes}{indexed}")
    }
}
