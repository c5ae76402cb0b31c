//! What a suggester is built of: Solr's dictionaries with their settings, and the file that one of them
//! reads. Out: a source of the plan The file's entries are read with the configuration. Lookups are
//! `suggest_lookups.rs`, the suggester around both is `suggesters.rs`.

use std::sync::Arc;

use plan::{Error, Expression, ListedEntry, Result, SuggestSource, SuggestWeight};

use crate::config::expression;
use crate::config::loaded::LoadedConfig;
use crate::config::refusal::wrong;
use crate::config::settings::Settings;

/// A class that is served.
pub(super) struct SourceClass {
    name: &'static str,
    pub(super) read: fn(&str, &Settings<'_>) -> Result<SuggestSource>,
    /// Its own settings.
    pub(super) settings: &'static [&'static str],
}

const CLASSES: &[SourceClass] = &[
    SourceClass {
        name: "DocumentDictionaryFactory",
        read: |suggester, settings| {
            documents(suggester, settings, named(settings, "weightField").map(SuggestWeight::Field))
        },
        settings: &["field", "weightField", "payloadField", "contextField"],
    },
    SourceClass {
        name: "DocumentExpressionDictionaryFactory",
        read: |suggester, settings| documents(suggester, settings, Some(reckoned(suggester, settings)?)),
        settings: &["field", "weightExpression", "sortField", "payloadField", "contextField"],
    },
    SourceClass {
        name: "HighFrequencyDictionaryFactory",
        read: |suggester, settings| {
            let threshold = settings.number("threshold")?.unwrap_or(0.0);
            Ok(SuggestSource::Terms { field: field(suggester, settings)?, threshold })
        },
        settings: &["field", "threshold"],
    },
    SourceClass {
        name: "FileDictionaryFactory",
        read: file,
        settings: &["sourceLocation", "fieldDelimiter"],
    },
];

impl SourceClass {
    pub(super) fn find(class: &str) -> Option<&'static Self> {
        let short = class.rsplit('.').next();
        CLASSES.iter().find(|known| Some(known.name) == short)
    }
}

/// The class that a suggester names, or has by what else it says.
pub(super) fn class_name<'a>(settings: &Settings<'a>) -> &'a str {
    let by_file = settings.get("sourceLocation").is_some();
    let usual = if by_file { "FileDictionaryFactory" } else { "HighFrequencyDictionaryFactory" };
    settings.get("dictionaryImpl").unwrap_or(usual)
}

fn named(settings: &Settings<'_>, name: &str) -> Option<Arc<str>> {
    settings.get(name).map(Into::into)
}

fn field(suggester: &str, settings: &Settings<'_>) -> Result<Arc<str>> {
    named(settings, "field").ok_or_else(|| wrong(&format!("suggester `{suggester}` has no `field`")))
}

fn documents(
    suggester: &str,
    settings: &Settings<'_>,
    weight: Option<SuggestWeight>,
) -> Result<SuggestSource> {
    Ok(SuggestSource::Documents {
        field: field(suggester, settings)?,
        weight,
        payload: named(settings, "payloadField"),
        context: named(settings, "contextField"),
    })
}

/// Of an expression, whose fields must be declared beside it.
fn reckoned(suggester: &str, settings: &Settings<'_>) -> Result<SuggestWeight> {
    let text = settings.get("weightExpression");
    let text = text.ok_or_else(|| wrong(&format!("suggester `{suggester}` has no `weightExpression`")))?;
    let context = |error: Error| error.context(format!("suggester `{suggester}`: "));
    let expression: Expression = expression::parse(text).map_err(context)?;
    let declared = settings.all("sortField");
    if let Some(unknown) = expression.fields().into_iter().find(|name| !declared.contains(&&***name)) {
        return Err(wrong(&format!(
            "suggester `{suggester}`: `weightExpression` reads `{unknown}`; name it in a `sortField`"
        )));
    }
    Ok(SuggestWeight::Expression(expression))
}

fn file(suggester: &str, settings: &Settings<'_>) -> Result<SuggestSource> {
    let name = settings.text("sourceLocation");
    let name = name.ok_or_else(|| wrong(&format!("suggester `{suggester}` has no `sourceLocation`")))?;
    let delimiter = settings.raw("fieldDelimiter").filter(|it| !it.is_empty()).unwrap_or("\t").to_owned();
    Ok(SuggestSource::File { name, delimiter, entries: Arc::new([]) })
}

impl LoadedConfig {
    /// Fills in the files of suggesters. One that is not there leaves its suggester without entries, and a
    /// warning.
    pub(super) fn with_listed_entries(&mut self, read: &dyn Fn(&str) -> Option<String>) -> Result<()> {
        let components = &mut self.config.components.suggest;
        for suggester in components.iter_mut().flat_map(|component| &mut component.suggesters) {
            let SuggestSource::File { name, delimiter, entries } = &mut suggester.source else { continue };
            match read(name) {
                Some(text) => *entries = listed(name, &text, delimiter)?,
                None => self.warnings.push(format!(
                    "suggester `{}`: there is no `{name}`; it suggests nothing",
                    suggester.name
                )),
            }
        }
        Ok(())
    }
}

/// An entry a line: a text, its weight if it is not 1, and a payload. The first line says whether there are
/// payloads.
fn listed(file: &str, text: &str, delimiter: &str) -> Result<Arc<[ListedEntry]>> {
    /// Most fields of a line.
    const FIELDS_MAX: usize = 3;
    let fields = |line: &'_ str| -> Vec<String> {
        let line = line.trim_end_matches(delimiter);
        line.split(delimiter).take(FIELDS_MAX + 1).map(str::to_owned).collect()
    };
    let has_payloads = text.lines().next().is_some_and(|line| fields(line).len() == FIELDS_MAX);
    let entry = |(number, line): (usize, &str)| {
        let wrong = |why: &str| wrong(&format!("line {} of `{file}` {why}", number + 1));
        let fields = fields(line);
        if fields.len() > FIELDS_MAX {
            return Err(wrong("has more than 3 fields: text, weight and payload"));
        }
        let mut fields = fields.into_iter();
        let text = fields.next().unwrap_or_default();
        let weight = fields.next().map_or(Some(1), |text| weight(&text));
        let weight = weight.ok_or_else(|| wrong("has a weight that is not a number"))?;
        let payload = has_payloads.then(|| fields.next().unwrap_or_default());
        Ok(ListedEntry { text, weight, payload })
    };
    text.lines().enumerate().map(entry).collect()
}

/// Whole, or without what stands behind its point.
fn weight(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| text.trim().parse().ok().filter(|it: &f64| !it.is_nan()).map(|it| it as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_entries() {
        let check = |text: &str, expected: &str| {
            let shown = match listed("f.txt", text, ";") {
                Ok(entries) => {
                    let shown = |it: &ListedEntry| format!("{}={}/{:?}", it.text, it.weight, it.payload);
                    entries.iter().map(shown).collect::<Vec<_>>().join(" ")
                }
                Err(error) => error.message,
            };
            assert!(shown.contains(expected), "{text}: {shown}");
        };
        check("a;5\nb\nc;1.9e1", "a=5/None b=1/None c=19/None");
        check("a;5;x\nb;6\nc", "a=5/Some(\"x\") b=6/Some(\"\") c=1/Some(\"\")");
        check("a;5\nb;6;y", "a=5/None b=6/None");
        check("a;5;\nb;6;y", "a=5/None b=6/None");
        check("", "");
        check("a;5\nb;c", "line 2 of `f.txt` has a weight that is not a number");
        check("a;1;2;3", "line 1 of `f.txt` has more than 3 fields");
    }

    #[test]
    fn expressions_name_their_fields() {
        let check = |list: &str, expected: &str| {
            let element = crate::xml_tree::parse("test", &format!("<lst>{list}</lst>"), &|_| None).unwrap();
            let message = reckoned("s", &Settings::of(&element)).unwrap_err().message;
            assert!(message.contains(expected), "{message}");
        };
        check("", "has no `weightExpression`");
        check("<str name='weightExpression'>a + b</str><str name='sortField'>a</str>", "reads `b`");
        check(
            "<str name='weightExpression'>a +</str><str name='sortField'>a</str>",
            "cannot read the expression",
        );
    }
}
