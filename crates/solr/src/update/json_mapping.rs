//! What JSON of any shape has to do with documents: `split` names the objects that are documents, `f` which
//! paths become which fields. Read here, followed by `json_docs.rs`. Behaviour recorded from Solr 9.10.1;
//! `srcField` and `mapUniqueKeyOnly` are refused for now.

use std::sync::Arc;

use plan::{Error, Result};

use crate::params::Params;
use crate::params::update::{KEY_ONLY, PATHS, SOURCE_FIELD, SPLIT};

/// Which objects are documents and what goes into them.
pub struct Mapping {
    /// Those above others come first.
    splits: Vec<Vec<String>>,
    rules: Vec<Rule>,
}

pub struct Rule {
    path: Vec<String>,
    reach: Reach,
    pub target: Target,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// The path itself.
    Exact,
    /// `/*`: what is directly below.
    Children,
    /// `/**`: all that is below.
    All,
}

/// Which field a value goes to.
pub enum Target {
    Field(Arc<str>),
    /// The last name of the path.
    Leaf,
    /// All names of the path, joined by dots (`$FQN`).
    Qualified,
}

impl Mapping {
    /// Reads `split` and `f`.
    pub fn parse(params: &Params) -> Result<Self> {
        for param in [SOURCE_FIELD, KEY_ONLY] {
            if !matches!(param.read(params), Ok(None | Some(false))) {
                let name = param.name;
                return Err(Error::bad_request(format!("`{name}` is not supported yet; leave it out")));
            }
        }
        let texts = SPLIT.text(params).split('|').filter(|path| !path.is_empty());
        let splits = texts.map(segments).collect::<Result<Vec<_>>>()?;
        check_order(&splits)?;
        let mut rules = PATHS.sent_all(params).map(Rule::parse).collect::<Result<Vec<_>>>()?;
        if rules.is_empty() {
            rules.push(Rule { path: Vec::new(), reach: Reach::All, target: Target::Qualified });
        }
        Ok(Self { splits, rules })
    }

    /// The rule for a value at `path`: of several, an exact one, and of those the last.
    pub fn rule(&self, path: &[Arc<str>]) -> Option<&Rule> {
        let exact = self.rules.iter().rev().find(|rule| rule.reach == Reach::Exact && rule.covers(path));
        exact.or_else(|| self.rules.iter().find(|rule| rule.covers(path)))
    }

    /// Whether an object at `path` is a document; within another it is one below that.
    pub fn is_document(&self, path: &[Arc<str>]) -> bool {
        self.splits.iter().any(|split| same(split, path))
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self> {
        let (target, path) = match text.split_once(':') {
            Some((target, path)) => (Some(target), path),
            None => (None, text),
        };
        let mut path = segments(path)?;
        let reach = match path.last().map(String::as_str) {
            Some("**") => Reach::All,
            Some("*") => Reach::Children,
            _ => Reach::Exact,
        };
        if reach != Reach::Exact {
            path.pop();
        }
        let target = match target {
            None => Target::Leaf,
            Some("$FQN") => Target::Qualified,
            Some(field) => Target::Field(Arc::from(field)),
        };
        Ok(Self { path, reach, target })
    }

    fn covers(&self, path: &[Arc<str>]) -> bool {
        match self.reach {
            Reach::Exact => same(&self.path, path),
            Reach::Children => path.split_last().is_some_and(|(_, above)| same(&self.path, above)),
            Reach::All => path.get(..self.path.len()).is_some_and(|above| same(&self.path, above)),
        }
    }
}

/// Solr differs: it answers 500 to paths that cannot be (`compat/update/json_shapes.yaml`).
///
/// No path may come behind itself or one below it.
fn check_order(splits: &[Vec<String>]) -> Result<()> {
    for (at, split) in splits.iter().enumerate() {
        if splits.iter().take(at).any(|earlier| earlier.starts_with(split)) {
            let name = split.last().map_or("/", String::as_str);
            return Err(Error::bad_request(format!("{name} has a parent node at my level or lower")));
        }
    }
    Ok(())
}

fn same(wanted: &[String], path: &[Arc<str>]) -> bool {
    wanted.len() == path.len() && wanted.iter().zip(path).all(|(one, other)| one.as_str() == &**other)
}

fn segments(path: &str) -> Result<Vec<String>> {
    let below = path
        .strip_prefix('/')
        .ok_or_else(|| Error::bad_request(format!("All paths must start with '/' {path}")))?;
    Ok(below.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect())
}
