//! PostgreSQL: the file's query, bounded by the key. One conversation a reader, all of them in one exported
//! snapshot; children by one query a page, whatever the page's size. Owns SQL and conversations; what values
//! mean is `values`, triggers and slots are `follow`'s.

mod connect;
mod query;
mod snapshot;
pub mod sql;
mod values;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::future::BoxFuture;
use sqlx::postgres::PgConnection;
use tokio::sync::Mutex;

pub use connect::{connect_options, database_error};

use crate::config::{PostgresConfig, SourceConfig};
use crate::sources::contract::{Page, Snapshot, Source, SourceError};
use query::RowQuery;
use snapshot::PostgresSnapshot;
use sql::Bounds;

pub struct PostgresSource {
    query: Arc<RowQuery>,
    /// For `fetch`: opened at first use, dropped when it failed.
    conversation: Mutex<Option<PgConnection>>,
}

impl PostgresSource {
    /// Connects nowhere yet.
    pub fn new(source: &SourceConfig, config: &PostgresConfig) -> Result<Self, SourceError> {
        let query = RowQuery {
            name: source.name.clone(),
            key: source.key_column().to_owned(),
            config: config.clone(),
            children: source.children.clone(),
            options: connect_options(&source.name, config)?,
            may_lock: AtomicBool::new(true),
        };
        Ok(Self { query: Arc::new(query), conversation: Mutex::new(None) })
    }
}

impl Source for PostgresSource {
    fn name(&self) -> &str {
        &self.query.name
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, SourceError>> {
        Box::pin(async {
            let snapshot = PostgresSnapshot::export(self.query.clone()).await?;
            Ok(Box::new(snapshot) as Box<dyn Snapshot>)
        })
    }

    fn fetch<'a>(&'a self, keys: &'a [String]) -> BoxFuture<'a, Result<Page, SourceError>> {
        Box::pin(async move {
            let mut kept = self.conversation.lock().await;
            let mut on = match kept.take() {
                Some(on) => on,
                None => self.query.connect().await?,
            };
            let bounds = Bounds { keys: Some(keys), ..Bounds::default() };
            // Parents and children as of one moment, or a document could be of two.
            self.query.begin(&mut on).await?;
            let page = self.query.read(&mut on, &bounds).await?;
            sqlx::raw_sql("COMMIT").execute(&mut on).await.map_err(|error| self.query.error(&error))?;
            *kept = Some(on);
            Ok(page)
        })
    }
}
