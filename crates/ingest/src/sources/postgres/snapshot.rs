//! One state of the database for many readers: a conversation that exports its snapshot and stays open, and
//! readers that take part in it. When the exporting one dies, readers that have begun go on; new ones are
//! refused and the run takes a new snapshot.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row as _};
use tokio::sync::Mutex;

use super::query::{BEGIN, RowQuery};
use super::sql::{Bounds, literal, name, subquery};
use crate::sources::contract::{KeyRange, Page, Pages, Snapshot, SourceError};

pub struct PostgresSnapshot {
    query: Arc<RowQuery>,
    /// Of the exported snapshot.
    id: String,
    exporter: Mutex<PgConnection>,
}

struct PostgresPages {
    query: Arc<RowQuery>,
    on: PgConnection,
    range: KeyRange,
    /// Keys above this are still to come.
    after: Option<String>,
    ended: bool,
}

impl PostgresSnapshot {
    pub async fn export(query: Arc<RowQuery>) -> Result<Self, SourceError> {
        let mut on = query.connect().await?;
        let fail = |error: sqlx::Error| query.error(&error);
        query.begin(&mut on).await?;
        let exported = sqlx::query_scalar("SELECT pg_export_snapshot()").fetch_one(&mut on).await;
        let id: String = exported.map_err(fail)?;
        Ok(Self { query, id, exporter: Mutex::new(on) })
    }

    async fn bounds(&self, wanted: usize) -> Result<Vec<String>, SourceError> {
        let (query, key) = (subquery(&self.query.config.query), name(&self.query.key));
        let mut on = self.exporter.lock().await;
        let fail = |error: sqlx::Error| self.query.error(&error);
        let extent = format!(
            "SELECT min(q.{key})::text, max(q.{key})::text, pg_typeof(min(q.{key}))::text FROM {query}"
        );
        let extent = sqlx::query(AssertSqlSafe(extent)).fetch_one(&mut *on).await.map_err(fail)?;
        let number =
            |at: usize| extent.try_get::<String, _>(at).ok().and_then(|text| text.parse::<i128>().ok());
        let kind: String = extent.try_get(2).map_err(fail)?;
        // Whole numbers are cut evenly, which asks an index for two rows. Holes only make some ranges short:
        // there are more ranges than readers.
        if kind.ends_with("int") || kind == "integer" {
            let (Some(min), Some(max)) = (number(0), number(1)) else { return Ok(Vec::new()) };
            let cuts = i128::try_from(wanted).unwrap_or(1).min(max - min).max(1);
            return Ok((1..cuts).map(|at| (min + (max - min) * at / cuts).to_string()).collect());
        }
        let shares = (1..wanted).map(|at| format!("{:.6}", at as f64 / wanted as f64));
        let shares = shares.collect::<Vec<_>>().join(",");
        let cuts = format!(
            "SELECT unnest(percentile_disc(ARRAY[{shares}]::float8[]) WITHIN GROUP (ORDER BY q.{key}))::text FROM {query}"
        );
        let cuts: Vec<Option<String>> =
            sqlx::query_scalar(AssertSqlSafe(cuts)).fetch_all(&mut *on).await.map_err(fail)?;
        let mut cuts: Vec<String> = cuts.into_iter().flatten().collect();
        cuts.dedup();
        Ok(cuts)
    }
}

impl Snapshot for PostgresSnapshot {
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async {
            let count = format!("SELECT count(*) FROM {}", subquery(&self.query.config.query));
            let mut on = self.exporter.lock().await;
            let count: Result<i64, _> = sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(&mut *on).await;
            Ok(u64::try_from(count.map_err(|error| self.query.error(&error))?).ok())
        })
    }

    fn ranges(&self, wanted: usize) -> BoxFuture<'_, Result<Vec<KeyRange>, SourceError>> {
        Box::pin(async move {
            let cuts = if wanted > 1 { self.bounds(wanted).await? } else { Vec::new() };
            let afters = std::iter::once(None).chain(cuts.iter().cloned().map(Some));
            let uptos = cuts.iter().cloned().map(Some).chain([None]);
            Ok(afters.zip(uptos).map(|(after, upto)| KeyRange { after, upto }).collect())
        })
    }

    fn pages<'a>(
        &'a self,
        range: &'a KeyRange,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Pages>, SourceError>> {
        Box::pin(async move {
            let mut on = self.query.connect().await?;
            let take_part = format!("{BEGIN}; SET TRANSACTION SNAPSHOT {}", literal(&self.id));
            let begun = sqlx::raw_sql(AssertSqlSafe(take_part)).execute(&mut on).await;
            begun.map_err(|error| {
                // The exporter is gone, and its snapshot with it.
                SourceError::unavailable(&self.query.name, format!("the snapshot is gone: {error}"))
            })?;
            let after = cursor.map(str::to_owned).or_else(|| range.after.clone());
            let pages =
                PostgresPages { query: self.query.clone(), on, range: range.clone(), after, ended: false };
            Ok(Box::new(pages) as Box<dyn Pages>)
        })
    }
}

impl Pages for PostgresPages {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Page>, SourceError>> {
        Box::pin(async move {
            if self.ended {
                return Ok(None);
            }
            let rows_max = self.query.config.page_rows + 1;
            let bounds = Bounds {
                after: self.after.as_deref(),
                upto: self.range.upto.as_deref(),
                rows_max: Some(rows_max),
                keys: None,
            };
            let page = self.query.read(&mut self.on, &bounds).await?;
            self.ended = page.records.len() + page.rejected.len() < self.query.config.page_rows;
            self.after = Some(page.cursor.clone()).filter(|cursor| !cursor.is_empty());
            Ok(self.after.is_some().then_some(page))
        })
    }
}
