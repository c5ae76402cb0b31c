//! Another Solr: all documents of a query in the order of their ids by `cursorMark`, which is the cursor here
//! too. What is neither stored nor in a column does not come; `_version_` and what marks blocks are left
//! behind.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value as Json;

use super::contract::{KeyRange, Page, Pages, Snapshot, Source, SourceError};
use super::jsonl::record_of;
use crate::config::{SolrConfig, SourceConfig};
use crate::record::Rejected;
use crate::solr_api::{ApiError, ApiErrorKind, SolrApi};

const LEFT_BEHIND: [&str; 4] = ["_version_", "_root_", "_nest_path_", "_nest_parent_"];

#[derive(Clone)]
pub struct SolrSource {
    name: String,
    key: String,
    config: SolrConfig,
    api: SolrApi,
}

struct SolrPages {
    source: SolrSource,
    mark: String,
    ended: bool,
    columns: Arc<[String]>,
}

impl SolrSource {
    pub fn new(source: &SourceConfig, config: &SolrConfig) -> Result<Self, SourceError> {
        let api = SolrApi::new(&config.url, config.user_env.as_deref(), Duration::from_secs(60));
        let api = api.map_err(|error| SourceError::refused(&source.name, error))?;
        Ok(Self {
            name: source.name.clone(),
            key: source.key_column().to_owned(),
            config: config.clone(),
            api,
        })
    }

    fn error(&self, error: ApiError) -> SourceError {
        match error.kind {
            // Reading again does no harm.
            ApiErrorKind::Retry | ApiErrorKind::Unknown => SourceError::unavailable(&self.name, error),
            _ => SourceError::refused(&self.name, error),
        }
    }

    async fn select(&self, params: &[(&str, &str)]) -> Result<Json, SourceError> {
        let path = format!("{}/select", self.config.collection);
        self.api.post_form(&path, params).await.map_err(|error| self.error(error))
    }

    fn page(&self, docs: Option<&mut Json>, columns: &mut Arc<[String]>) -> Page {
        let mut page = Page::default();
        let docs = docs.and_then(Json::as_array_mut).map(std::mem::take).unwrap_or_default();
        for doc in docs {
            let Json::Object(mut object) = doc else { continue };
            LEFT_BEHIND.iter().for_each(|name| {
                object.remove(*name);
            });
            match record_of(object, &self.key, columns) {
                Ok(record) => page.records.push(record),
                Err(reason) => {
                    page.rejected.push(Rejected { source: self.name.clone(), key: String::new(), reason });
                }
            }
        }
        page
    }
}

impl Pages for SolrPages {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Page>, SourceError>> {
        Box::pin(async move {
            if self.ended {
                return Ok(None);
            }
            let config = &self.source.config;
            let (rows, fields) = (config.page_rows.to_string(), config.fields.join(","));
            let sort = format!("{} asc", self.source.key);
            let params = [
                ("q", config.query.as_str()),
                ("sort", &sort),
                ("rows", &rows),
                ("fl", &fields),
                ("cursorMark", &self.mark),
            ];
            let mut answer = self.source.select(&params).await?;
            let next = answer.get("nextCursorMark").and_then(Json::as_str).map(str::to_owned);
            let next =
                next.ok_or_else(|| SourceError::refused(&self.source.name, "the answer has no cursor"))?;
            let mut page = self.source.page(answer.pointer_mut("/response/docs"), &mut self.columns);
            // The same mark again is how Solr says that this was all.
            self.ended = next == self.mark;
            self.mark.clone_from(&next);
            page.cursor = next;
            Ok(Some(page))
        })
    }
}

impl Source for SolrSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, SourceError>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Snapshot>) })
    }

    fn fetch<'a>(&'a self, keys: &'a [String]) -> BoxFuture<'a, Result<Page, SourceError>> {
        Box::pin(async move {
            let path = format!("{}/get", self.config.collection);
            let mut page = Page::default();
            // One parameter each: ids may have commas.
            for key in keys {
                let answer = self.api.get(&path, &[("id", key), ("fl", &self.config.fields.join(","))]).await;
                let answer = answer.map_err(|error| self.error(error))?;
                let Some(doc) = answer.get("doc").filter(|doc| doc.is_object()) else { continue };
                let mut columns: Arc<[String]> = Arc::new([]);
                let one = self.page(Some(&mut Json::from(vec![doc.clone()])), &mut columns);
                page.records.extend(one.records);
            }
            Ok(page)
        })
    }
}

impl Snapshot for SolrSource {
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async {
            let answer = self.select(&[("q", &self.config.query), ("rows", "0")]).await?;
            Ok(answer.pointer("/response/numFound").and_then(Json::as_u64))
        })
    }

    fn ranges(&self, _: usize) -> BoxFuture<'_, Result<Vec<KeyRange>, SourceError>> {
        Box::pin(async { Ok(vec![KeyRange::default()]) })
    }

    fn pages<'a>(
        &'a self,
        _: &'a KeyRange,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Box<dyn Pages>, SourceError>> {
        let mark = cursor.unwrap_or("*").to_owned();
        let pages = SolrPages { source: self.clone(), mark, ended: false, columns: Arc::new([]) };
        Box::pin(async move { Ok(Box::new(pages) as Box<dyn Pages>) })
    }
}
