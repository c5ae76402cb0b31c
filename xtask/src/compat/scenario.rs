//! The question files: `name`, `configset`, `docs` (a fixture), `shards` and `steps`. Owns their format and
//! what is refused in it; asks nothing. Unknown keys are errors, so that a misspelt one cannot make a step
//! weaker than it reads.
//!
//! A step is `get: PATH` or `post: PATH` (or `put`, `delete`, `head`) with `params` (a list repeats the
//! parameter) and, for a post or put, `body`: text as it stands, or a YAML value that is sent as JSON; or
//! `body_hex`, the bytes of it. A path that begins with `/api/` counts from the server's root, with another
//! `/` from the web context, any other from the collection. `{core}` in a path, parameter or body is the
//! collection's name.
//!
//! With `security` (a `security.json` among the fixtures) the file asks a server that has it, as the
//! administrator `solr`, or as a step's `as` says: `name:password`, or nothing for nobody.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::mask::Kind;
use crate::args::Misuse;

/// One file: a collection, its documents, and the questions in order.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the file shows, in a sentence; for the reader of the file.
    #[serde(rename = "name")]
    _name: String,
    #[serde(default = "default_configset")]
    pub configset: String,
    /// A file of `compat/fixtures/` to load and commit first.
    docs: Option<String>,
    /// A collection of this many shards, whatever way others are made; answers are recorded from a cloud.
    pub shards: Option<usize>,
    /// A file of `compat/fixtures/` that says who may do what.
    pub security: Option<String>,
    /// More masks, for all of its steps.
    #[serde(default)]
    mask: BTreeMap<String, Kind>,
    pub steps: Vec<Step>,
}

/// One question and how strictly its answer is compared.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Said in reports when the request does not speak for itself.
    pub name: Option<String>,
    pub get: Option<String>,
    pub post: Option<String>,
    pub put: Option<String>,
    pub delete: Option<String>,
    pub head: Option<String>,
    #[serde(default)]
    pub params: Map<String, Value>,
    #[serde(default)]
    pub content_type: Option<String>,
    pub body: Option<Value>,
    /// A body of bytes, in hexadecimal; blanks count for nothing.
    pub body_hex: Option<String>,
    /// How the body is packed, as its header says.
    pub content_encoding: Option<String>,
    /// Who asks, where somebody must log in.
    #[serde(rename = "as")]
    pub who: Option<String>,
    /// Keep the body as text: for spacing, order and the forms of `json.nl`.
    #[serde(default)]
    pub raw: bool,
    /// More masks, for this step only: path pattern to kind.
    #[serde(default)]
    pub mask: BTreeMap<String, Kind>,
    /// Differences from Solr that we keep: path pattern to reason.
    #[serde(default)]
    pub differs: BTreeMap<String, String>,
    /// What a server that differs answers instead: path to value. Needed beside `differs: "**"`, which checks
    /// nothing.
    #[serde(default)]
    pub ours: BTreeMap<String, Value>,
}

fn default_configset() -> String {
    "_default".to_owned()
}

impl Scenario {
    pub fn read(path: &Path) -> Result<Self> {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let mut scenario: Self = serde_norway::from_str(&text)
            .with_context(|| format!("cannot understand `{}`", path.display()))?;
        for step in &mut scenario.steps {
            for (pattern, kind) in &scenario.mask {
                step.mask.entry(pattern.clone()).or_insert(*kind);
            }
        }
        for step in &scenario.steps {
            step.check().with_context(|| format!("a step of `{}`: {}", path.display(), step.title()))?;
        }
        Ok(scenario)
    }

    /// The update that loads the fixture, where the file names one.
    pub fn fixture_step(&self, compat: &Path) -> Result<Option<Step>> {
        let Some(name) = &self.docs else {
            return Ok(None);
        };
        let path = compat.join("fixtures").join(format!("{name}.yaml"));
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
        let docs: Value = serde_norway::from_str(&text)
            .with_context(|| format!("cannot understand `{}`", path.display()))?;
        let params = Map::from_iter([("commit".to_owned(), Value::from("true"))]);
        Ok(Some(Step { post: Some("update".to_owned()), params, body: Some(docs), ..Step::default() }))
    }
}

impl Step {
    fn check(&self) -> Result<()> {
        ensure!(self.asked().count() == 1, "needs one of `get`, `post`, `put`, `delete` and `head`");
        let hex = self.body_hex.as_deref().unwrap_or_default();
        ensure!(
            hex.chars().all(|it| it.is_ascii_hexdigit() || it.is_whitespace()),
            "`body_hex` needs hexadecimal digits"
        );
        ensure!(
            !self.differs.contains_key("**") || !self.ours.is_empty(),
            "`differs` everywhere needs `ours`"
        );
        Ok(())
    }

    /// Method and path, of each that the step names.
    fn asked(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let Self { get, post, put, delete, head, .. } = self;
        let named = [("GET", get), ("POST", post), ("PUT", put), ("DELETE", delete), ("HEAD", head)];
        named.into_iter().filter_map(|(method, path)| Some((method, path.as_deref()?)))
    }

    pub fn method(&self) -> &'static str {
        self.asked().next().map_or("GET", |(method, _)| method)
    }

    pub fn path(&self) -> &str {
        self.asked().next().map_or("", |(_, path)| path)
    }

    /// The parameters in order, lists spread.
    pub fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (name, value) in &self.params {
            match value {
                Value::Array(values) => pairs.extend(values.iter().map(|value| (name.clone(), text(value)))),
                one => pairs.push((name.clone(), text(one))),
            }
        }
        pairs
    }

    /// The body as it is sent; a value that is not text becomes JSON.
    pub fn body_text(&self) -> Option<String> {
        self.body.as_ref().map(text)
    }

    /// The body as bytes, where it is given so.
    pub fn body_bytes(&self) -> Option<Vec<u8>> {
        let digits: Vec<u32> =
            self.body_hex.as_ref()?.chars().filter_map(|digit| digit.to_digit(16)).collect();
        Some(
            digits
                .chunks(2)
                .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8))
                .collect(),
        )
    }

    /// What the body says it is: as told, or JSON where the body is a value, or nothing.
    pub fn body_type(&self) -> Option<&str> {
        match (&self.content_type, &self.body) {
            (Some(told), _) => Some(told),
            (None, Some(_)) => Some("application/json"),
            (None, None) => None,
        }
    }

    /// The question in one line, for reports and for finding stale answers.
    pub fn request_line(&self) -> String {
        let query: Vec<String> = self.pairs().iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut line = format!("{} {}", self.method(), self.path());
        if let Some(who) = &self.who {
            line = format!("as {who}: {line}");
        }
        if !query.is_empty() {
            line = format!("{line}?{}", query.join("&"));
        }
        match self.body_text().or_else(|| self.body_hex.clone()) {
            Some(body) => format!("{line} < {}", shortened(&body)),
            None => line,
        }
    }

    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{name}: {}", self.request_line()),
            None => self.request_line(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Long bodies keep their length and a fingerprint, so that an edit in the middle still shows.
fn shortened(body: &str) -> String {
    const KEPT: usize = 400;
    if body.len() <= KEPT {
        return body.to_owned();
    }
    let start: String = body.chars().take(80).collect();
    let print = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{start}... ({} bytes, {print:016x})", body.len())
}

/// Every scenario file below `compat/`, fixtures and masks left out, in order of path; with a `filter`, those
/// whose path from the folder of `compat/` on contains it. [`Misuse`] where there are none such.
pub fn files(compat: &Path, filter: Option<&str>) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for area in std::fs::read_dir(compat).with_context(|| format!("cannot read `{}`", compat.display()))? {
        let area = area?.path();
        if area.is_dir() && area.file_name().is_some_and(|name| name != "fixtures") {
            for file in std::fs::read_dir(&area)? {
                found.push(file?.path());
            }
        }
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let Some(wanted) = filter else {
        found.sort();
        return Ok(found);
    };
    // Not the whole path: the name of the clone's folder would let every file through.
    let root = compat.parent().unwrap_or(compat);
    found.retain(|path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().contains(wanted));
    if found.is_empty() {
        let what =
            format!("no scenario file has `{wanted}` in its path; give a part of one, as `--filter facet/`");
        return Err(Misuse(what).into());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(yaml: &str) -> Step {
        serde_norway::from_str(yaml).unwrap()
    }

    #[test]
    fn a_list_repeats_the_parameter() {
        let step = step("{get: select, params: {fq: [a, b], rows: 0, facet: true}}");
        assert_eq!(step.request_line(), "GET select?fq=a&fq=b&rows=0&facet=true");
    }

    #[test]
    fn a_value_is_sent_as_json_and_text_as_it_stands() {
        assert_eq!(step("{post: update, body: [{id: 1}]}").body_text().as_deref(), Some(r#"[{"id":1}]"#));
        assert_eq!(step("{post: update, body: '<commit/>'}").body_text().as_deref(), Some("<commit/>"));
    }

    #[test]
    fn a_long_body_changes_its_line_wherever_it_is_edited() {
        let body = "x".repeat(500);
        let edited = format!("{}y{}", &body[..400], &body[..99]);
        assert_ne!(shortened(&body), shortened(&edited));
    }

    #[test]
    fn a_filter_is_a_part_of_the_path_in_the_repository() {
        let compat = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("compat");
        let all = files(&compat, None).unwrap().len();
        let facets = files(&compat, Some("compat/facet/")).unwrap();
        assert!(!facets.is_empty() && facets.len() < all);
        assert!(facets.iter().all(|path| path.starts_with(compat.join("facet"))));
        let clone = compat.parent().unwrap().to_str().unwrap();
        for misspelt in ["facett/", clone] {
            let error = files(&compat, Some(misspelt)).unwrap_err();
            assert!(error.is::<Misuse>() && error.to_string().contains(misspelt), "{error}");
        }
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        assert!(serde_norway::from_str::<Step>("{get: select, parms: {}}").is_err());
    }
}
