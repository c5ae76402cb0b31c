//! Filters over managed resources: `managedStop`, `managedSynonym` and `managedSynonymGraph` work as `stop`,
//! `synonym` and `synonymGraph` over a list that clients change by `/schema/analysis/…`. The list of the name
//! NAME is the configset's file `_schema_analysis_stopwords_NAME.json` or
//! `_schema_analysis_synonyms_NAME.json`, in the form in which Solr stores it; without the file the list is
//! empty. Reading is all that happens here; changing the file is the API's.

use std::sync::Arc;

use plan::ComponentSpec;
use serde_json::{Map, Value};

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::{stop, synonym};
use crate::synonym_map::{RuleReader, SynonymMap};
use crate::tokenizer::char_runs;
use crate::word_set::WordSet;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&STOP, &SYNONYM, &SYNONYM_GRAPH];

static STOP: FilterDefinition = FilterDefinition::new(
    "managedStop",
    "org.apache.solr.rest.schema.analysis.ManagedStopFilterFactory",
    &["managed"],
    "Drops the words of a managed list.",
    |args| {
        let list = ManagedList::read(args, ManagedKind::Words)?;
        let words = list.words()?;
        Ok(stop::dropping(Arc::new(WordSet::new(words, list.ignore_case()))))
    },
);

static SYNONYM: FilterDefinition = FilterDefinition::new(
    "managedSynonym",
    "org.apache.solr.rest.schema.analysis.ManagedSynonymFilterFactory",
    &["managed"],
    "Adds synonyms from a managed list without a graph; `managedSynonymGraph` is the better one.",
    |args| Ok(synonym::flat(read_synonyms(args)?)),
);

static SYNONYM_GRAPH: FilterDefinition = FilterDefinition::new(
    "managedSynonymGraph",
    "org.apache.solr.rest.schema.analysis.ManagedSynonymGraphFilterFactory",
    &["managed"],
    "Adds synonyms from a managed list as a token graph; meant for queries.",
    |args| Ok(synonym::graph(read_synonyms(args)?)),
);

/// What a managed list holds, and which filter reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagedKind {
    Words,
    Synonyms,
    SynonymGraph,
}

impl ManagedKind {
    pub const ALL: [ManagedKind; 3] = [ManagedKind::Words, ManagedKind::Synonyms, ManagedKind::SynonymGraph];

    /// The part of the list's path before its name.
    pub fn endpoint(self) -> &'static str {
        match self {
            ManagedKind::Words => "stopwords",
            ManagedKind::Synonyms | ManagedKind::SynonymGraph => "synonyms",
        }
    }

    /// The file that holds the list of this name.
    pub fn file(self, name: &str) -> String {
        format!("_schema_analysis_{}_{name}.json", self.endpoint())
    }

    /// The filter that reads such lists.
    pub fn filter_name(self) -> &'static str {
        self.definition().name
    }

    fn definition(self) -> &'static FilterDefinition {
        match self {
            ManagedKind::Words => &STOP,
            ManagedKind::Synonyms => &SYNONYM,
            ManagedKind::SynonymGraph => &SYNONYM_GRAPH,
        }
    }
}

/// The managed list that a token filter reads: its kind and its name. `None` for other filters.
pub fn managed_list(filter: &ComponentSpec) -> Option<(ManagedKind, &str)> {
    let kind = ManagedKind::ALL.into_iter().find(|kind| kind.definition().is_named(&filter.name))?;
    Some((kind, filter.args.get("managed")?))
}

/// A stored list with the name of its file.
struct ManagedList {
    file: String,
    stored: Map<String, Value>,
}

impl ManagedList {
    fn read(args: &Args<'_>, kind: ManagedKind) -> Result<Self, Error> {
        let file = kind.file(args.required("managed")?);
        let stored = match args.managed_file(&file) {
            None => Map::new(),
            Some(text) => serde_json::from_str(text).map_err(|reason| fault(&file, &reason.to_string()))?,
        };
        Ok(ManagedList { file, stored })
    }

    fn initial(&self, name: &str) -> Option<&Value> {
        self.stored.get("initArgs")?.get(name)
    }

    /// Stored as a boolean or as its name.
    fn ignore_case(&self) -> bool {
        match self.initial("ignoreCase") {
            Some(Value::Bool(flag)) => *flag,
            // The flag is kept as the client sent it, `true` or `"true"`, and Solr reads both.
            Some(Value::String(flag)) => flag.eq_ignore_ascii_case("true"),
            _ => false,
        }
    }

    fn words(&self) -> Result<Vec<String>, Error> {
        match self.stored.get("managedList") {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(list) => {
                strings(list).ok_or_else(|| fault(&self.file, "`managedList` is no list of strings"))
            }
        }
    }

    /// Terms with their synonyms, both sorted, as Solr reads them.
    fn mappings(&self) -> Result<Vec<(String, Vec<String>)>, Error> {
        let mut mappings = Vec::new();
        match self.stored.get("managedMap") {
            None | Some(Value::Null) => {}
            Some(Value::Object(stored)) => {
                for (term, synonyms) in stored {
                    let mut synonyms = strings(synonyms).ok_or_else(|| {
                        fault(&self.file, &format!("the synonyms of `{term}` are no list of strings"))
                    })?;
                    synonyms.sort();
                    mappings.push((term.clone(), synonyms));
                }
            }
            Some(_) => return Err(fault(&self.file, "`managedMap` is no object")),
        }
        let ignore_case = self.ignore_case();
        // Solr keeps the map sorted, and the order of rules decides which of two synonyms comes first at a
        // position.
        mappings.sort_by_cached_key(|(term, _)| (cased(term, ignore_case), term.clone()));
        Ok(mappings)
    }
}

fn strings(list: &Value) -> Option<Vec<String>> {
    list.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

fn fault(file: &str, reason: &str) -> Error {
    Error::resource(format!("cannot read the managed list `{file}`: {reason}"))
}

fn cased(term: &str, ignore_case: bool) -> String {
    if ignore_case { term.to_lowercase() } else { term.to_owned() }
}

/// Each term is replaced by its synonyms; one that is to stay has itself among them.
fn read_synonyms(args: &Args<'_>) -> Result<SynonymMap, Error> {
    let list = ManagedList::read(args, ManagedKind::Synonyms)?;
    if let Some(format) = list.initial("format").filter(|format| *format != "solr") {
        return Err(fault(&list.file, &format!("the format {format} is not supported; use `solr`")));
    }
    let tokenizer = char_runs::whitespace();
    let mut reader = RuleReader::new(&*tokenizer, list.ignore_case(), false);
    for (term, synonyms) in list.mappings()? {
        for synonym in synonyms {
            reader.add_mapping(&term, &synonym).map_err(|reason| fault(&list.file, &reason))?;
        }
    }
    Ok(reader.map)
}

#[cfg(test)]
mod tests {
    use plan::{AnalyzerSpec, ComponentSpec, Resources};

    use crate::{Analyzer, ErrorKind};

    fn build(filter: &str, list: &str) -> Result<Analyzer, crate::Error> {
        let component = |name: &str| ComponentSpec { name: name.to_owned(), ..ComponentSpec::default() };
        let mut managed = component(filter);
        managed.args.insert("managed".to_owned(), "en".to_owned());
        let spec = AnalyzerSpec {
            tokenizer: component("whitespace"),
            filters: vec![managed],
            ..AnalyzerSpec::default()
        };
        let names = ["_schema_analysis_stopwords_en.json", "_schema_analysis_synonyms_en.json"];
        let files = names.map(|name| (name.to_owned(), list.to_owned()));
        let files: Resources = if list.is_empty() { Resources::new() } else { files.into_iter().collect() };
        Analyzer::build(&spec, &files)
    }

    #[test]
    fn lists_are_read_as_solr_stores_them() {
        let rows = [
            ("managedStop", r#"{"initArgs":{"ignoreCase":true},"managedList":["The"]}"#, "Fox TV"),
            ("managedStop", r#"{"managedList":["The"]}"#, "the Fox TV"),
            ("managedStop", "", "The the Fox TV"),
            (
                "managedSynonymGraph",
                r#"{"initArgs":{"ignoreCase":"true"},"managedMap":{"TV":["telly","TV"],"fox":["dog"]}}"#,
                "The the dog tv telly",
            ),
            ("managedSynonym", r#"{"managedMap":{"TV":["telly"],"tv":["x"]}}"#, "The the Fox telly"),
        ];
        for (filter, list, expected) in rows {
            let analyzer = build(filter, list).expect("the list is right");
            let words: Vec<String> =
                analyzer.analyze("The the Fox TV").into_iter().map(|token| token.text).collect();
            assert_eq!(words.join(" "), expected, "{filter} {list}");
        }
    }

    #[test]
    fn a_broken_list_is_named() {
        for list in ["{", r#"{"managedList":{}}"#, r#"{"managedList":[1]}"#] {
            let error = build("managedStop", list).expect_err(list);
            assert_eq!(error.kind, ErrorKind::BadResource);
            assert!(error.message.contains("_schema_analysis_stopwords_en.json"), "{error}");
        }
    }
}
