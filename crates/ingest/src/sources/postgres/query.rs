//! The file's query with its children's, asked within bounds: rows become records. Used by the readers of a
//! snapshot and by look-ups of single rows, each over a conversation of its own. The SQL is written in
//! `sql.rs`, values become JSON in `values.rs`; what a record is to be in the collection is decided behind
//! it, by the mapping.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::TryStreamExt as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Column as _, ConnectOptions as _, Row as _};

use super::connect::database_error;
use super::sql::{self, Bounds};
use super::values::{self, row_of};
use crate::config::{ChildConfig, PostgresConfig};
use crate::mapping::unknown_column;
use crate::record::{Record, Rejected, sort_rows};
use crate::sources::contract::{Page, SourceError};

/// What every reader needs.
pub(super) struct RowQuery {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) config: PostgresConfig,
    pub(super) children: Vec<ChildConfig>,
    pub(super) options: PgConnectOptions,
    /// Whether the database lets us lock the watched tables, as far as is known.
    pub(super) may_lock: AtomicBool,
}

pub(super) const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

impl RowQuery {
    pub(super) async fn connect(&self) -> Result<PgConnection, SourceError> {
        self.options.connect().await.map_err(|error| self.error(&error))
    }

    /// One state of the database, the present one, for all that is asked until the end.
    pub(super) async fn begin(&self, on: &mut PgConnection) -> Result<(), SourceError> {
        let fail = |error: sqlx::Error| self.error(&error);
        // A change of a column's type writes the table anew, and to a snapshot of before that it is empty:
        // rows would be taken for deleted that nobody deletes. Behind these locks, which wait for such a
        // change and hold up none but its kind, the snapshot is of after it. `LOCK` takes none itself.
        if let Some(lock) = self.lock().filter(|_| self.may_lock.load(Ordering::Relaxed)) {
            let begun = sqlx::raw_sql(AssertSqlSafe(format!("{BEGIN}; {lock}"))).execute(&mut *on).await;
            let Err(error) = begun else { return Ok(()) };
            if !has_no_right(&error) {
                return Err(fail(error));
            }
            // Reads them through a view alone: as before, then.
            self.may_lock.store(false, Ordering::Relaxed);
            sqlx::raw_sql("ROLLBACK").execute(&mut *on).await.map_err(fail)?;
        }
        sqlx::raw_sql(BEGIN).execute(on).await.map(drop).map_err(fail)
    }

    /// The watched tables, against being written anew; `None` where none is named.
    fn lock(&self) -> Option<String> {
        let tables: Vec<String> = self.config.watch.iter().map(|it| sql::qualified(&it.table)).collect();
        (!tables.is_empty()).then(|| format!("LOCK TABLE {} IN ACCESS SHARE MODE", tables.join(", ")))
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
        let key_at = key_at.ok_or_else(|| self.refused(unknown_column(&self.key, &columns)))?;
        for (at, row) in rows.iter().enumerate() {
            let key = values::text_at(row, key_at).map_err(|reason| self.refused(reason))?;
            let key = key.unwrap_or_default().to_owned();
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

    /// Puts a child's rows below their records. A row that cannot be read refuses its record: a document
    /// with some children missing would look whole.
    fn join(&self, child: &ChildConfig, rows: &[PgRow], page: &mut Page) -> Result<(), SourceError> {
        let at = self.children.iter().position(|other| other.name == child.name).unwrap_or_default();
        let Some(first) = rows.first() else { return Ok(()) };
        let columns = columns_of(first);
        let key_at = columns.iter().position(|column| *column == child.parent_key);
        let key_at = key_at.ok_or_else(|| {
            self.refused(format!("child `{}`: {}", child.name, unknown_column(&child.parent_key, &columns)))
        })?;
        let places: HashMap<String, usize> =
            page.records.iter().enumerate().map(|(at, record)| (record.key.clone(), at)).collect();
        let mut broken: Vec<(usize, String)> = Vec::new();
        for row in rows {
            let key = values::text_at(row, key_at).map_err(|reason| self.refused(reason))?;
            let place = key.and_then(|key| places.get(key).copied());
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

fn has_no_right(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|it| it.code()).is_some_and(|code| code == "42501")
}

fn columns_of(row: &PgRow) -> Arc<[String]> {
    row.columns().iter().map(|column| column.name().to_owned()).collect()
}
