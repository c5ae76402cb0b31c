//! Statistics as text: `avg(price)`, `percentile(price,50,99)`. The names, what each may be taken of, and
//! Solr's words where it may not. In: the text of one key of a facet's JSON, with what stands beside it; out:
//! `plan::Stat`. What does not fit the schema is noted and reported behind the search (`trouble.rs`). How it
//! is summed up is the engine's, how parts merge `plan`'s.

use std::sync::Arc;

use plan::{Error, FieldClass, NamedStat, Result, RootCause, Stat, StatFunction, StatSource};

use super::{TreeKey, TreeReader};
use crate::facet::target::lacks_column;
use crate::function::{check_class, check_column, whole_function};
use crate::query::{Field, LocalParams, split_local_params};
use crate::update::RawValue;

/// What stands beside a statistic in its JSON.
pub(super) type Arguments<'a> = &'a [(Arc<str>, RawValue)];

impl TreeReader<'_> {
    /// The statistic under `key`. `arguments` stand beside it in the JSON and may be referred to by `$name`.
    pub(super) fn stat(&mut self, key: &str, text: &str, arguments: Arguments<'_>) -> Result<TreeKey> {
        let call = Call::parse(text)?;
        if call.name == "relatedness" {
            call.check_end()?;
            let stat = self.relatedness(&call, arguments)?;
            return Ok(TreeKey::Stat(NamedStat { key: key.to_owned(), stat }));
        }
        if call.name == "uniqueBlock" {
            let source = self.blocks(&call)?;
            let stat = source.map(|source| Stat { function: StatFunction::CountValues, source });
            // What is wrong with it shows at the search.
            let stat =
                stat.unwrap_or(Stat { function: StatFunction::CountValues, source: StatSource::Documents });
            return Ok(TreeKey::Stat(NamedStat { key: key.to_owned(), stat }));
        }
        let stat = self.stat_of(&call, arguments)?;
        if let Some((StatSource::Field(name), label)) = stat.as_ref().map(|stat| (&stat.source, call.name)) {
            let fits = self.check_stat(label, name);
            self.later(fits);
        }
        let stat =
            stat.unwrap_or(Stat { function: StatFunction::CountValues, source: StatSource::Documents });
        Ok(TreeKey::Stat(NamedStat { key: key.to_owned(), stat }))
    }

    /// What `uniqueBlock` counts: the values of a field, which for a block's root are the blocks, or the
    /// parents that a query finds.
    fn blocks(&mut self, call: &Call<'_>) -> Result<Option<StatSource>> {
        let argument = call.arguments.join(",");
        if argument.starts_with("{!") {
            let (local, _) = split_local_params(&argument, self.context.params)?;
            let text = local.get("v").unwrap_or_default();
            return Ok(self.parents("uniqueBlock", text).map(StatSource::Parents));
        }
        let field = self.context.field_quoted(&argument).and_then(|field| match field.spec.class() {
            // Solr differs: a number is its own failure there, an error 500 (`compat/facet/domains.yaml`).
            class if class.has_number_column() => {
                Err(Error::bad_request(format!("uniqueBlock({argument}) not yet support numbers {argument}")))
            }
            _ => Ok(field.name),
        });
        Ok(self.later(field).map(StatSource::Runs))
    }

    /// `None` is the count of documents.
    fn stat_of(&self, call: &Call<'_>, arguments: Arguments<'_>) -> Result<Option<Stat>> {
        let function = match call.name {
            "count" => return Ok(None),
            "sum" => StatFunction::Sum,
            "avg" => StatFunction::Average,
            "min" => StatFunction::Min,
            "max" => StatFunction::Max,
            "sumsq" => StatFunction::SumOfSquares,
            "variance" => StatFunction::Variance,
            "stddev" => StatFunction::StdDev,
            // Solr differs: `hll` is an estimate there, near the exact number
            // (`compat/facet/json_stats.yaml`).
            "unique" | "hll" => StatFunction::Distinct,
            "countvals" => StatFunction::CountValues,
            "missing" => StatFunction::Missing,
            "percentile" => StatFunction::Percentiles(call.shares()?),
            name => {
                let (text, at) = (call.text, call.opened);
                return Err(syntax(&format!("Unknown aggregation '{name}' in input ('{text}', pos={at})")));
            }
        };
        call.check_end()?;
        let source = self.source(call, arguments)?;
        Ok(Some(Stat { function, source }))
    }

    /// The first argument: the name of a field, `$name` for a parameter that holds one, or a function.
    fn source(&self, call: &Call<'_>, arguments: Arguments<'_>) -> Result<StatSource> {
        let Some(argument) = call.arguments.first().filter(|argument| !argument.is_empty()) else {
            let (text, at) = (call.text, call.opened);
            return Err(syntax(&format!("Expected identifier at pos {at} str='{text}'")));
        };
        // Solr differs: a parameter that names a field is an error 500 there
        // (`compat/facet/json_stats.yaml`).
        let referred =
            argument.strip_prefix('$').map(|name| self.referred(name, arguments).unwrap_or_default());
        // A parameter beside the statistic goes before one of the request.
        let text = referred.unwrap_or_else(|| (*argument).to_owned());
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '$');
        if text.chars().all(plain) && !text.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
        {
            return Ok(StatSource::Field(text.into()));
        }
        if !of_functions(call.name) {
            let at = call.opened + argument.find('(').map_or(argument.len(), |open| open + 1);
            return Err(syntax(&format!("Expected ')' at position {at} in '{}'", call.text)));
        }
        // Solr differs: its messages count positions in the whole statistic (`compat/facet/json_stats.yaml`).
        let function = whole_function(self.context, &LocalParams::default(), &text, 0)?;
        if !function.is_number() {
            return Err(Error::bad_request(format!(
                "`{text}` in `{}` is no number; use a function that is",
                call.text
            )));
        }
        // As Solr's accumulators, each of which asks in its own way whether there is a value.
        let present_only = !matches!(call.name, "sum" | "avg" | "sumsq" | "min" | "max");
        Ok(StatSource::Function { function, present_only })
    }

    /// What a parameter holds: one beside the statistic, else one of the request.
    pub(super) fn referred(&self, name: &str, arguments: Arguments<'_>) -> Option<String> {
        let own = arguments.iter().find(|(key, _)| **key == *name).map(|(_, value)| value.to_text());
        own.or_else(|| self.context.params.by_name(name).map(str::to_owned))
    }

    fn check_stat(&self, name: &str, field: &str) -> Result<()> {
        let field = self.context.field_quoted(field)?;
        if field.spec.class() == FieldClass::DateRange && of_functions(name) {
            return check_class(&field);
        }
        if numeric_only(name) && !field.spec.class().has_number_column() {
            let kind = &field.spec.field_type.name;
            return Err(Error::bad_request(format!("{name} aggregation not supported for {kind}")));
        }
        check_numbers(name, &field)
    }
}

/// Refuses numbers and dates without docValues, which there is nothing to take a statistic of.
fn check_numbers(name: &str, field: &Field) -> Result<()> {
    if !lacks_column(field) {
        return Ok(());
    }
    // Solr differs: where it counts values it fails, an error 500, but `missing` of several values it answers
    // (`compat/facet/without_columns.yaml`).
    if !field.spec.properties.multi_valued {
        return check_column(field);
    }
    Err(Error::bad_request(match name {
        "min" | "max" => "min/max aggregations can't be used on PointField w/o DocValues".to_owned(),
        "countvals" => format!("'{name}' aggregation not supported for PointField without docValues"),
        _ => format!("{name} aggregation not supported for PointField w/o docValues"),
    }))
}

/// Whether the statistic may be taken of a function.
fn of_functions(name: &str) -> bool {
    numeric_only(name) || matches!(name, "min" | "max" | "missing" | "countvals")
}

/// Whether the statistic needs numbers.
fn numeric_only(name: &str) -> bool {
    matches!(name, "sum" | "avg" | "sumsq" | "variance" | "stddev" | "percentile")
}

/// `name(argument,…)`, taken apart.
pub(super) struct Call<'a> {
    pub(super) text: &'a str,
    name: &'a str,
    /// Where the arguments begin.
    opened: usize,
    pub(super) arguments: Vec<&'a str>,
    /// Behind each comma between arguments.
    behind_commas: Vec<usize>,
}

impl<'a> Call<'a> {
    fn parse(text: &'a str) -> Result<Self> {
        let starts = |c: char| c.is_alphabetic() || c == '_' || c == '$';
        let blank = text.len() - text.trim_start().len();
        let rest = text.get(blank..).unwrap_or_default();
        let in_name = |c: char| starts(c) || c.is_numeric() || matches!(c, '.' | '-');
        let end = rest.find(|c: char| !in_name(c)).unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        if !name.starts_with(starts) {
            return Err(syntax(&format!("Expected identifier at pos {blank} str='{text}'")));
        }
        let Some(inside) = rest.get(end..).unwrap_or_default().strip_prefix('(') else {
            return Ok(Self { text, name, opened: blank + end, arguments: vec![], behind_commas: vec![] });
        };
        let opened = blank + end + 1;
        let Some(close) = closing(inside) else {
            let at = text.len();
            return Err(syntax(&format!("Expected ')' at position {at} in '{text}'")));
        };
        let behind = inside.get(close + 1..).unwrap_or_default();
        if !behind.trim().is_empty() {
            let at = opened + close + 1 + (behind.len() - behind.trim_start().len());
            return Err(syntax(&format!("Expected ',' at position {at} in '{text}'")));
        }
        let inside = inside.get(..close).unwrap_or_default();
        // `agg(sum(x))` is the same statistic, a wrapper that Solr's parser allows.
        if name == "agg" {
            return Self::parse(inside);
        }
        let commas = commas(inside);
        let arguments = arguments(inside, &commas);
        let behind_commas = commas.into_iter().map(|comma| opened + comma + 1).collect();
        Ok(Self { text, name, opened, arguments, behind_commas })
    }

    /// Refuses arguments that the statistic does not take.
    fn check_end(&self) -> Result<()> {
        let most = match self.name {
            "percentile" => return Ok(()),
            "relatedness" => 2,
            _ => 1,
        };
        match self.behind_commas.get(most - 1) {
            None => Ok(()),
            Some(at) => Err(syntax(&format!("Expected ')' at position {at} in '{}'", self.text))),
        }
    }

    /// The shares of a percentile.
    fn shares(&self) -> Result<Vec<f64>> {
        let shares: Vec<&str> = self.arguments.iter().skip(1).copied().collect();
        if shares.is_empty() {
            let message =
                "expected percentile(valsource,percent1[,percent2]*)  EXAMPLE:percentile(myfield,50)";
            return Err(syntax(message));
        }
        let share = |text: &str| match text.parse::<f64>() {
            Ok(share) if (0.0..=100.0).contains(&share) => Ok(share),
            Ok(share) => {
                let share = plan::Value::Double(share).to_text();
                Err(syntax(&format!("requested percentile must be between 0 and 100.  got {share}")))
            }
            Err(_) => Err(syntax(&format!("Expected number in '{}', found `{text}`", self.text))),
        };
        shares.into_iter().map(share).collect()
    }
}

/// Where the parenthesis opened before `text` closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The commas outside of parentheses.
fn commas(text: &str) -> Vec<usize> {
    let mut depth = 0usize;
    let outside = text.char_indices().filter(|(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *c == ',' && depth == 0
    });
    outside.map(|(at, _)| at).collect()
}

fn arguments<'a>(text: &'a str, commas: &[usize]) -> Vec<&'a str> {
    let starts = std::iter::once(0).chain(commas.iter().map(|comma| comma + 1));
    let ends = commas.iter().copied().chain([text.len()]);
    starts.zip(ends).map(|(start, end)| text.get(start..end).unwrap_or_default().trim()).collect()
}

pub(super) fn syntax(message: &str) -> Error {
    Error::bad_request(format!("org.apache.solr.search.SyntaxError: {message}"))
        .with_root(RootCause::QuerySyntax)
}
