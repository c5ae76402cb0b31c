//! Field facets: one field's values with their counts. Which options a type allows, and the messages, are
//! Solr's. In: a `facet.field` with its local parameters and those for that field; out: a `plan::FieldFacet`
//! and, where Solr has one, a warning for the header. Counting, cutting and ordering are below.

use plan::{Error, FacetSort, FieldClass, FieldFacet, Query, Result, ShardListing};

use super::target::{Target, lacks_column};
use crate::java_expression::java_expression;
use crate::params::facet as params;
use crate::params::{Fallback, Param, Params};
use crate::query::{Field, LocalParams, QueryContext};

/// Reads options for one facet.
struct Options<'a> {
    params: &'a Params,
    local: &'a LocalParams,
    field: &'a str,
}

impl Options<'_> {
    fn read<T, D: Fallback>(&self, param: &Param<T, D>) -> Result<D::Read<T>> {
        param.read_for(self.params, self.local, self.field)
    }
}

/// The facet, and what to warn of.
pub(super) fn resolve(context: &QueryContext<'_>, text: &str) -> Result<(FieldFacet, Option<String>)> {
    let target = Target::parse(context, text)?;
    let field = context.field_quoted(&target.field)?;
    let options = Options { params: context.params, local: &target.local, field: &target.field };
    let limit = options.read(&params::LIMIT)?;
    let offset = options.read(&params::OFFSET)?;
    let contains = options.read(&params::CONTAINS)?;
    let (count_min, warning) = count_min(&options, &field)?;
    let ignore_case = options.read(&params::CONTAINS_IGNORE_CASE)?;
    let method = options.read(&params::METHOD)?;
    let exists = options.read(&params::EXISTS)?;
    let terms = target.local.get("terms").map(|list| named(context, &field, list)).transpose()?;
    let facet = FieldFacet {
        sort: sort(options.read(&params::SORT)?.as_deref(), limit),
        limit: usize::try_from(limit).ok(),
        offset: usize::try_from(offset).map_err(|_| negative_offset(offset))?,
        count_min,
        // Named values are asked for one by one; none of them is the absence of a value.
        missing: options.read(&params::MISSING)? && terms.is_none(),
        prefix: options
            .read(&params::PREFIX)?
            .filter(|prefix| !prefix.is_empty())
            .map(|prefix| as_indexed(&field, prefix)),
        contains: contains.filter(|part| !part.is_empty()).map(|part| (part, ignore_case)),
        matches: options.read(&params::MATCHES)?.map(|pattern| java_expression(&pattern)),
        exclude_terms: options.read(&params::EXCLUDE_TERMS)?.map(|list| split(&list)).unwrap_or_default(),
        by_terms: exists || method.as_deref() == Some("enum"),
        terms,
        exists,
        exclude_tags: target.local.list("ex"),
        listing: ShardListing::All,
        field: field.name.clone(),
        key: target.key,
    };
    check(&facet, &field, method.as_deref())?;
    // Named values are shown with zero hits as well, whatever the least count is.
    let warning = warning.filter(|_| facet.terms.is_none());
    Ok((facet, warning))
}

/// A truth is one letter in the index.
fn as_indexed(field: &Field, prefix: String) -> String {
    match field.spec.class() {
        FieldClass::Bool => if prefix.starts_with(['1', 't', 'T']) { "T" } else { "F" }.to_owned(),
        _ => prefix,
    }
}

/// The values of `{!terms=…}` with what finds each.
fn named(context: &QueryContext<'_>, field: &Field, list: &str) -> Result<Vec<(String, Query)>> {
    let one = |text: String| Ok((text.clone(), context.value_query(field, &text)?));
    split(list).into_iter().map(one).collect()
}

/// Solr differs: the failure is its own there, an error 500 (`compat/facet/fields_of_all_types.yaml`).
fn negative_offset(offset: i32) -> Error {
    Error::bad_request(format!("`facet.offset` is {offset}; use 0 or more"))
}

/// By count when there is a limit; any other word than `count` and its old name is by value, as in Solr.
fn sort(wanted: Option<&str>, limit: i32) -> FacetSort {
    match wanted {
        // `facet.sort` was a flag before Solr 1.4, and old requests live long.
        Some("count" | "true") => FacetSort::Count,
        Some(_) => FacetSort::Index,
        None if limit > 0 => FacetSort::Count,
        None => FacetSort::Index,
    }
}

/// Numbers and dates have no list of values without hits, so for them it is at least 1, as in Solr, which
/// warns of it.
fn count_min(options: &Options<'_>, field: &Field) -> Result<(u64, Option<String>)> {
    let sent = match options.read(&params::MIN_COUNT)? {
        Some(count) => count,
        None => i32::from(!options.read(&params::ZEROS)?),
    };
    if field.spec.class().is_point() && sent < 1 {
        let name = &field.name;
        let warning =
            format!("Raising facet.mincount from {sent} to 1, because field {name} is Points-based.");
        return Ok((1, Some(warning)));
    }
    Ok((u64::try_from(sent).unwrap_or(0), None))
}

/// A list at commas, where a backslash keeps one.
fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = list.chars();
    while let Some(c) = chars.next() {
        let plain = if c == '\\' { chars.next() } else { Some(c) };
        match (c, parts.last_mut()) {
            (',', _) => parts.push(String::new()),
            (_, Some(part)) => part.extend(plain),
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn check(facet: &FieldFacet, field: &Field, method: Option<&str>) -> Result<()> {
    let name = &facet.field;
    let number = field.spec.class().has_number_column();
    // Named values are asked for one by one, of the index.
    if lacks_column(field) && facet.terms.is_none() {
        return Err(Error::bad_request("Can't facet on a PointField without docValues"));
    }
    if facet.exists && (number || matches!(method, Some("fc" | "fcs" | "uif"))) {
        return Err(Error::bad_request(format!(
            "facet.exists=true is requested, but facet.method=enum can't be used with {name}"
        )));
    }
    if facet.exists && facet.count_min > 1 {
        let count = facet.count_min;
        return Err(Error::bad_request(format!(
            "facet.mincount={count} exceed 1 that's not supported with facet.exists=true for {name}"
        )));
    }
    if number && facet.prefix.is_some() {
        return Err(Error::bad_request("facet.prefix is not supported on numeric types"));
    }
    if number && (facet.contains.is_some() || facet.matches.is_some() || !facet.exclude_terms.is_empty()) {
        return Err(Error::bad_request(
            "BytesRef term filters (facet.matches, facet.contains, facet.excludeTerms) are not supported on numeric types",
        ));
    }
    Ok(())
}
