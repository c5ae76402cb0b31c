//! The corpus as one segment of a shard. One segment and one thread, as on the Lucene side, so that what is
//! compared is the search and not the number of segments. In: the corpus file; out: an open shard.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::Arc;

use engine::{CacheSizes, Shard, ShardConfig, UpdateContext};
use meter::Clock;
use plan::{
    Add, AnalyzerSpec, Commit, ComponentSpec, Document, Expect, FieldSource, Operation, Schema, SchemaSource,
    TypeSource, UpdateBatch, Value,
};
use store::{LocalSite, ShardId, Site as _};

const BATCH: usize = 1000;

/// Nothing here depends on time.
struct StillClock;

impl Clock for StillClock {
    fn now_ms(&self) -> i64 {
        1_760_000_000_000
    }
}

/// The corpus's shard, made where there is none yet in the folder beside it.
pub fn open(corpus: &Path) -> Result<Arc<Shard>, Box<dyn Error>> {
    let folder = corpus.with_extension("parhelion");
    let fresh = !folder.exists();
    std::fs::create_dir_all(&folder)?;
    let home = LocalSite::new(folder).home(&ShardId { path: "shard".into(), stream: [0; 16] })?;
    let config = ShardConfig { caches: CacheSizes::NONE, ..ShardConfig::default() };
    let shard = Shard::open(home, Arc::new(Schema::build(schema())?), config, Arc::new(StillClock))?;
    if fresh {
        fill(&shard, corpus)?;
    }
    Ok(shard)
}

fn fill(shard: &Shard, corpus: &Path) -> Result<(), Box<dyn Error>> {
    let mut operations = Vec::new();
    for line in BufReader::new(std::fs::File::open(corpus)?).lines() {
        operations.push(Operation::Add(add(&serde_json::from_str(&line?)?)?));
        if operations.len() == BATCH {
            send(shard, std::mem::take(&mut operations))?;
        }
    }
    send(shard, operations)?;
    shard.commit(&Commit { max_segments: Some(1), ..Commit::HARD })?;
    Ok(())
}

fn send(shard: &Shard, operations: Vec<Operation>) -> Result<(), Box<dyn Error>> {
    let outcome =
        shard.update(UpdateBatch { operations, ..UpdateBatch::default() }, UpdateContext::default());
    outcome.failure.map_or(Ok(()), |failure| Err(failure.into()))
}

fn add(row: &serde_json::Value) -> Result<Add, Box<dyn Error>> {
    let text = |name: &str| row[name].as_str().map(str::to_owned).ok_or(format!("`{name}` is missing"));
    let number = i32::try_from(row["num"].as_i64().ok_or("`num` is missing")?)?;
    let date = plan::parse_instant(&text("date")?).ok_or("`date` is no date")?;
    let flag = row["flag"].as_bool().ok_or("`flag` is missing")?;
    let fields = [
        ("id", Value::Str(text("id")?)),
        ("text", Value::Str(text("text")?)),
        ("num", Value::Int(number)),
        ("date", Value::Date(date)),
        ("flag", Value::Bool(flag)),
        ("cat", Value::Str(text("cat")?)),
        ("tag", Value::Str(text("tag")?)),
    ];
    let document =
        Document { fields: fields.into_iter().map(|(name, value)| (Arc::from(name), vec![value])).collect() };
    Ok(Add {
        id: text("id")?,
        document,
        children: vec![],
        expect: Expect::default(),
        overwrite: true,
        conditions: None,
        commit_within_ms: None,
    })
}

fn schema() -> SchemaSource {
    let kind = |name: &str| TypeSource {
        name: name.to_owned(),
        class: format!("solr.{name}"),
        analyzer: (name == "TextField").then(|| AnalyzerSpec {
            tokenizer: ComponentSpec { name: "whitespace".into(), ..ComponentSpec::default() },
            ..AnalyzerSpec::default()
        }),
        ..TypeSource::default()
    };
    let field = |name: &str, kind: &str| FieldSource {
        name: name.to_owned(),
        type_name: kind.to_owned(),
        attributes: Vec::new(),
    };
    SchemaSource {
        name: "zipf".into(),
        version: 1.7,
        unique_key: Some("id".into()),
        types: ["StrField", "TextField", "IntPointField", "LongPointField", "DatePointField", "BoolField"]
            .map(kind)
            .to_vec(),
        fields: vec![
            field("id", "StrField"),
            field("_version_", "LongPointField"),
            field("text", "TextField"),
            field("num", "IntPointField"),
            field("date", "DatePointField"),
            field("flag", "BoolField"),
            field("cat", "StrField"),
            field("tag", "StrField"),
        ],
        ..SchemaSource::default()
    }
}
