//! `relatedness(foreground,background)`: both are queries, as `$name` or `{!… v=…}`. Words are Solr's,
//! recorded from 9.10.1 (`compat/facet/relatedness.yaml`). In: a call as `stat.rs` took it apart; out: a
//! statistic over two sets of documents, which the engine counts for each bucket and `cluster` makes a number
//! of.

use plan::{Query, Result, Stat, StatFunction, StatSource};

use super::TreeReader;
use super::stat::{Arguments, Call, syntax};
use crate::params::double_value;
use crate::query::{QueryContext, parse_query};

impl TreeReader<'_> {
    /// `arguments` stand beside the statistic in the JSON, `min_popularity` among them.
    pub(super) fn relatedness(&self, call: &Call<'_>, arguments: Arguments<'_>) -> Result<Stat> {
        let (foreground, background) = (self.set(call, 0, arguments)?, self.set(call, 1, arguments)?);
        let source = StatSource::Sets { foreground, background };
        let least = arguments.iter().find(|(name, _)| &**name == "min_popularity");
        let least = least.map(|(_, value)| double_value(&value.to_text())).transpose()?;
        let function = StatFunction::Relatedness { popularity_min: least.unwrap_or(0.0) };
        Ok(Stat { function, source })
    }

    fn set(&self, call: &Call<'_>, at: usize, arguments: Arguments<'_>) -> Result<Query> {
        let argument = call.arguments.get(at).copied().unwrap_or_default();
        let text = match argument.strip_prefix('$') {
            Some(name) => {
                self.referred(name, arguments).filter(|text| !text.is_empty()).ok_or_else(|| {
                    syntax(&format!("Missing param {name} while parsing function '{}'", call.text))
                })?
            }
            None if argument.starts_with("{!") => argument.to_owned(),
            None => {
                let forms = "Nested function query must use $param or {!v=value} forms.";
                return Err(syntax(&format!("{forms} got '{}'", call.text)));
            }
        };
        let context = QueryContext { filtering: true, ..*self.context };
        Ok(parse_query(&context, &text, "lucene")?.executable())
    }
}
