//! What an ingest file says, typed: where rows come from, how a row becomes a document, where documents go,
//! and when they may be seen. Owns the shape and its defaults; reading and judging a file is `load` and
//! `validate`, the meaning of each part is with whoever does it (`mapping`, `sources`, `publish`, `mass`).

mod load;
mod suggest;
mod validate;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use load::{ConfigError, load, parse};
pub use suggest::nearest;

/// One ingest file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestConfig {
    /// Names the state folder, the lease and what is installed in a database: `[a-z][a-z0-9_]*`, at most 40
    /// bytes. Without it the file's own name.
    #[serde(default)]
    pub name: String,
    pub target: TargetConfig,
    /// Each gives documents of one kind.
    #[serde(rename = "source", default)]
    pub sources: Vec<SourceConfig>,
    #[serde(default)]
    pub publish: PublishConfig,
    #[serde(default)]
    pub state: StateConfig,
    #[serde(default)]
    pub lease: LeaseConfig,
}

/// The collection that documents go to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetConfig {
    /// Solr's URL; `http://` and `/solr` may be left out.
    pub url: String,
    /// What clients ask. With `mode = "swap"` an alias.
    pub collection: String,
    #[serde(default)]
    pub mode: TargetMode,
    /// Of the collections that `swap` makes.
    #[serde(default = "default_configset")]
    pub configset: String,
    /// The schema's unique key.
    #[serde(default = "default_id")]
    pub id_field: String,
    /// A field of strings that keeps a digest of each document, by which `ingest diff` compares contents.
    /// Without it, ids only.
    pub digest_field: Option<String>,
    /// The environment's variable with `name:password`.
    pub user_env: Option<String>,
    /// Update requests at once while everything is indexed; partitions read at once.
    #[serde(default = "default_connections")]
    pub connections: usize,
    /// An update request is full at this many documents,
    #[serde(default = "default_batch_docs")]
    pub batch_docs: usize,
    /// or at this many bytes.
    #[serde(default = "default_batch_bytes")]
    pub batch_bytes: usize,
    /// Of single changes: how soon they are to be searchable.
    #[serde(default = "default_commit_within")]
    pub commit_within_ms: u32,
    /// How long a server that does not answer, or is too busy, is asked again.
    #[serde(default = "default_retry")]
    pub retry_seconds: u64,
    /// A document with this id carries the lease's token, so that the writes of a service that lost its lease
    /// are refused. `""` for none.
    #[serde(default = "default_fence_id")]
    pub fence_id: String,
}

/// How a whole index run reaches those who search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetMode {
    /// A new collection, verified, then the alias moves to it in one step; the one before is kept for
    /// `rollback`.
    #[default]
    Swap,
    /// Into the collection that is there. Documents of rows that are gone stay until `ingest diff --repair`.
    Direct,
}

/// Where rows come from and what becomes of them. Exactly one of the kinds is named.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceConfig {
    pub name: String,
    /// The column whose values name the rows, unique and never null: of a table its primary key, of a CSV
    /// file any column. A folder has `path`, a Solr its own unique key.
    pub key: Option<String>,
    pub postgres: Option<PostgresConfig>,
    pub csv: Option<CsvConfig>,
    pub jsonl: Option<JsonLinesConfig>,
    pub folder: Option<FolderConfig>,
    pub solr: Option<SolrConfig>,
    /// Rows that belong to a row, fetched by the page.
    #[serde(rename = "child", default)]
    pub children: Vec<ChildConfig>,
    /// Without any, each column is a field of its own name.
    #[serde(rename = "field", default)]
    pub fields: Vec<FieldConfig>,
    /// Columns that no `field` names go along under their own names.
    #[serde(default)]
    pub other_columns: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PostgresConfig {
    /// `postgresql://user@host:5432/database`; a password belongs into `url_env` or a password file.
    pub url: Option<String>,
    /// The environment's variable with the URL.
    pub url_env: Option<String>,
    /// One row a document. It is wrapped as a subquery and bounded by the key, so it has no ORDER BY and no
    /// LIMIT of its own.
    pub query: String,
    /// Rows a page; one query for these and one for each kind of child.
    #[serde(default = "default_page_rows")]
    pub page_rows: usize,
    #[serde(default)]
    pub follow: FollowKind,
    /// The tables whose changes make documents stale.
    #[serde(default)]
    pub watch: Vec<WatchConfig>,
    /// With `follow = "polling"`: a timestamp with an index, set on each change.
    pub updated_column: Option<String>,
    /// With `follow = "polling"`: how far back each look reaches, for transactions that commit late and
    /// clocks that differ.
    #[serde(default = "default_overlap")]
    pub overlap_seconds: u32,
    /// How long changes lie unread at most when nothing wakes the service.
    #[serde(default = "default_poll")]
    pub poll_ms: u64,
    /// With `follow = "replication"`: the slot is given up, and everything indexed anew, beyond so much
    /// unread log.
    #[serde(default = "default_slot_bytes")]
    pub slot_bytes_max: u64,
}

/// How changes are learnt of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FollowKind {
    #[default]
    None,
    /// Triggers that `ingest install` writes fill an outbox and wake us.
    Trigger,
    /// A logical replication slot (`wal_level = logical`).
    Replication,
    /// The updated-at column; rows that are deleted are not seen.
    Polling,
}

/// A table, and which documents a changed row of it makes stale.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WatchConfig {
    /// `table` or `schema.table`.
    pub table: String,
    /// The column that holds the document's key, or, with `parents`, what that query is asked for.
    pub key: String,
    /// A query for the keys of the documents, with `$keys` where the changed rows' keys go:
    /// `SELECT film_id FROM cast WHERE actor_id = ANY($keys)`.
    pub parents: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CsvConfig {
    pub path: PathBuf,
    #[serde(default = "default_separator")]
    pub separator: char,
    /// Names of the columns where the first line is data already.
    pub columns: Option<Vec<String>>,
    /// A cell of just this text has no value.
    #[serde(default)]
    pub null: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonLinesConfig {
    pub path: PathBuf,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FolderConfig {
    pub path: PathBuf,
    /// Only files whose name ends so, such as `[".md", ".html"]`; without it all.
    #[serde(default)]
    pub endings: Vec<String>,
    /// Larger files are dead letters.
    #[serde(default = "default_file_bytes")]
    pub file_bytes_max: u64,
}

/// Another Solr, page by page with `cursorMark`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolrConfig {
    pub url: String,
    pub collection: String,
    #[serde(default = "default_solr_query")]
    pub query: String,
    /// What to take along; only stored fields and columns come.
    #[serde(default = "default_solr_fields")]
    pub fields: Vec<String>,
    #[serde(default = "default_page_rows")]
    pub page_rows: usize,
    pub user_env: Option<String>,
}

/// Rows below a row, by one query a page.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChildConfig {
    pub name: String,
    pub query: String,
    /// The column that holds the parent's key.
    pub parent_key: String,
    /// The column by which rows of one parent are in order; without it, and where it says nothing, by all
    /// their values. A database gives rows in any order, and the same rows must make the same document each
    /// time.
    pub order_by: Option<String>,
    /// They become documents below the parent's, under their `name`. Each wants an id: a column or field of
    /// the name `target.id_field`.
    #[serde(default)]
    pub nested: bool,
    /// Of nested documents; without any, each column but `parent_key` is a field.
    #[serde(rename = "field", default)]
    pub fields: Vec<FieldConfig>,
}

/// One field of a document: from a column, a template, a constant or the rows of a child.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldConfig {
    pub name: String,
    /// A column; of a child's rows with `child`.
    pub column: Option<String>,
    /// A child whose rows' values make the field multi-valued.
    pub child: Option<String>,
    /// Text with `{column}` in it; no value at all when one of its columns has none.
    pub template: Option<String>,
    pub constant: Option<toml::Value>,
    /// Without it, what the source says.
    #[serde(rename = "type")]
    pub kind: Option<FieldKind>,
    /// Of times that come without one; without it UTC.
    pub zone: Option<String>,
    /// In order, on text.
    #[serde(default)]
    pub transform: Vec<TransformConfig>,
    /// A row without a value here is a dead letter.
    #[serde(default)]
    pub required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    String,
    Int,
    Float,
    Bool,
    Date,
    /// Text that holds JSON, which goes along as it is.
    Json,
}

/// One step on a text.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum TransformConfig {
    Trim,
    Lower,
    Upper,
    /// Tags go, entities become characters, scripts and styles go with their content.
    StripHtml,
    /// One value becomes many; empty ones are left out.
    Split(String),
    Replace {
        regex: String,
        with: String,
    },
    /// What the expression's first group finds, or the whole match; no value where it does not match.
    Extract(String),
    /// At most this many characters.
    Truncate(usize),
    /// Values by table; what it does not know stays, or becomes `otherwise`.
    Lookup {
        table: BTreeMap<String, String>,
        otherwise: Option<String>,
    },
}

/// When documents may be seen. A row that no rule speaks of may.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct PublishConfig {
    #[serde(default, rename = "calendar")]
    pub calendars: BTreeMap<String, CalendarConfig>,
    /// Every rule that speaks of a row must let it through.
    #[serde(default, rename = "rule")]
    pub rules: Vec<RuleConfig>,
}

/// Which days count.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct CalendarConfig {
    /// Where its days begin and end; without it UTC.
    pub zone: Option<String>,
    /// Days of the week that are off; without it Saturday and Sunday.
    pub weekend: Option<Vec<String>>,
    /// Days that are off, such as `2026-12-25`, or each year's: `12-25`.
    #[serde(default)]
    pub holidays: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct RuleConfig {
    pub name: String,
    /// It speaks of the rows that meet all of these; without any, of all rows.
    #[serde(default)]
    pub when: Vec<ConditionConfig>,
    /// and wants these of them.
    #[serde(default)]
    pub require: Vec<ConditionConfig>,
    /// Not before.
    pub from: Option<MomentConfig>,
    /// Not at or after.
    pub until: Option<MomentConfig>,
    /// Only rows of these sources.
    #[serde(default)]
    pub sources: Vec<String>,
}

/// A test of one column; exactly one is named.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct ConditionConfig {
    pub column: String,
    pub is: Option<toml::Value>,
    pub is_not: Option<toml::Value>,
    pub one_of: Option<Vec<toml::Value>>,
    pub none_of: Option<Vec<toml::Value>>,
    /// At least.
    pub min: Option<f64>,
    /// At most.
    pub max: Option<f64>,
    /// Whether there is no value.
    pub missing: Option<bool>,
}

/// A moment that follows from a date in the row.
#[derive(Clone, Debug, Default, Deserialize, Serialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct MomentConfig {
    /// A row without a value here has no such moment.
    pub column: String,
    /// This many days that count, after the date's own day.
    pub business_days: Option<u32>,
    /// This many days by the calendar.
    pub days: Option<u32>,
    pub hours: Option<u32>,
    /// At this time of that day, `09:00`; without it, the date's own time.
    pub at: Option<String>,
    /// One of `publish.calendar`; without it Monday to Friday in UTC.
    pub calendar: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateConfig {
    /// Where runs, dead letters and positions are kept; without it `NAME.state` beside the file.
    pub dir: Option<PathBuf>,
}

/// One service is active; others stand by.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LeaseConfig {
    /// A service that has not renewed for this long is replaced.
    pub seconds: u32,
}

impl Default for LeaseConfig {
    fn default() -> Self {
        Self { seconds: 5 }
    }
}

fn default_configset() -> String {
    "_default".to_owned()
}

fn default_id() -> String {
    "id".to_owned()
}

fn default_connections() -> usize {
    2
}

fn default_batch_docs() -> usize {
    1000
}

fn default_batch_bytes() -> usize {
    2 << 20
}

fn default_commit_within() -> u32 {
    300
}

fn default_retry() -> u64 {
    600
}

fn default_fence_id() -> String {
    "ingest_lease".to_owned()
}

fn default_page_rows() -> usize {
    2000
}

fn default_overlap() -> u32 {
    30
}

fn default_poll() -> u64 {
    200
}

fn default_slot_bytes() -> u64 {
    8 << 30
}

fn default_separator() -> char {
    ','
}

fn default_file_bytes() -> u64 {
    16 << 20
}

fn default_solr_query() -> String {
    "*:*".to_owned()
}

fn default_solr_fields() -> Vec<String> {
    vec!["*".to_owned()]
}
