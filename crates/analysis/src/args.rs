//! The arguments of one component: typed reading with the component's name in every error, and the files that
//! an argument names. Which arguments exist is the component's definition (`definition.rs`); this file only
//! reads them. Rules for booleans, lists and word files are those of Lucene's factories and its word list
//! loader.

use plan::{ComponentSpec, Resources};

use crate::error::{Error, ErrorKind};
use crate::java_regex::{JavaRegex, compile};
use crate::stage::{Filter, Tokenizer};
use crate::word_set::WordSet;

/// The other components, for those that are made of some: they know this interface alone, which the registry
/// implements.
pub(crate) trait Components: Sync {
    fn filter(&self, spec: &ComponentSpec, resources: &Resources) -> Result<Box<dyn Filter>, Error>;

    fn tokenizer(&self, spec: &ComponentSpec, resources: &Resources) -> Result<Box<dyn Tokenizer>, Error>;
}

/// The arguments of one component while it is built.
pub(crate) struct Args<'a> {
    spec: &'a ComponentSpec,
    /// Every file of the configset.
    resources: &'a Resources,
    /// The arguments that may name files.
    files: &'static [&'static str],
    components: &'static dyn Components,
}

impl<'a> Args<'a> {
    pub(crate) fn new(
        spec: &'a ComponentSpec,
        resources: &'a Resources,
        files: &'static [&'static str],
        components: &'static dyn Components,
    ) -> Self {
        Args { spec, resources, files, components }
    }

    /// Another filter, with the files of this one.
    pub(crate) fn build_filter(&self, spec: &ComponentSpec) -> Result<Box<dyn Filter>, Error> {
        self.components.filter(spec, self.resources)
    }

    /// Another tokenizer, with the files of this component.
    pub(crate) fn build_tokenizer(&self, spec: &ComponentSpec) -> Result<Box<dyn Tokenizer>, Error> {
        self.components.tokenizer(spec, self.resources)
    }

    /// The component's name as the schema spells it.
    pub(crate) fn component(&self) -> &str {
        &self.spec.name
    }

    /// All arguments as written.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.spec.args.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The argument as written.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.spec.args.get(name).map(String::as_str)
    }

    /// The argument, or an error that says it is required.
    pub(crate) fn required(&self, name: &str) -> Result<&'a str, Error> {
        self.get(name)
            .ok_or_else(|| Error::argument(format!("`{}` needs the argument `{name}`", self.component())))
    }

    /// A boolean as Java reads one: `true` in any case is true, everything else is false.
    pub(crate) fn flag(&self, name: &str, default: bool) -> bool {
        // Not an error for `yes` or `1`: Lucene's factories read flags by Java's `Boolean.parseBoolean`.
        self.get(name).map_or(default, |value| value.eq_ignore_ascii_case("true"))
    }

    /// A whole number.
    pub(crate) fn int(&self, name: &str, default: i32) -> Result<i32, Error> {
        self.get(name).map_or(Ok(default), |value| self.parse_int(name, value))
    }

    /// A whole number without which the component cannot be built.
    pub(crate) fn required_int(&self, name: &str) -> Result<i32, Error> {
        let value = self.required(name)?;
        self.parse_int(name, value)
    }

    fn parse_int(&self, name: &str, value: &str) -> Result<i32, Error> {
        value.parse().map_err(|_| self.bad(name, value, "is not a whole number"))
    }

    /// A whole number of at least `least`.
    pub(crate) fn count(&self, name: &str, default: i32, least: i32) -> Result<usize, Error> {
        let number = self.int(name, default)?;
        self.at_least(name, number, least)
    }

    /// As `count`, but the argument has to be there.
    pub(crate) fn required_count(&self, name: &str, least: i32) -> Result<usize, Error> {
        let number = self.required_int(name)?;
        self.at_least(name, number, least)
    }

    fn at_least(&self, name: &str, number: i32, least: i32) -> Result<usize, Error> {
        match usize::try_from(number) {
            Ok(count) if number >= least => Ok(count),
            _ => Err(self.bad(name, &number.to_string(), &format!("is too small; use {least} or more"))),
        }
    }

    /// A decimal number.
    pub(crate) fn float(&self, name: &str, default: f32) -> Result<f32, Error> {
        self.get(name)
            .map_or(Ok(default), |value| value.parse().map_err(|_| self.bad(name, value, "is not a number")))
    }

    /// A single character.
    pub(crate) fn character(&self, name: &str, default: char) -> Result<char, Error> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let mut chars = value.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(self.bad(name, value, "is not a single character")),
        }
    }

    /// One of the given words.
    pub(crate) fn choice(
        &self,
        name: &str,
        default: &'static str,
        allowed: &[&'static str],
    ) -> Result<&'static str, Error> {
        let Some(value) = self.get(name) else { return Ok(default) };
        allowed
            .iter()
            .copied()
            .find(|choice| *choice == value)
            .ok_or_else(|| self.bad(name, value, &format!("is unknown; use one of {}", allowed.join(", "))))
    }

    /// A regular expression in Java's syntax.
    pub(crate) fn pattern(&self, name: &str) -> Result<JavaRegex, Error> {
        let source = self.required(name)?;
        compile(source).map_err(|reason| self.bad(name, source, &reason))
    }

    /// An error about the value of an argument.
    pub(crate) fn bad(&self, name: &str, value: &str, reason: &str) -> Error {
        Error::argument(format!("cannot use `{name}` of `{}`: `{value}` {reason}", self.component()))
    }

    /// The content of a managed list, which no argument names; none before it is first edited.
    pub(crate) fn managed_file(&self, name: &str) -> Option<&'a String> {
        self.resources.get(name)
    }

    /// The content of one file that the argument names.
    pub(crate) fn file(&self, argument: &str, name: &str) -> Result<&'a str, Error> {
        self.check_names_files(argument);
        // A schema may write `./words.txt`; a configset knows its files by the plain path.
        let found = self.resources.get(name).or_else(|| self.resources.get(name.trim_start_matches("./")));
        // Editors on Windows begin UTF-8 files with a byte order mark, which would stick to the first word.
        found.map(|text| text.strip_prefix('\u{feff}').unwrap_or(text)).ok_or_else(|| {
            let message = format!(
                "`{}` names the file `{name}`, which is not in the configset; add it",
                self.component()
            );
            Error::new(ErrorKind::MissingResource, message)
        })
    }

    /// The lines of the files that an argument lists, without blank lines and comments; none without the
    /// argument.
    pub(crate) fn lines(&self, argument: &str) -> Result<Option<Vec<&'a str>>, Error> {
        let Some(list) = self.get(argument) else { return Ok(None) };
        let mut lines = Vec::new();
        for name in split_file_names(list) {
            lines.extend(significant_lines(self.file(argument, &name)?));
        }
        Ok(Some(lines))
    }

    /// The words of the files that an argument lists, one on each line; none without the argument.
    pub(crate) fn words(&self, argument: &str, ignore_case: bool) -> Result<Option<WordSet>, Error> {
        let lines = self.lines(argument)?;
        Ok(lines.map(|lines| WordSet::new(lines.into_iter().map(str::to_owned), ignore_case)))
    }

    /// As `words` for files in Snowball's format: several words a line, `|` starts a comment.
    pub(crate) fn snowball_words(&self, argument: &str, ignore_case: bool) -> Result<Option<WordSet>, Error> {
        let Some(list) = self.get(argument) else { return Ok(None) };
        let mut words = Vec::new();
        for name in split_file_names(list) {
            for line in self.file(argument, &name)?.lines() {
                // Snowball's own stop lists are published like this, with an English gloss behind the bar.
                let text = line.split('|').next().unwrap_or_default();
                words.extend(text.split_whitespace().map(str::to_owned));
            }
        }
        Ok(Some(WordSet::new(words, ignore_case)))
    }

    /// Schemas are loaded with the files of those arguments alone that the definition says: what it does not
    /// say would be found in tests, which hand in all files, and never in a collection.
    fn check_names_files(&self, argument: &str) {
        debug_assert!(
            self.files.contains(&argument),
            "the definition of `{}` does not say that `{argument}` names files",
            self.component()
        );
    }

    /// A comma-separated list with blanks around its items dropped.
    pub(crate) fn list(&self, name: &str) -> Vec<&'a str> {
        self.get(name)
            .map(|value| value.split([',', ' ']).map(str::trim).filter(|item| !item.is_empty()).collect())
            .unwrap_or_default()
    }
}

/// Splits `a.txt,b\,c.txt` at the commas that no backslash guards.
fn split_file_names(list: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut name = String::new();
    let mut chars = list.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => name.extend(chars.next()),
            ',' => names.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    names.push(name);
    names.into_iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// The lines of a file, trimmed, without blank ones and those that start with `#`.
pub(crate) fn significant_lines(text: &str) -> impl Iterator<Item = &str> {
    // Comments are looked for before blanks are trimmed: a `#` behind blanks is a word, as in Lucene's
    // loader.
    text.lines().filter(|line| !line.starts_with('#')).map(str::trim).filter(|line| !line.is_empty())
}
