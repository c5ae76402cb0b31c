//! `icuTransform`: ICU's transforms between scripts, of which those are here that are tables of characters
//! (`data/transforms.txt`): traditional and simplified Chinese, and full width to half width.
//! Solr differs: it has all of ICU's, and rules of one's own.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::args::Args;
use crate::definition::FilterDefinition;
use crate::error::Error;
use crate::filter::shape::{Rewrite, Rewriting};
use crate::stage::Filter;
use crate::token::Token;

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[&ICU_TRANSFORM];

static ICU_TRANSFORM: FilterDefinition = FilterDefinition::new(
    "icuTransform",
    "icu.ICUTransformFilterFactory",
    &["id", "direction"],
    "Transforms between scripts: Traditional-Simplified, Simplified-Traditional, Fullwidth-Halfwidth.",
    build,
)
.normalizing();

/// The transform that also maps a blank, which the file cannot show.
const FULL_TO_HALF_WIDTH: &str = "Fullwidth-Halfwidth";

/// What takes a character's place.
type Table = FxHashMap<char, &'static str>;

static TABLES: LazyLock<FxHashMap<&'static str, Arc<Table>>> = LazyLock::new(|| {
    // Entries are parted by blanks, so the one that maps the ideographic space to a blank is added in code.
    let sections = include_str!("../../data/transforms.txt").split("\n= ").skip(1);
    let table = |section: &'static str| {
        let (name, entries) = section.split_once('\n')?;
        let entries = entries.split_whitespace().filter_map(|entry| {
            let from = entry.chars().next()?;
            Some((from, entry.get(from.len_utf8()..)?))
        });
        let blank = Some(('\u{3000}', " ")).filter(|_| name == FULL_TO_HALF_WIDTH);
        Some((name, Arc::new(entries.chain(blank).collect())))
    };
    sections.filter_map(table).collect()
});

/// Transforms whose other direction has a name.
const REVERSES: &[(&str, &str)] = &[
    ("Traditional-Simplified", "Simplified-Traditional"),
    ("Simplified-Traditional", "Traditional-Simplified"),
];

fn build(args: &Args<'_>) -> Result<Box<dyn Filter>, Error> {
    let id = args.required("id")?;
    let name = match args.choice("direction", "forward", &["forward", "reverse"])? {
        "reverse" => REVERSES.iter().find(|(forward, _)| *forward == id).map(|(_, reverse)| *reverse),
        _ => Some(id),
    };
    let table = name.and_then(|name| TABLES.get(name)).cloned().ok_or_else(|| {
        let mut names: Vec<&str> = TABLES.keys().copied().collect();
        names.sort_unstable();
        Error::unsupported(format!(
            "the transform `{id}` of `{}` is not supported; use one of {}",
            args.component(),
            names.join(", ")
        ))
    })?;
    Ok(Box::new(Rewriting(Transform { table })))
}

#[derive(Clone)]
struct Transform {
    table: Arc<Table>,
}

impl Rewrite for Transform {
    fn rewrite(&mut self, token: &mut Token) {
        if token.text.is_ascii() {
            return;
        }
        let mut out = String::with_capacity(token.text.len());
        for c in token.text.chars() {
            match self.table.get(&c) {
                Some(to) => out.push_str(to),
                None => out.push(c),
            }
        }
        token.text = out;
    }
}
