//! How a field list is written: `id,twice:product(pages_i,2),[docid],a*`. Each item is tried as a name, then
//! as a glob, a transformer and a function, as Solr tries them; a function ends where its own syntax ends.
//! In: the texts of `fl`; out: items of a `FieldList` (`fields.rs`) with the functions that they compute.
//! Whether a field exists is only asked where a function fails: a name that no document has shows nothing.

use plan::{Error, Result, RootCause};

use super::fields::{FieldItem, FieldList, transformed};
use crate::function::{Failure, Leading, leading_function};
use crate::params::{Params, response};
use crate::query::QueryContext;

/// Each document shows them all, under names of which each is looked for among the others. Solr differs: it
/// has no such bound.
const ITEMS_MAX: usize = 4096;

impl FieldList {
    /// Reads all `fl` parameters as one list.
    pub(crate) fn parse(params: &Params, context: &QueryContext<'_>) -> Result<Self> {
        let mut list = Self::default();
        for text in response::FL.sent_all(params) {
            parse_list(text, params, context, &mut list)?;
        }
        // `fl=` and no `fl` are the same: everything.
        if list.items.is_empty() && list.subqueries.is_empty() {
            list.items.push(FieldItem::All);
        }
        Ok(list)
    }
}

/// Adds the items of `text` to `list`.
fn parse_list(text: &str, params: &Params, context: &QueryContext<'_>, list: &mut FieldList) -> Result<()> {
    let mut reader = FieldListReader { text, at: 0 };
    while reader.skip_separators() {
        if list.items.len() >= ITEMS_MAX {
            return Err(Error::bad_request(format!(
                "`fl` asks for more than {ITEMS_MAX} things; use fewer, or `*`"
            )));
        }
        match reader.wish()? {
            Wish::Item(item) => list.items.push(item),
            Wish::Transformer { label, inside } => {
                let item = transformed(label, inside, params, context, list)?;
                list.items.extend(item);
            }
            Wish::Function { label } => reader.function(label, context, list)?,
        }
    }
    Ok(())
}

enum Wish<'a> {
    Item(FieldItem),
    Transformer { label: Option<&'a str>, inside: &'a str },
    Function { label: Option<&'a str> },
}

struct FieldListReader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> FieldListReader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Past commas and spaces; whether anything is left.
    fn skip_separators(&mut self) -> bool {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace()).len();
        !self.rest().is_empty()
    }

    /// A name that starts here, of letters, digits, `_`, `.`, `$` and whatever `more` allows.
    fn name(&mut self, more: fn(char) -> bool) -> Option<&'a str> {
        let rest = self.rest();
        let starts = |c: char| c.is_alphabetic() || c == '_' || (more(c) && c != '-');
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$') || more(c);
        if !rest.starts_with(starts) {
            return None;
        }
        let name = rest.get(..rest.find(|c| !part(c)).unwrap_or(rest.len()))?;
        self.at += name.len();
        Some(name)
    }

    /// A name that ends the item, or none.
    fn whole_name(&mut self, more: fn(char) -> bool) -> Option<&'a str> {
        let start = self.at;
        let name = self.name(more);
        if name.is_some() && self.ends() {
            return name;
        }
        self.at = start;
        None
    }

    fn ends(&self) -> bool {
        self.rest().chars().next().is_none_or(|c| c == ',' || c.is_whitespace())
    }

    fn label(&mut self) -> Option<&'a str> {
        let start = self.at;
        let name = self.name(|c| c == '-');
        if name.is_some() && self.rest().starts_with(':') {
            self.at += 1;
            self.skip_separators();
            return name;
        }
        self.at = start;
        None
    }

    fn wish(&mut self) -> Result<Wish<'a>> {
        let label = self.label();
        // Behind a label a hyphen ends the name, as in Solr.
        let in_names: fn(char) -> bool = if label.is_some() { |_| false } else { |c| c == '-' };
        if let Some(name) = self.whole_name(in_names) {
            return Ok(Wish::Item(field(name, label)));
        }
        if let Some(glob) = self.whole_name(|c| matches!(c, '*' | '?')) {
            let all = glob == "*";
            return Ok(Wish::Item(if all { FieldItem::All } else { FieldItem::Glob(glob.to_owned()) }));
        }
        if self.rest().starts_with('[') {
            return Ok(Wish::Transformer { label, inside: self.transformer()? });
        }
        Ok(Wish::Function { label })
    }

    /// What stands in `[…]`.
    fn transformer(&mut self) -> Result<&'a str> {
        let rest = self.rest();
        let end = end_of_transformer(rest).ok_or_else(|| {
            Error::bad_request(format!("`fl` holds `{rest}`, which does not end; close it with `]`"))
        })?;
        self.at += end + 1;
        Ok(rest.get(1..end).unwrap_or_default())
    }

    fn function(
        &mut self,
        label: Option<&str>,
        context: &QueryContext<'_>,
        list: &mut FieldList,
    ) -> Result<()> {
        let rest = self.rest();
        match leading_function(context, rest) {
            Ok(Leading { function, end, key }) => {
                // At least one character on, whatever the function's parser left, or the list would never
                // end.
                self.at += end.max(1);
                let shown = rest.get(..end).unwrap_or(rest);
                let label = label.or(key.as_deref()).unwrap_or(shown).into();
                list.items.push(FieldItem::Function { label, at: list.functions.len() });
                list.functions.push(function);
                Ok(())
            }
            Err(Failure::Meaning(error)) => Err(error),
            Err(Failure::Syntax(error)) => {
                // What is no function may still be a field with an odd name, which Solr tries last.
                let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
                if context.find(word).is_none() {
                    let message = format!("Error parsing fieldname: {}", error.message());
                    return Err(Error::bad_request(message).with_root(RootCause::QuerySyntax));
                }
                self.at += word.len();
                list.items.push(field(word, label));
                Ok(())
            }
        }
    }
}

/// The first `]` that stands in no quotes.
fn end_of_transformer(text: &str) -> Option<usize> {
    let (mut quote, mut escaped) = (None, false);
    text.char_indices()
        .find(|(_, c)| {
            match (quote, c) {
                (Some(_), _) if escaped => escaped = false,
                (Some(_), '\\') => escaped = true,
                (Some(open), c) if open == *c => quote = None,
                (None, '\'' | '"') => quote = Some(*c),
                (None, ']') => return true,
                _ => {}
            }
            false
        })
        .map(|(at, _)| at)
}

fn field(name: &str, label: Option<&str>) -> FieldItem {
    let label = label.unwrap_or(name).into();
    match name {
        "score" => FieldItem::Score { label },
        _ => FieldItem::Field { name: name.into(), label },
    }
}
