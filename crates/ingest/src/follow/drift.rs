//! Whether a source's tables are still what everything was indexed from. The columns of its queries, with
//! their types, are kept when a first index begins, and compared with what the database says now: a column
//! that is gone or is of another type makes other documents, or none, of the same rows. Only columns that the
//! file reads count, and new ones are nobody's concern.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Column as _, Row as _};

use super::database::PipelineDatabase;
use crate::config::{IngestConfig, MomentConfig, PostgresConfig, SourceConfig};
use crate::mapping::{Mapping, digest_of, digest_text};
use crate::record::Row;
use crate::sources::sql::subquery;
use crate::sources::{Page, SourceError};

/// What to do once it is known what the table is to be.
pub const DRIFT_NEXT_STEP: &str =
    "mend the table, `query` or the fields, then run `parhelion ingest run FILE --fresh`";

/// The columns of one of the source's queries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryColumns {
    /// Whose query; `None`: the source's own.
    child: Option<String>,
    /// Of the query's text: the columns of another tell nothing of its tables.
    query_digest: String,
    /// Names and types, as the database calls them.
    columns: BTreeMap<String, String>,
}

/// The columns of all queries of a source. Errors: also a query that the database refuses; of those,
/// [`names_what_is_gone`] tells which are drift.
pub async fn ask_columns(
    database: &PipelineDatabase,
    source: &SourceConfig,
    postgres: &PostgresConfig,
) -> Result<Vec<QueryColumns>, sqlx::Error> {
    let children = source.children.iter().map(|child| (Some(child.name.clone()), child.query.as_str()));
    let mut all = Vec::new();
    for (child, query) in std::iter::once((None, postgres.query.as_str())).chain(children) {
        let columns = columns_of(database, query).await?;
        all.push(QueryColumns { child, query_digest: digest(query), columns });
    }
    Ok(all)
}

fn digest(query: &str) -> String {
    digest_text(digest_of(query.as_bytes()))
}

async fn columns_of(
    database: &PipelineDatabase,
    query: &str,
) -> Result<BTreeMap<String, String>, sqlx::Error> {
    // One row without values, of the query's columns. Not a prepared statement, which a connection keeps as
    // the table was when it was prepared.
    let shape = format!(
        "SELECT rows.* FROM (SELECT) AS one LEFT JOIN (SELECT * FROM {} LIMIT 0) AS rows ON TRUE",
        subquery(query)
    );
    let row: PgRow = sqlx::raw_sql(AssertSqlSafe(shape)).fetch_one(database.pool()).await?;
    let oid = |at: usize| row.column(at).type_info().oid().map_or(0, |oid| i64::from(oid.0));
    let oids: Vec<i64> = (0..row.len()).map(oid).collect();
    let types: Vec<(i64, String)> =
        sqlx::query_as("SELECT oid::bigint, format_type(oid, NULL) FROM pg_type WHERE oid::bigint = ANY($1)")
            .bind(&oids)
            .fetch_all(database.pool())
            .await?;
    let types: BTreeMap<i64, String> = types.into_iter().collect();
    let kind = |at: usize| types.get(&oid(at)).cloned().unwrap_or_default();
    Ok(row.columns().iter().enumerate().map(|(at, column)| (column.name().to_owned(), kind(at))).collect())
}

/// What everything was indexed from; nothing before the first index.
pub async fn indexed_columns(database: &PipelineDatabase) -> Result<Vec<QueryColumns>, SourceError> {
    let text = database.indexed_columns().await?;
    // What another version has written is as if there were none: the next index writes it anew.
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// Keeps what the queries have now as that, if the lease is still ours.
pub async fn keep_indexed_columns(
    database: &PipelineDatabase,
    source: &SourceConfig,
    token: i64,
) -> Result<(), SourceError> {
    let Some(postgres) = &source.postgres else { return Ok(()) };
    let columns = ask_columns(database, source, postgres).await.map_err(|error| database.error(&error))?;
    let text = serde_json::to_string(&columns).map_err(|error| SourceError::refused(&source.name, error))?;
    database.keep_indexed_columns(&text, token).await
}

/// What the file reads of its source's columns.
pub struct ColumnUse<'a> {
    pub config: &'a IngestConfig,
    pub source: &'a SourceConfig,
    pub mapping: &'a Mapping,
}

impl ColumnUse<'_> {
    fn reads(&self, child: Option<&str>, column: &str) -> bool {
        let Some(child) = child else {
            let updated =
                self.source.postgres.as_ref().and_then(|postgres| postgres.updated_column.as_deref());
            return self.mapping.reads(None, column)
                || self.source.key_column() == column
                || updated == Some(column)
                || self.rules_read(column);
        };
        let Some(at) = self.source.children.iter().position(|one| one.name == child) else { return false };
        let config = &self.source.children[at];
        self.mapping.reads(Some(at), column)
            || config.parent_key == column
            || config.order_by.as_deref() == Some(column)
    }

    fn rules_read(&self, column: &str) -> bool {
        self.config.publish.rules.iter().any(|rule| {
            let moments: [&Option<MomentConfig>; 2] = [&rule.from, &rule.until];
            rule.when.iter().chain(&rule.require).any(|condition| condition.column == column)
                || moments.into_iter().flatten().any(|moment| moment.column == column)
        })
    }

    /// A line for each column that is not what it was.
    pub fn changes(&self, was: &[QueryColumns], now: &[QueryColumns]) -> Vec<String> {
        let mut lines = Vec::new();
        for was in was {
            // A query that the file no longer has, or has with another text, is not compared.
            let same = |now: &&QueryColumns| now.child == was.child && now.query_digest == was.query_digest;
            let Some(now) = now.iter().find(same) else { continue };
            let place = of_child(was.child.as_deref());
            for (column, kind) in
                was.columns.iter().filter(|(name, _)| self.reads(was.child.as_deref(), name))
            {
                match now.columns.get(column) {
                    Some(is) if is == kind => {}
                    Some(is) => lines.push(format!("column `{column}`{place} was {kind} and is {is}")),
                    None => lines.push(format!("column `{column}`{place}, {kind}, is gone")),
                }
            }
        }
        lines
    }

    /// Errors: a column that documents were made of is not in the rows that were read just now. Each of them
    /// would be a refused row, or a document with less in it; nothing is made of them, and they come again.
    pub fn check_page(&self, was: &[QueryColumns], page: &Page) -> Result<(), SourceError> {
        for QueryColumns { child, query_digest, columns } in was {
            let child = child.as_deref();
            let same_query = self.query(child).is_some_and(|query| digest(query) == *query_digest);
            let Some(row) = self.first_row(child, page).filter(|_| same_query) else { continue };
            let gone = columns.keys().find(|name| row.get(name).is_none() && self.reads(child, name));
            if let Some(column) = gone {
                let place = of_child(child);
                return Err(SourceError::refused(
                    &self.source.name,
                    format!("column `{column}`{place} is gone; its changes wait: {DRIFT_NEXT_STEP}"),
                ));
            }
        }
        Ok(())
    }

    fn query(&self, child: Option<&str>) -> Option<&str> {
        match child {
            None => self.source.postgres.as_ref().map(|postgres| postgres.query.as_str()),
            Some(name) => {
                let child = self.source.children.iter().find(|child| child.name == name);
                child.map(|child| child.query.as_str())
            }
        }
    }

    /// Rows of one query have the same columns.
    fn first_row<'a>(&self, child: Option<&str>, page: &'a Page) -> Option<&'a Row> {
        let Some(name) = child else { return page.records.first().map(|record| &record.row) };
        let at = self.source.children.iter().position(|child| child.name == name)?;
        page.records.iter().find_map(|record| record.children.get(at)?.first())
    }
}

fn of_child(child: Option<&str>) -> String {
    child.map_or_else(String::new, |child| format!(" of child `{child}`"))
}

/// Whether the database refuses a query because of what its tables have become.
pub fn names_what_is_gone(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code()).unwrap_or_default();
    // Undefined column, table, function or operator (of a column's new type); types that do not fit.
    matches!(code.as_ref(), "42703" | "42P01" | "42883" | "42804")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;
    use crate::record::{Record, Value};
    use crate::shape::Shaper;

    const FILE: &str = "[target]\nurl = \"h:1\"\ncollection = \"c\"\n[[source]]\nname = \"film\"\nkey = \"id\"\n\
        [source.postgres]\nurl = \"postgresql://h/d\"\nquery = \"SELECT * FROM film\"\n\
        [[source.child]]\nname = \"cast\"\nquery = \"SELECT * FROM cast\"\nparent_key = \"film_id\"\norder_by = \"rank\"\n\
        [[source.field]]\nname = \"label_s\"\ntemplate = \"{title} ({year})\"\n\
        [[source.field]]\nname = \"cast_ss\"\nchild = \"cast\"\ncolumn = \"name\"\n\
        [[publish.rule]]\nname = \"r\"\nwhen = [{ column = \"kind\", is = \"x\" }]\nfrom = { column = \"due\" }\n";

    fn columns(child: Option<&str>, query: &str, names: &[(&str, &str)]) -> QueryColumns {
        let columns = names.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect();
        QueryColumns { child: child.map(str::to_owned), query_digest: digest(query), columns }
    }

    fn own(names: &[(&str, &str)]) -> Vec<QueryColumns> {
        vec![columns(None, "SELECT * FROM film", names)]
    }

    fn cast(names: &[(&str, &str)]) -> Vec<QueryColumns> {
        vec![columns(Some("cast"), "SELECT * FROM cast", names)]
    }

    fn with_use<T>(work: impl FnOnce(ColumnUse<'_>) -> T) -> T {
        let config = parse(FILE, "x").unwrap();
        let source = &config.sources[0];
        let shaper = Shaper::new(&config, source).unwrap();
        work(ColumnUse { config: &config, source, mapping: shaper.mapping() })
    }

    #[test]
    fn only_columns_that_the_file_reads_drift() {
        let check = |was: Vec<QueryColumns>, now: Vec<QueryColumns>, expected: &[&str]| {
            assert_eq!(with_use(|column_use| column_use.changes(&was, &now)), expected);
        };
        for read in ["id", "title", "year", "kind", "due"] {
            check(own(&[(read, "text")]), own(&[]), &[&format!("column `{read}`, text, is gone")]);
        }
        check(own(&[("note", "text")]), own(&[]), &[]);
        check(own(&[]), own(&[("title", "text")]), &[]);
        check(
            own(&[("year", "integer")]),
            own(&[("year", "text")]),
            &["column `year` was integer and is text"],
        );
        for read in ["film_id", "name", "rank"] {
            let gone = format!("column `{read}` of child `cast`, text, is gone");
            check(cast(&[(read, "text")]), cast(&[]), &[&gone]);
        }
        check(cast(&[("title", "text")]), cast(&[]), &[]);
        let other = vec![columns(None, "SELECT id FROM film", &[])];
        check(own(&[("title", "text")]), other, &[]);
    }

    #[test]
    fn rows_without_a_column_that_was_there_are_not_taken() {
        let row = |names: &[&str]| Row {
            columns: names.iter().map(|name| (*name).to_owned()).collect(),
            values: vec![Value::Null; names.len()],
        };
        let check = |was: &[QueryColumns], own: &[&str], below: &[&str]| {
            let record = Record { key: "1".to_owned(), row: row(own), children: vec![vec![row(below)]] };
            let page = Page { records: vec![record], ..Page::default() };
            let checked = with_use(|column_use| column_use.check_page(was, &page));
            checked.err().map(|error| error.message).unwrap_or_default()
        };
        let film = own(&[("id", "integer"), ("title", "text"), ("note", "text")]);
        assert_eq!(check(&film, &["id", "title"], &[]), "");
        assert!(check(&film, &["id"], &[]).contains("`film`: column `title` is gone; its changes wait"));
        let cast = cast(&[("film_id", "integer"), ("name", "text")]);
        assert_eq!(check(&cast, &[], &["film_id", "name"]), "");
        assert!(check(&cast, &[], &["film_id"]).contains("column `name` of child `cast` is gone"));
    }
}
