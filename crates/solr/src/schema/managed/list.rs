//! One managed list: its settings, its entries, and what a body changes of them. Read from and written to a
//! file in Solr's form: `initArgs`, the times, then `managedList` (words) or `managedMap` (terms with their
//! synonyms).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use analysis::ManagedKind;
use plan::{Error, ErrorKind, Result, SchemaSource, format_instant};

use super::json::{strings, to_json};
use crate::response::{Entries, Name, Node};
use crate::update::RawValue;

/// How many synonyms a list may hold, over all terms: n equal terms make n² of them.
const SYNONYMS_MAX: usize = 1_000_000;

pub(super) struct List {
    settings: Vec<(Arc<str>, RawValue)>,
    initialized: String,
    updated: Option<String>,
    terms: Terms,
}

enum Terms {
    Words(BTreeSet<String>),
    Synonyms(BTreeMap<String, BTreeSet<String>>),
}

impl List {
    pub fn new(kind: ManagedKind, now_ms: i64) -> Self {
        let terms = match kind {
            ManagedKind::Words => Terms::Words(BTreeSet::new()),
            ManagedKind::Synonyms | ManagedKind::SynonymGraph => Terms::Synonyms(BTreeMap::new()),
        };
        let settings = vec![("ignoreCase".into(), RawValue::Bool(false))];
        Self { settings, initialized: format_instant(now_ms), updated: None, terms }
    }

    /// The list as its file has it, or an empty one of that age.
    pub fn read(source: &SchemaSource, kind: ManagedKind, name: &str, opened_ms: i64) -> Result<Self> {
        let mut list = Self::new(kind, opened_ms);
        let file = kind.file(name);
        if let Some(text) = source.resources.get(&file) {
            list.take_up(text).map_err(|error| {
                let message = format!("cannot read the managed list `{file}`: {error}; restore the file");
                Error::new(ErrorKind::DataLoss, message)
            })?;
        }
        Ok(list)
    }

    fn take_up(&mut self, text: &str) -> Result<()> {
        let stored = super::parse(text)?;
        if let Some(RawValue::Map(settings)) = entry(&stored, "initArgs") {
            self.settings.clone_from(settings);
        }
        let time = |name| Some(entry(&stored, name)?.to_text());
        self.initialized = time("initializedOn").unwrap_or_else(|| std::mem::take(&mut self.initialized));
        self.updated = time("updatedSinceInit");
        if let Some(terms) = entry(&stored, self.data_key()) {
            self.add(terms)?;
        }
        Ok(())
    }

    /// The key of the entries, in files, bodies and answers.
    fn data_key(&self) -> &'static str {
        match self.terms {
            Terms::Words(_) => "managedList",
            Terms::Synonyms(_) => "managedMap",
        }
    }

    pub fn touch(&mut self, now_ms: i64) {
        self.updated = Some(format_instant(now_ms));
    }

    /// Solr tells of updates since it read the list.
    pub fn forget_update(&mut self) {
        self.updated = None;
    }

    pub fn to_json(&self) -> String {
        to_json(&self.entries())
    }

    /// What a read of the list answers.
    pub fn entry(&self) -> (Name, Node) {
        let name = match self.terms {
            Terms::Words(_) => "wordSet",
            Terms::Synonyms(_) => "synonymMappings",
        };
        (name.into(), Node::Map(self.entries()))
    }

    fn entries(&self) -> Entries {
        let settings = RawValue::Map(self.settings.clone());
        let terms = match &self.terms {
            Terms::Words(words) => strings(words),
            Terms::Synonyms(terms) => {
                Node::Map(terms.iter().map(|(term, list)| (term.clone().into(), strings(list))).collect())
            }
        };
        let mut entries: Entries = vec![
            ("initArgs".into(), settings.into()),
            ("initializedOn".into(), Node::str(self.initialized.clone())),
        ];
        entries.extend(self.updated.clone().map(|time| ("updatedSinceInit".into(), Node::str(time))));
        entries.push((self.data_key().into(), terms));
        entries
    }

    /// The word itself, or the synonyms of the term.
    pub fn child(&self, name: &str) -> Option<Node> {
        let ignore_case = self.ignore_case();
        match &self.terms {
            Terms::Words(words) => words.get(&cased(name, ignore_case)).map(|word| Node::str(word.clone())),
            Terms::Synonyms(terms) => {
                let same = terms.iter().filter(|(term, _)| is_same(term, name, ignore_case));
                let (found, lists): (Vec<_>, Vec<_>) = same.unzip();
                let merged: BTreeSet<&String> = lists.into_iter().flatten().collect();
                (!found.is_empty()).then(|| strings(merged))
            }
        }
    }

    /// Removes the word or the term; false where it is not there.
    pub fn remove(&mut self, name: &str) -> bool {
        let ignore_case = self.ignore_case();
        match &mut self.terms {
            Terms::Words(words) => words.remove(&cased(name, ignore_case)),
            Terms::Synonyms(terms) => {
                let before = terms.len();
                terms.retain(|term, _| !is_same(term, name, ignore_case));
                terms.len() < before
            }
        }
    }

    /// Takes settings and entries from a body: `{"initArgs": …, "managedList" or "managedMap": …}`, or just
    /// entries. False where all was so before.
    pub fn apply(&mut self, body: RawValue) -> Result<bool> {
        let parts =
            |body: &RawValue| ["initArgs", "managedList", "managedMap"].map(|key| entry(body, key).cloned());
        match body {
            RawValue::List(_) => self.add(&body),
            RawValue::Map(_) => match parts(&body) {
                [None, None, None] => self.add(&body),
                [settings, words, terms] => {
                    let set = settings.map_or(Ok(false), |settings| self.set(settings))?;
                    Ok(words.or(terms).map_or(Ok(false), |entries| self.add(&entries))? || set)
                }
            },
            other => Err(Error::bad_request(format!("Unsupported update format {}", other.java_class()))),
        }
    }

    /// Replaces the settings.
    fn set(&mut self, settings: RawValue) -> Result<bool> {
        let RawValue::Map(settings) = settings else {
            return Err(Error::bad_request("`initArgs` is no object; write it as `{\"ignoreCase\": true}`"));
        };
        let ignore_case = ignore_case(&settings)?;
        let before = self.ignore_case();
        if let Terms::Words(words) = &mut self.terms {
            if before && !ignore_case {
                return Err(Error::bad_request(
                    "Changing a managed word set's ignoreCase arg from true to false is not permitted.",
                ));
            }
            *words = std::mem::take(words).into_iter().map(|word| cased(&word, ignore_case)).collect();
        }
        let changed = settings != self.settings;
        self.settings = settings;
        Ok(changed)
    }

    fn ignore_case(&self) -> bool {
        ignore_case(&self.settings).unwrap_or(false)
    }

    /// Adds entries to those there are; false where all were there.
    fn add(&mut self, entries: &RawValue) -> Result<bool> {
        let ignore_case = self.ignore_case();
        match &mut self.terms {
            Terms::Words(words) => {
                let before = words.len();
                words.extend(texts(entries)?.iter().map(|word| cased(word, ignore_case)));
                Ok(words.len() > before)
            }
            Terms::Synonyms(terms) => add_synonyms(terms, entries),
        }
    }
}

/// A list makes each of its terms a synonym of each; an object names the synonyms of its keys.
fn add_synonyms(terms: &mut BTreeMap<String, BTreeSet<String>>, entries: &RawValue) -> Result<bool> {
    let mappings = match entries {
        RawValue::Map(entries) => entries
            .iter()
            .map(|(term, list)| Ok((term.to_string(), synonyms(term, list)?)))
            .collect::<Result<_>>()?,
        list => {
            let equal = texts(list)?;
            check_size(equal.len().saturating_mul(equal.len()))?;
            equal.iter().map(|term| (term.clone(), equal.clone())).collect::<Vec<_>>()
        }
    };
    let mut changed = false;
    for (term, synonyms) in mappings {
        changed |= !terms.contains_key(&term);
        let known = terms.entry(term).or_default();
        let before = known.len();
        known.extend(synonyms);
        changed |= known.len() > before;
    }
    check_size(terms.values().map(BTreeSet::len).sum())?;
    Ok(changed)
}

fn check_size(count: usize) -> Result<()> {
    if count <= SYNONYMS_MAX {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "the list would hold more than `{SYNONYMS_MAX}` synonyms; split it, or name one way of writing for all"
    )))
}

fn synonyms(term: &str, list: &RawValue) -> Result<Vec<String>> {
    match list {
        RawValue::Str(one) => Ok(vec![one.clone()]),
        RawValue::List(_) => texts(list),
        other => Err(Error::bad_request(format!(
            "Unsupported value {} for {term}; expected single value or a JSON array!",
            other.to_text()
        ))),
    }
}

fn texts(list: &RawValue) -> Result<Vec<String>> {
    let fault = |found: &RawValue| {
        Error::bad_request(format!(
            "`{}` is no list of strings; write it as `[\"a\", \"b\"]`",
            found.to_text()
        ))
    };
    let RawValue::List(items) = list else { return Err(fault(list)) };
    let text = |item: &RawValue| match item {
        RawValue::Str(text) => Ok(text.clone()),
        _ => Err(fault(list)),
    };
    items.iter().map(text).collect()
}

/// Given as a boolean or as its name; false where it is not given.
fn ignore_case(settings: &[(Arc<str>, RawValue)]) -> Result<bool> {
    match settings.iter().find(|(name, _)| &**name == "ignoreCase").map(|(_, value)| value) {
        None => Ok(false),
        Some(RawValue::Bool(flag)) => Ok(*flag),
        Some(RawValue::Str(flag)) => Ok(flag.eq_ignore_ascii_case("true")),
        Some(other) => Err(Error::bad_request(format!(
            "cannot parse `ignoreCase`: `{}` is no boolean; use true or false",
            other.to_text()
        ))),
    }
}

fn cased(text: &str, ignore_case: bool) -> String {
    if ignore_case { text.to_lowercase() } else { text.to_owned() }
}

fn is_same(term: &str, name: &str, ignore_case: bool) -> bool {
    term == name || (ignore_case && term.to_lowercase() == name.to_lowercase())
}

/// The value under a key of an object.
pub(super) fn entry<'a>(object: &'a RawValue, key: &str) -> Option<&'a RawValue> {
    let RawValue::Map(entries) = object else { return None };
    entries.iter().find(|(name, _)| &**name == key).map(|(_, value)| value)
}
