//! How the file's database is reached, and what its errors mean: whether to wait, or to have the file mended.
//! For the source's own readers and for `follow`, which has conversations of its own. The distinction is by
//! the class of SQLSTATE, not by the words of the message, which depend on the server's language.

use std::str::FromStr as _;

use sqlx::ConnectOptions as _;
use sqlx::postgres::PgConnectOptions;

use crate::config::PostgresConfig;
use crate::sources::contract::SourceError;

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
            format!(
                "{message}; the table has changed, or the file names it wrongly: mend `query` or `watch`, then go on"
            ),
        ),
        // Of a database of the encoding `SQL_ASCII`, which keeps whatever bytes it was given.
        "22021" => SourceError::refused(
            source,
            format!(
                "{message}; mend the row, or say in `query` what it is: convert_from(column::bytea, 'LATIN1') AS column"
            ),
        ),
        _ => SourceError::refused(source, message),
    }
}
