//! Trees of facets with statistics from JSON to a plan (Solr's JSON Facet API): what kinds there are, what
//! each is made of, what goes below. `options.rs` reads single options, `terms.rs` and `ranges.rs` the two
//! large kinds, `stat.rs` statistics.

mod domain;
mod moves;
mod options;
mod path;
mod ranges;
mod related;
mod stat;
mod terms;

#[cfg(test)]
mod tests;

use plan::{BucketPlan, Error, NamedStat, Result, SubFacet, SubFacetKind};

use super::heatmap::HeatmapRequest;
use super::trouble::Trouble;
use crate::json_request::type_name;
use crate::params::facet as param;
use crate::query::{QueryContext, parse_query};
use crate::update::RawValue;
use options::Options;
use path::TreePath;

/// Deepest nesting of facets; the engine recurses as deep.
const DEPTH_MAX: usize = 32;

/// What reads a tree.
pub(super) struct TreeReader<'a> {
    pub(super) context: &'a QueryContext<'a>,
    /// The first misfit with the schema; reading goes on, as what is wrong with the form comes first.
    misfit: Option<Error>,
}

/// The tree that the request's JSON asks for.
pub(super) fn resolve(context: &QueryContext<'_>, tree: &RawValue) -> Result<BucketPlan, Trouble> {
    let RawValue::Map(_) = tree else {
        let message = format!("Expected Map for 'facet', received {}={}", type_name(tree), tree.to_text());
        return Err(Error::bad_request(message).into());
    };
    let mut reader = TreeReader { context, misfit: None };
    let plan = reader.bucket(Some(tree), &TreePath { key: "facet", above: "" }, 0)?;
    match reader.misfit {
        Some(error) => Err(Trouble::Schema(error)),
        None => Ok(plan),
    }
}

impl TreeReader<'_> {
    /// Keeps what only shows at the search itself.
    fn later<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.misfit.get_or_insert(error)).ok()
    }

    /// The sub-facets and statistics under `facet`.
    fn bucket(&mut self, value: Option<&RawValue>, place: &TreePath<'_>, depth: usize) -> Result<BucketPlan> {
        let mut plan = BucketPlan::default();
        let entries = match value {
            None | Some(RawValue::Null) => return Ok(plan),
            Some(RawValue::Map(entries)) => entries,
            Some(_) => return Err(place.error("Expected map for facet/stat")),
        };
        if depth > DEPTH_MAX {
            return Err(place.error(&format!("facets nest deeper than {DEPTH_MAX}; flatten them")));
        }
        for (key, value) in entries {
            if &**key == "processEmpty" {
                plan.process_empty = Options { entries, place }.flag("processEmpty")?.unwrap_or(false);
                continue;
            }
            match self.entry(key, value, place, depth)? {
                TreeKey::Facet(facet) => plan.facets.push(facet),
                TreeKey::Stat(stat) => plan.stats.push(stat),
            }
        }
        Ok(plan)
    }

    /// A type and its arguments: in one pair `{terms:{…}}`, or side by side `{type:terms,…}`; or a statistic
    /// as text.
    fn entry(&mut self, key: &str, value: &RawValue, above: &TreePath<'_>, depth: usize) -> Result<TreeKey> {
        let entries = match value {
            RawValue::Str(text) => return self.stat(key, text, &[]),
            RawValue::Map(entries) => entries,
            other => return Err(above.error(&format!("expected Map but got {}", other.to_text()))),
        };
        let (kind, arguments) = match entries.as_slice() {
            [(kind, arguments)] => (&**kind, arguments),
            _ => match entries.iter().find(|(name, _)| &**name == "type") {
                Some((_, RawValue::Str(kind))) => (kind.as_str(), value),
                other => {
                    let found = other.map_or("null".to_owned(), |(_, value)| value.to_text());
                    return Err(above.error(&format!(
                        "expected facet/stat type name, like {{type:range, field:price, ...}} but got {found}"
                    )));
                }
            },
        };
        let place = TreePath { key, above: above.key };
        let facet = match kind {
            "terms" | "field" => self.terms(key, arguments, &place, depth)?,
            "query" => self.query(key, arguments, &place, depth)?,
            "range" => self.ranges(key, arguments, &place, depth)?,
            "func" => return self.function(key, arguments),
            "heatmap" => self.heatmap(key, arguments, &place)?,
            _ => {
                let args = arguments.to_text();
                return Err(above.error(&format!("Unknown facet or stat. key={key} type={kind} args={args}")));
            }
        };
        Ok(TreeKey::Facet(facet))
    }

    /// Counts over a map. What is asked for below it means nothing, as in Solr.
    fn heatmap(&mut self, key: &str, arguments: &RawValue, place: &TreePath<'_>) -> Result<SubFacet> {
        let RawValue::Map(entries) = arguments else {
            return Err(place.error("Missing heatmap arguments"));
        };
        let domain = self.domain(arguments, place)?;
        let options = Options { entries, place };
        // Told without the type of what is there, as Solr does only here.
        let whole = |name| options.integer(name).map_err(|_| options.unfit("integer", name));
        let real = |name| options.real(name).map_err(|_| options.unfit("double", name));
        let asked = HeatmapRequest {
            geometry: options.text("geom")?.map(str::to_owned),
            level: whole("gridLevel")?,
            error: real("distErr")?,
            error_part: real("distErrPct")?.map_or_else(|| param::HEATMAP_ERROR_PART.parse(None), Ok)?,
            cells_max: whole("maxCells")?
                .map_or_else(|| param::HEATMAP_CELLS_MAX.parse(None).map(i64::from), Ok)?,
            form: options.text("format")?.unwrap_or(param::HEATMAP_FORM.default).to_owned(),
        };
        let error = |message: &str| place.error(message);
        let name = options.text("field")?.unwrap_or_default();
        let kind = SubFacetKind::Heatmap(asked.resolve(self.context, name, &error)?);
        Ok(SubFacet { key: key.to_owned(), domain, kind, below: BucketPlan::default() })
    }

    fn function(&mut self, key: &str, arguments: &RawValue) -> Result<TreeKey> {
        match arguments {
            RawValue::Map(entries) => {
                let function = entries.iter().find(|(name, _)| &**name == "func");
                let text = function.map(|(_, value)| value.to_text()).unwrap_or_default();
                self.stat(key, &text, entries)
            }
            RawValue::Str(text) => self.stat(key, text, &[]),
            _ => Err(Error::bad_request("Stats must be specified as either a simple string, or a json Map")),
        }
    }

    fn query(
        &mut self,
        key: &str,
        arguments: &RawValue,
        place: &TreePath<'_>,
        depth: usize,
    ) -> Result<SubFacet> {
        let domain = self.domain(arguments, place)?;
        let (text, below) = match arguments {
            RawValue::Str(text) => (Some(text.as_str()), BucketPlan::default()),
            RawValue::Map(entries) => {
                let options = Options { entries, place };
                let text = options.text("q")?;
                let text = if text.is_none() { options.text("query")? } else { text };
                (text, self.bucket(options.get("facet"), place, depth + 1)?)
            }
            RawValue::Null => (None, BucketPlan::default()),
            other => {
                let found = format!("{}={}", type_name(other), other.to_text());
                return Err(place.error(&format!("Expected string/map for facet query, received {found}")));
            }
        };
        let context = QueryContext { filtering: true, ..*self.context };
        let query = text.map(|text| parse_query(&context, text, "lucene")).transpose()?;
        let kind = SubFacetKind::Query(query.map(|query| query.executable()));
        Ok(SubFacet { key: key.to_owned(), domain, kind, below })
    }
}

/// What a key of the tree stands for.
enum TreeKey {
    Facet(SubFacet),
    Stat(NamedStat),
}
