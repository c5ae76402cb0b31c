//! Another Solr: all documents of a query in the order of their ids by `cursorMark`, which is the cursor here
//! too. Documents below others come in their places within them (`[child]`), not as rows of their own. What
//! is neither stored nor in a column does not come; `_version_` and what marks blocks are left behind.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value as Json;
use tokio::sync::OnceCell;

use super::contract::{KeyRange, Page, Pages, Snapshot, Source, SourceError};
use super::jsonl::record_of;
use crate::config::{SolrConfig, SourceConfig};
use crate::record::Rejected;
use crate::solr_api::{ApiError, ApiErrorKind, SolrApi};

const LEFT_BEHIND: [&str; 4] = ["_version_", "_root_", NEST_PATH_FIELD, "_nest_parent_"];

/// Where a document is within its root; a root has none.
const NEST_PATH_FIELD: &str = "_nest_path_";

/// Of a schema that keeps paths.
const ROOTS_ONLY: (&str, &str) = ("fq", "-_nest_path_:*");

/// All of them: Solr 8 gives ten unless it is told.
const CHILDREN: &str = "[child limit=-1]";

#[derive(Clone)]
pub struct SolrSource {
    name: String,
    key: String,
    config: SolrConfig,
    api: SolrApi,
    /// Whether the schema keeps paths of documents below others. Asked once; clones share the answer.
    nests: Arc<OnceCell<bool>>,
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
            nests: Arc::default(),
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
        self.try_select(params).await.map_err(|error| self.error(error))
    }

    async fn try_select(&self, params: &[(&str, &str)]) -> Result<Json, ApiError> {
        self.api.post_form(&format!("{}/select", self.config.collection), params).await
    }

    /// A schema without the field refuses to search it, and has no documents below others that could be told
    /// from roots.
    async fn nests(&self) -> Result<bool, SourceError> {
        let ask = || async {
            match self.try_select(&[("q", "*:*"), ("rows", "0"), ROOTS_ONLY]).await {
                Ok(_) => Ok(true),
                Err(error) if error.kind == ApiErrorKind::Refused => Ok(false),
                Err(error) => Err(self.error(error)),
            }
        };
        self.nests.get_or_try_init(ask).await.copied()
    }

    /// The field list; with `more` at its end.
    fn fields(&self, more: &[&str]) -> String {
        let fields = self.config.fields.iter().map(String::as_str);
        fields.chain(more.iter().copied()).collect::<Vec<_>>().join(",")
    }

    fn page(&self, docs: Option<&mut Json>, columns: &mut Arc<[String]>) -> Page {
        let mut page = Page::default();
        let docs = docs.and_then(Json::as_array_mut).map(std::mem::take).unwrap_or_default();
        for mut doc in docs {
            leave_behind(&mut doc);
            let Json::Object(object) = doc else { continue };
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

/// Of the document, and of those below it.
fn leave_behind(value: &mut Json) {
    match value {
        Json::Object(object) => {
            LEFT_BEHIND.iter().for_each(|name| {
                object.remove(*name);
            });
            object.values_mut().for_each(leave_behind);
        }
        Json::Array(values) => values.iter_mut().for_each(leave_behind),
        _ => {}
    }
}

impl Pages for SolrPages {
    fn next(&mut self) -> BoxFuture<'_, Result<Option<Page>, SourceError>> {
        Box::pin(async move {
            if self.ended {
                return Ok(None);
            }
            let config = &self.source.config;
            let nests = self.source.nests().await?;
            let (rows, sort) = (config.page_rows.to_string(), format!("{} asc", self.source.key));
            let fields = self.source.fields(if nests { &[CHILDREN] } else { &[] });
            let params = [
                ("q", config.query.as_str()),
                ("sort", &sort),
                ("rows", &rows),
                ("fl", &fields),
                ("cursorMark", &self.mark),
            ];
            let params: Vec<_> = params.into_iter().chain(nests.then_some(ROOTS_ONLY)).collect();
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
            // Its path tells a document below another, which is no row.
            let more: &[&str] = if self.nests().await? { &[NEST_PATH_FIELD, CHILDREN] } else { &[] };
            let fields = self.fields(more);
            let mut page = Page::default();
            // One parameter each: ids may have commas.
            for key in keys {
                let answer = self.api.get(&path, &[("id", key), ("fl", &fields)]).await;
                let answer = answer.map_err(|error| self.error(error))?;
                let doc = answer.get("doc").filter(|doc| doc.is_object());
                let Some(doc) = doc.filter(|doc| doc.get(NEST_PATH_FIELD).is_none()) else { continue };
                let mut columns: Arc<[String]> = Arc::new([]);
                let one = self.page(Some(&mut Json::from(vec![doc.clone()])), &mut columns);
                page.records.extend(one.records);
                let named = |rejected| Rejected { key: key.clone(), ..rejected };
                page.rejected.extend(one.rejected.into_iter().map(named));
            }
            Ok(page)
        })
    }
}

impl Snapshot for SolrSource {
    fn count(&self) -> BoxFuture<'_, Result<Option<u64>, SourceError>> {
        Box::pin(async {
            let params = [("q", self.config.query.as_str()), ("rows", "0")];
            let params: Vec<_> =
                params.into_iter().chain(self.nests().await?.then_some(ROOTS_ONLY)).collect();
            let answer = self.select(&params).await?;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_marks_blocks_is_left_behind_at_every_depth() {
        let mut doc = json!({
            "id": "s1", "_version_": 7, "_root_": "s1", "tags": ["a", "b"],
            "owner": {"id": "o1", "_nest_path_": "/owner"},
            "books": [{"id": "b1", "_root_": "s1", "notes": [{"id": "n1", "_nest_parent_": "b1"}]}],
        });
        leave_behind(&mut doc);
        let left = json!({
            "id": "s1", "tags": ["a", "b"], "owner": {"id": "o1"}, "books": [{"id": "b1", "notes": [{"id": "n1"}]}],
        });
        assert_eq!(doc, left);
    }
}
