//! PostgreSQL: the file's query, bounded by the key. One conversation a reader, all of them in one exported
//! snapshot; children by one query a page, whatever the page's size. Owns SQL and conversations; what values
//! mean is `values`, triggers and slots are `follow`'s.

mod snapshot;
pub mod sql;
mod values;

use std::collections::HashMap;
use std::str::FromStr as _;
use std::sync::Arc;

use futures_util::TryStreamExt as _;
use futures_util::future::BoxFuture;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Column as _, ConnectOptions as _, Row as _};
use tokio::sync::Mutex;

use super::{Page, Snapshot, Source, SourceError};
use crate::config::{ChildConfig, PostgresConfig, SourceConfig};
use crate::mapping::unknown;
use crate::record::{Record, Rejected, sort_rows};

use snapshot::PostgresSnapshot;
use sql::Bounds;
use values::row_of;

pub struct PostgresSource {
    shared: Arc<Shared>,
    /// For `fetch`: opened at first use, dropped when it failed.
    conversation: Mutex<Option<PgConnection>>,
}

/// What every reader needs.
pub(super) struct Shared {
    name: String,
    key: String,
    config: PostgresConfig,
    children: Vec<ChildConfig>,
    options: PgConnectOptions,
}

impl PostgresSource {
    /// Connects nowhere yet.
    pub fn new(source: &SourceConfig, config: &PostgresConfig) -> Result<Self, SourceError> {
        let shared = Shared {
            name: source.name.clone(),
            key: source.key_column().to_owned(),
            config: config.clone(),
            children: source.children.clone(),
            options: connect_options(&source.name, config)?,
        };
        Ok(Self { shared: Arc::new(shared), conversation: Mutex::new(None) })
    }
}

/// How to reach the file's database.
pub fn connect_options(source: &str, config: &PostgresConfig) -> Result<PgConnectOptions, SourceError> {
    let url = match (&config.url, &config.url_env) {
        (Some(url), _) => url.clone(),
        (None, Some(name)) => std::env::var(name).map_err(|_| {
            SourceError::refused(
                source,
                format!("the environment has no `{name}`; set it to the database's URL"),
            )
        })?,
        (None, None) => return Err(SourceError::refused(source, "name one of `url` and `url_env`")),
    };
    let options = PgConnectOptions::from_str(&url).map_err(|error| {
        SourceError::refused(
            source,
            format!("`url` is not a database's URL ({error}); write postgresql://user@host/database"),
        )
    })?;
    // Our literals rely on the first; a reader in its snapshot may well wait long for a busy target.
    let settings = [("standard_conforming_strings", "on"), ("idle_in_transaction_session_timeout", "0")];
    Ok(options.application_name("parhelion ingest").options(settings).disable_statement_logging())
}

impl Shared {
    pub(super) async fn connect(&self) -> Result<PgConnection, SourceError> {
        self.options.connect().await.map_err(|error| self.error(&error))
    }

    pub(super) fn error(&self, error: &sqlx::Error) -> SourceError {
        database_error(&self.name, error)
    }

    pub(super) fn refused(&self, message: impl std::fmt::Display) -> SourceError {
        SourceError::refused(&self.name, message)
    }

    /// The records within `bounds`, with their children: one query, and one for each kind of child.
    pub(super) async fn read(&self, on: &mut PgConnection, bounds: &Bounds<'_>) -> Result<Page, SourceError> {
        let rows = self.query(on, &sql::rows(&self.config.query, &self.key, bounds)).await?;
        // The last of a full page belongs to the next: it is here to show that its key is another than the
        // one before.
        let full = bounds.rows_max.is_some_and(|max| rows.len() >= max);
        let mut page = self.records(&rows, rows.len() - usize::from(full))?;
        if page.records.is_empty() || self.children.is_empty() {
            return Ok(page);
        }
        let last = page.records.last().map(|record| record.key.clone());
        let below = Bounds {
            upto: if bounds.rows_max.is_some() { last.as_deref() } else { None },
            rows_max: None,
            ..*bounds
        };
        for child in &self.children {
            let rows = self.query(on, &sql::rows(&child.query, &child.parent_key, &below)).await?;
            self.join(child, &rows, &mut page)?;
        }
        Ok(page)
    }

    async fn query(&self, on: &mut PgConnection, sql: &str) -> Result<Vec<PgRow>, SourceError> {
        let rows = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch(on);
        rows.try_collect().await.map_err(|error| self.error(&error))
    }

    /// The first `wanted` of the rows as records; the keys of all are looked at.
    fn records(&self, rows: &[PgRow], wanted: usize) -> Result<Page, SourceError> {
        let mut page = Page::default();
        let Some(first) = rows.first() else { return Ok(page) };
        let columns = columns_of(first);
        let key_at = columns.iter().position(|column| *column == self.key);
        let key_at = key_at.ok_or_else(|| self.refused(unknown(&self.key, &columns)))?;
        for (at, row) in rows.iter().enumerate() {
            let key = values::text_at(row, key_at).unwrap_or_default().to_owned();
            if key.is_empty() {
                return Err(self.refused(format!("`{}` is null in a row; a key is never null", self.key)));
            }
            if page.cursor == key {
                return Err(self.refused(format!(
                    "two rows have the key `{key}`; the query must give each `{}` once: move the join into a `child`",
                    self.key
                )));
            }
            if at == wanted {
                break;
            }
            page.cursor.clone_from(&key);
            match row_of(row, &columns) {
                Ok(row) => {
                    let children = vec![Vec::new(); self.children.len()];
                    page.records.push(Record { key, row, children });
                }
                Err(reason) => page.rejected.push(Rejected { source: self.name.clone(), key, reason }),
            }
        }
        Ok(page)
    }

    /// Puts a child's rows below their records. A row that cannot be read refuses its record: a document with
    /// some children missing would look whole.
    fn join(&self, child: &ChildConfig, rows: &[PgRow], page: &mut Page) -> Result<(), SourceError> {
        let at = self.children.iter().position(|other| other.name == child.name).unwrap_or_default();
        let Some(first) = rows.first() else { return Ok(()) };
        let columns = columns_of(first);
        let key_at = columns.iter().position(|column| *column == child.parent_key);
        let key_at = key_at.ok_or_else(|| {
            self.refused(format!("child `{}`: {}", child.name, unknown(&child.parent_key, &columns)))
        })?;
        let places: HashMap<String, usize> =
            page.records.iter().enumerate().map(|(at, record)| (record.key.clone(), at)).collect();
        let mut broken: Vec<(usize, String)> = Vec::new();
        for row in rows {
            let place = values::text_at(row, key_at).and_then(|key| places.get(key).copied());
            let Some(place) = place else { continue };
            match row_of(row, &columns) {
                Ok(row) => page.records[place].children[at].push(row),
                Err(reason) => broken.push((place, format!("child `{}`: {reason}", child.name))),
            }
        }
        for record in &mut page.records {
            sort_rows(&mut record.children[at], child.order_by.as_deref());
        }
        broken.sort_by_key(|(place, _)| *place);
        broken.dedup_by_key(|(place, _)| *place);
        for (place, reason) in broken.into_iter().rev() {
            let record = page.records.remove(place);
            page.rejected.push(Rejected { source: self.name.clone(), key: record.key, reason });
        }
        Ok(())
    }
}

fn columns_of(row: &PgRow) -> Arc<[String]> {
    row.columns().iter().map(|column| column.name().to_owned()).collect()
}

/// A database that says no to what was asked is for the file's author; one that is away may come back.
pub fn database_error(source: &str, error: &sqlx::Error) -> SourceError {
    let Some(database) = error.as_database_error() else {
        return match error {
            sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => {
                SourceError::unavailable(source, format!("the database does not answer: {error}"))
            }
            _ => SourceError::refused(source, error),
        };
    };
    let code = database.code().unwrap_or_default().into_owned();
    // Classes 08 connection, 53 resources, 57 operator intervention, 40 serialisation, 55 object in use, 58
    // system.
    let passes = ["08", "53", "57", "40", "55", "58"].iter().any(|class| code.starts_with(class));
    let message = format!("the database says: {} ({code})", database.message());
    match code.as_str() {
        _ if passes => SourceError::unavailable(source, message),
        "42703" | "42P01" => SourceError::refused(
            source,
            format!("{message}; the table has changed, or the query is wrong: mend `query`, then go on"),
        ),
        _ => SourceError::refused(source, message),
    }
}

impl Source for PostgresSource {
    fn name(&self) -> &str {
        &self.shared.name
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, SourceError>> {
        Box::pin(async {
            let snapshot = PostgresSnapshot::export(self.shared.clone()).await?;
            Ok(Box::new(snapshot) as Box<dyn Snapshot>)
        })
    }

    fn fetch<'a>(&'a self, keys: &'a [String]) -> BoxFuture<'a, Result<Page, SourceError>> {
        Box::pin(async move {
            let mut kept = self.conversation.lock().await;
            let mut on = match kept.take() {
                Some(on) => on,
                None => self.shared.connect().await?,
            };
            let bounds = Bounds { keys: Some(keys), ..Bounds::default() };
            // Parents and children as of one moment, or a document could be of two.
            let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
            sqlx::raw_sql(begin).execute(&mut on).await.map_err(|error| self.shared.error(&error))?;
            let page = self.shared.read(&mut on, &bounds).await?;
            sqlx::raw_sql("COMMIT").execute(&mut on).await.map_err(|error| self.shared.error(&error))?;
            *kept = Some(on);
            Ok(page)
        })
    }
}
