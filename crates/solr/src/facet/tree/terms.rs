//! Facets over the values of a field: options, their order, what a type of field allows. Hints on how to
//! compute are checked for their form and change nothing. In: a facet's object of JSON; out:
//! `plan::TermsFacet` with what goes below each bucket. What does not fit the field's type is noted and
//! reported behind the search.

use plan::{BucketPlan, Error, Prelim, Result, ShardListing, SubFacet, SubFacetKind, TermsFacet, TermsSort};

use super::options::Options;
use super::{TreePath, TreeReader};
use crate::facet::target::lacks_column;
use crate::function::check_column;
use crate::json_request::type_name;
use crate::update::RawValue;

/// Values shown unless told otherwise.
const LIMIT: i64 = 10;
const METHODS: [&str; 7] = ["dv", "uif", "dvhash", "enum", "stream", "smart", ""];

impl TreeReader<'_> {
    pub(super) fn terms(
        &mut self,
        key: &str,
        arguments: &RawValue,
        place: &TreePath<'_>,
        depth: usize,
    ) -> Result<SubFacet> {
        let domain = self.domain(arguments, place)?;
        let (facet, below) = match arguments {
            RawValue::Str(field) => (plain(field), BucketPlan::default()),
            RawValue::Map(entries) => self.terms_of(&Options { entries, place }, depth)?,
            other => {
                let found = format!("{}={}", type_name(other), other.to_text());
                return Err(place.error(&format!("Expected string/map for facet field, received {found}")));
            }
        };
        let fits = self.check_terms(&facet);
        self.later(fits);
        Ok(SubFacet { key: key.to_owned(), domain, kind: SubFacetKind::Terms(facet), below })
    }

    fn terms_of(&mut self, options: &Options<'_>, depth: usize) -> Result<(TermsFacet, BucketPlan)> {
        let mut facet = plain(field(options)?);
        let offset = options.integer("offset")?.unwrap_or(0);
        let limit = options.integer("limit")?.unwrap_or(LIMIT);
        check_hints(options)?;
        facet.limit = usize::try_from(limit).ok();
        // Solr differs: fewer than none are its own failure, an error 500 (`compat/facet/json_more.yaml`).
        // No buckets are wanted, so there is nothing to skip.
        facet.offset = if limit == 0 { 0 } else { usize::try_from(offset).unwrap_or(0) };
        facet.count_min = u64::try_from(options.integer("mincount")?.unwrap_or(1)).unwrap_or(0);
        facet.missing = options.flag("missing")?.unwrap_or(false);
        facet.num_buckets = options.flag("numBuckets")?.unwrap_or(false);
        facet.prefix = options.text("prefix")?.map(str::to_owned);
        facet.all_buckets = options.flag("allBuckets")?.unwrap_or(false);
        let below = self.bucket(options.get("facet"), options.place, depth + 1)?;
        if let Some(value) = options.get("sort") {
            (facet.sort, facet.descending) = sort(("sort", value), &facet, &below)?;
        }
        // Solr differs: the same order turned round is a null pointer, an error 500
        // (`compat/facet/json_more.yaml`).
        if let Some(value) = options.get("prelim_sort") {
            let (by, descending) = sort(("prelim_sort", value), &facet, &below)?;
            let extra = usize::try_from(options.integer("overrequest")?.unwrap_or(0)).unwrap_or(0);
            facet.prelim = Some(Prelim { sort: by, descending, extra });
        }
        Ok((facet, below))
    }

    /// What the field's type does not allow.
    fn check_terms(&self, facet: &TermsFacet) -> Result<()> {
        let field = self.context.field_quoted(&facet.field)?;
        if !field.spec.class().has_number_column() {
            return Ok(());
        }
        if facet.prefix.is_some() {
            return Err(Error::bad_request("Doesn't make sense to set facet prefix on a numeric field"));
        }
        if facet.count_min == 0 {
            let message = "Numeric fields do not support facet mincount=0; try indexing as terms";
            return Err(Error::bad_request(message));
        }
        // Solr differs: of several values it answers with no buckets (`compat/facet/without_columns.yaml`).
        let uninverted = check_column(&field).is_ok() && !field.spec.properties.multi_valued;
        if lacks_column(&field) && !uninverted {
            return Err(Error::bad_request(
                "class org.apache.solr.search.facet.FacetFieldProcessorByHashDV only support single valued \
                 number/string with docValues",
            ));
        }
        Ok(())
    }
}

fn plain(field: &str) -> TermsFacet {
    TermsFacet {
        field: field.into(),
        sort: TermsSort::Count,
        descending: true,
        prelim: None,
        limit: usize::try_from(LIMIT).ok(),
        offset: 0,
        count_min: 1,
        prefix: None,
        missing: false,
        num_buckets: false,
        all_buckets: false,
        listing: ShardListing::All,
    }
}

fn field<'a>(options: &Options<'a>) -> Result<&'a str> {
    match options.get("field").or_else(|| options.get("f")) {
        Some(RawValue::Str(field)) => Ok(field),
        Some(other) => {
            Err(options.place.error(&format!("Expected string for 'field', got{}", other.to_text())))
        }
        None => Err(options.place.error("Missing 'field'")),
    }
}

fn check_hints(options: &Options<'_>) -> Result<()> {
    for name in ["overrequest", "overrefine", "cacheDf"] {
        options.integer(name)?;
    }
    options.flag("perSeg")?;
    let method = options.text("method")?.unwrap_or_default();
    if !METHODS.contains(&method) {
        return Err(Error::bad_request(format!("Unknown FacetField method {method}")));
    }
    match options.get("refine") {
        None | Some(RawValue::Bool(_)) => {}
        Some(RawValue::Str(refine)) if matches!(&**refine, "none" | "simple") => {}
        Some(other) => {
            let message = format!("Unknown RefineMethod method {}", other.to_text());
            return Err(Error::bad_request(message));
        }
    }
    Ok(())
}

/// What to order by, and whether downwards: `count`, `"x asc"`, `{x:"asc"}`.
fn sort(
    (option, value): (&str, &RawValue),
    facet: &TermsFacet,
    below: &BucketPlan,
) -> Result<(TermsSort, bool)> {
    let (name, descending) = match value {
        RawValue::Str(text) => match (text.strip_suffix(" asc"), text.strip_suffix(" desc")) {
            (Some(name), _) => (name, false),
            (_, Some(name)) => (name, true),
            // By value goes upwards by default, everything else downwards.
            _ => (text.as_str(), text != "index"),
        },
        RawValue::Map(entries) => match entries.first() {
            Some((name, direction)) => (&**name, is_descending(&direction.to_text())?),
            None => return Ok((TermsSort::Count, true)),
        },
        other => {
            let found = format!("{}={}", type_name(other), other.to_text());
            let message = format!("Expected string/map for '{option}', received {found}");
            return Err(Error::bad_request(message));
        }
    };
    let by = match name {
        "count" => TermsSort::Count,
        "index" => TermsSort::Index,
        _ => match below.stats.iter().position(|stat| stat.key == name) {
            Some(at) => TermsSort::Stat(at),
            None => {
                let (shown, field) = (value.to_text(), &facet.field);
                let message = format!("Invalid {option} option '{shown}' for field '{field}'");
                return Err(Error::bad_request(message));
            }
        },
    };
    Ok((by, descending))
}

fn is_descending(direction: &str) -> Result<bool> {
    match direction {
        "asc" => Ok(false),
        "desc" => Ok(true),
        other => Err(Error::bad_request(format!("Unknown Sort direction '{other}'"))),
    }
}
