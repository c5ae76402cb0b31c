//! Whether the collection has what the sources have: both are read once into buckets of counts and digests,
//! which take the same memory however many documents there are; only the documents of buckets that differ are
//! looked at one by one, in a second reading. What still differs after a pause differs: both sides may change
//! meanwhile.

mod buckets;
mod difference;
mod repair;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use serde::Serialize;
use serde_json::Value as Json;

use crate::clock::Now;
use crate::config::IngestConfig;
use crate::mapping::digest_text;
use crate::mass::RunError;
use crate::record::Rejected;
use crate::shape::Shaper;
use crate::sources::{self, KeyRange};
use crate::target::{Target, unexpected};

use buckets::Buckets;
pub use difference::{Difference, DifferenceKind};

/// Documents of differing buckets that are compared one by one at most; beyond it, indexing anew is the
/// quicker way.
const SUSPECTS_MAX: usize = 200_000;

/// How long a change may be on its way before it counts as missing.
const SETTLE: Duration = Duration::from_secs(2);

/// A document on one side or both.
#[derive(Clone, Debug, Default)]
struct Suspect {
    /// Source's number and key.
    source: Option<(usize, String, u64)>,
    /// The digest that the target keeps.
    target: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct DiffReport {
    pub source_documents: u64,
    pub target_documents: u64,
    /// By id.
    pub differences: Vec<Difference>,
    /// Whether contents were compared, not ids alone.
    pub contents: bool,
    pub repaired: u64,
    /// How many rows the sources have that cannot be read.
    pub refused: u64,
    /// The first of them.
    pub refusals: Vec<Rejected>,
}

impl DiffReport {
    /// Whether documents that no row has may have one all the same, among those that cannot be read: then
    /// they are nobody's to delete.
    pub fn leaves_extra(&self) -> bool {
        self.refused > 0
    }
}

/// Refused rows that a report shows.
const REFUSALS_SHOWN: usize = 20;

/// Compares, and with `repair` makes the target what the sources are.
pub struct Diff<'a> {
    config: &'a IngestConfig,
    target: Target,
    now: Now,
    filters: Vec<String>,
}

impl<'a> Diff<'a> {
    pub async fn new(config: &'a IngestConfig, now: Now) -> Result<Self, RunError> {
        let target = Target::new(&config.target)?;
        let filters = target.root_filters(&config.target.collection).await?;
        Ok(Self { config, target, now, filters })
    }

    pub async fn run(&self, repair: bool) -> Result<DiffReport, RunError> {
        let (mut sources, mut target) = (Buckets::default(), Buckets::default());
        let (refused, refusals) =
            self.read_sources(|_, _, id, digest| sources.add(id, &self.kept(digest))).await?;
        self.read_target(|id, digest| target.add(id, digest)).await?;
        let mut report = DiffReport {
            source_documents: sources.documents(),
            target_documents: target.documents(),
            contents: self.config.target.digest_field.is_some(),
            refused,
            refusals,
            ..DiffReport::default()
        };
        let differing = sources.differing(&target);
        if differing.is_empty() {
            return Ok(report);
        }
        let first = self.suspects(&differing).await?;
        tokio::time::sleep(SETTLE).await;
        let second = self.suspects(&differing).await?;
        let stays = |id: &String, kind| first.get(id).and_then(difference_of) == Some(kind);
        for (id, suspect) in &second {
            if let Some(kind) = difference_of(suspect).filter(|kind| stays(id, *kind)) {
                let row = suspect.source.as_ref();
                let row = row.map(|(at, key, _)| (self.config.sources[*at].name.clone(), key.clone()));
                report.differences.push(Difference { id: id.clone(), kind, row });
            }
        }
        if repair {
            let leaves_extra = report.leaves_extra();
            let mends = |one: &&Difference| !(leaves_extra && one.kind == DifferenceKind::Extra);
            let differences: Vec<Difference> = report.differences.iter().filter(mends).cloned().collect();
            report.repaired = repair::repair(self.config, &self.target, (self.now)(), &differences).await?;
        }
        Ok(report)
    }

    /// As the target keeps it.
    fn kept(&self, digest: u64) -> String {
        if self.config.target.digest_field.is_some() { digest_text(digest) } else { String::new() }
    }

    /// The documents of some buckets, by id, on both sides.
    async fn suspects(&self, differing: &HashSet<usize>) -> Result<BTreeMap<String, Suspect>, RunError> {
        let mut suspects: BTreeMap<String, Suspect> = BTreeMap::new();
        self.read_sources(|source, key, id, digest| {
            if differing.contains(&Buckets::of(id)) && suspects.len() <= SUSPECTS_MAX {
                suspects.entry(id.to_owned()).or_default().source = Some((source, key.to_owned(), digest));
            }
        })
        .await?;
        self.read_target(|id, digest| {
            if differing.contains(&Buckets::of(id)) && suspects.len() <= SUSPECTS_MAX {
                suspects.entry(id.to_owned()).or_default().target = Some(digest.to_owned());
            }
        })
        .await?;
        if suspects.len() > SUSPECTS_MAX {
            return Err(RunError::NotVerified(format!(
                "more than {SUSPECTS_MAX} documents may differ; index anew with `ingest once --fresh`"
            )));
        }
        // Contents are compared by what the target keeps, so that both sides speak of the same thing.
        for suspect in suspects.values_mut() {
            let source = suspect.source.as_ref().map(|(_, _, digest)| self.kept(*digest));
            if source.is_some() && source == suspect.target {
                *suspect = Suspect::default();
            }
        }
        Ok(suspects)
    }

    /// Every document that may be seen: source's number, key, id, digest. How many rows cannot be read, and
    /// the first of them.
    async fn read_sources(
        &self,
        mut each: impl FnMut(usize, &str, &str, u64),
    ) -> Result<(u64, Vec<Rejected>), RunError> {
        let (mut refused, mut first) = (0, Vec::new());
        for (at, config) in self.config.sources.iter().enumerate() {
            let source = sources::open(config)?;
            let shaper =
                Shaper::new(self.config, config).map_err(|findings| RunError::Config(findings.join("\n")))?;
            let snapshot = source.snapshot().await?;
            let range = KeyRange::default();
            let mut pages = snapshot.pages(&range, None).await?;
            while let Some(page) = pages.next().await? {
                let shaped = shaper.shape(page, (self.now)());
                for document in shaped.documents.all() {
                    each(at, &document.key, &document.id, document.digest);
                }
                refused += shaped.rejected.len() as u64;
                first.extend(shaped.rejected.into_iter().take(REFUSALS_SHOWN - first.len()));
            }
        }
        Ok((refused, first))
    }

    /// Every document of the target: id, and the digest it keeps.
    async fn read_target(&self, mut each: impl FnMut(&str, &str)) -> Result<(), RunError> {
        let target = &self.config.target;
        let (id, digest) = (target.id_field.as_str(), target.digest_field.as_deref().unwrap_or_default());
        let (fields, sort) = (format!("{id},{digest}"), format!("{id} asc"));
        let path = format!("{}/select", target.collection);
        let mut mark = "*".to_owned();
        loop {
            let fixed = [
                ("q", "*:*"),
                ("rows", "5000"),
                ("fl", fields.trim_end_matches(',')),
                ("sort", &sort),
                ("cursorMark", &mark),
            ];
            let filters = self.filters.iter().map(|filter| ("fq", filter.as_str()));
            let params: Vec<_> = fixed.into_iter().chain(filters).collect();
            let answer = self.target.get(&path, &params).await?;
            // A schema that guesses makes fields multi-valued: one value is a list of one.
            let one = |value: &Json| value.as_array().and_then(|list| list.first()).unwrap_or(value).clone();
            let text = |doc: &Json, field: &str| {
                doc.get(field).map(one).and_then(|one| one.as_str().map(str::to_owned)).unwrap_or_default()
            };
            for doc in answer.pointer("/response/docs").and_then(Json::as_array).into_iter().flatten() {
                each(&text(doc, id), &text(doc, digest));
            }
            let next = answer.get("nextCursorMark").and_then(Json::as_str);
            let next = next.ok_or_else(|| unexpected("the answer has no cursor"))?;
            if next == mark {
                return Ok(());
            }
            mark = next.to_owned();
        }
    }
}

fn difference_of(suspect: &Suspect) -> Option<DifferenceKind> {
    match (&suspect.source, &suspect.target) {
        (Some(_), None) => Some(DifferenceKind::Missing),
        (None, Some(_)) => Some(DifferenceKind::Extra),
        (Some(_), Some(_)) => Some(DifferenceKind::Different),
        (None, None) => None,
    }
}
