//! `/terms`: parameters become a plan for each field, counts become the response. Points have no terms in
//! Lucene; Solr counts their values instead, and so does this, through facets; booleans too, which have no
//! texts to list here.

use std::sync::Arc;

use plan::{CutDepth, Error, FieldClass, Result, Schema, TermCount, TermsPlan};

use crate::java_expression::java_expression;
use crate::params::{Param, Params, Preset, terms};
use crate::response::{Entries, Node};

/// What is to be listed of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldTerms {
    /// By its dictionary.
    Listed(TermsPlan),
    /// The values of points or booleans, this many (`None` is all).
    Values { field: Arc<str>, limit: Option<usize>, by_count: bool, raw: bool },
}

impl FieldTerms {
    pub fn field(&self) -> &Arc<str> {
        match self {
            FieldTerms::Listed(plan) => &plan.field,
            FieldTerms::Values { field, .. } => field,
        }
    }
}

/// A request to `/terms`.
#[derive(Clone, Debug)]
pub struct TermsRequest {
    pub fields: Vec<FieldTerms>,
    /// Whether each term shows both counts.
    occurrences: bool,
    /// Whether the index's size is shown.
    pub stats: bool,
    /// Of the schema it was resolved against.
    pub schema_version: Option<u64>,
}

impl TermsRequest {
    /// What a search asks to be listed beside its hits; `None` without `terms=true`. Errors as
    /// [`TermsRequest::parse`].
    pub fn beside_hits(params: &Params, schema: &Schema) -> Result<Option<Self>, (Error, Entries)> {
        let asked = terms::TERMS.read(params).map_err(|error| (error, vec![]))?;
        asked.then(|| Self::parse(params, schema)).transpose()
    }

    /// Errors: values that cannot be read; bounds or expressions for a point field. With what the response
    /// shows besides.
    pub fn parse(params: &Params, schema: &Schema) -> Result<Self, (Error, Entries)> {
        let mut fields = Vec::new();
        let empty = |name: Option<&str>| {
            let shown = name.map(|name| (name.to_owned().into(), Node::NamedList(vec![])));
            vec![("terms".into(), Node::Map(shown.into_iter().collect()))]
        };
        check(params).map_err(|error| (error, empty(None)))?;
        for field in terms::FIELD.sent_all(params) {
            fields.push(field_terms(params, schema, field).map_err(|error| (error, empty(Some(field))))?);
        }
        Ok(Self {
            fields,
            occurrences: terms::OCCURRENCES.read(params).map_err(|error| (error, empty(None)))?,
            stats: terms::STATS.read(params).map_err(|error| (error, empty(None)))?,
            schema_version: Some(schema.lineage.version),
        })
    }

    /// `listed` has the terms of each field, in order; `documents` are those of the index.
    pub fn respond(&self, listed: Vec<Vec<TermCount>>, documents: u64) -> Entries {
        let long = |number: u64| Node::Long(i64::try_from(number).unwrap_or(i64::MAX));
        let count = |count: TermCount| {
            let node = match count.occurrences.filter(|_| self.occurrences) {
                Some(often) => Node::map([("df", long(count.documents)), ("ttf", long(often))]),
                None => Node::Int(i32::try_from(count.documents).unwrap_or(i32::MAX)),
            };
            (Some(count.term.into()), node)
        };
        let fields = self.fields.iter().zip(listed).map(|(field, terms)| {
            let terms = Node::NamedList(terms.into_iter().map(count).collect());
            (field.field().to_string().into(), terms)
        });
        let mut entries: Entries = vec![("terms".into(), Node::Map(fields.collect()))];
        if self.stats {
            entries.push(("indexstats".into(), Node::map([("numDocs", long(documents))])));
        }
        entries
    }
}

/// Reads what holds for all fields, for its errors.
fn check(params: &Params) -> Result<()> {
    for number in [&terms::LIMIT, &terms::COUNT_MIN, &terms::COUNT_MAX] {
        number.read(params)?;
    }
    for switch in [&terms::OCCURRENCES, &terms::STATS, &terms::RAW] {
        switch.read(params)?;
    }
    expressions(params).map(drop)
}

fn field_terms(params: &Params, schema: &Schema, field: &str) -> Result<FieldTerms> {
    let limit = usize::try_from(terms::LIMIT.read(params)?).ok();
    let bounded = [&terms::LOWER, &terms::UPPER, &terms::PREFIX, &terms::REGEX];
    let by_count = terms::SORT.text(params) != "index";
    let class = schema.field(field).map(|spec| spec.class());
    if class.is_some_and(|class| class.is_point() || class == FieldClass::Bool) {
        let point = class != Some(FieldClass::Bool);
        if point && bounded.iter().any(|param| param.is_sent(params)) {
            return Err(Error::bad_request(
                "The terms component does not support Points-based fields with sorting or with parameters terms.lower,terms.upper,terms.prefix,terms.regex ",
            ));
        }
        let raw = terms::RAW.read(params)?;
        return Ok(FieldTerms::Values { field: field.into(), limit, by_count, raw });
    }
    // By their places, which are no order of terms here.
    if class == Some(FieldClass::Enum) && !by_count && !bounded.iter().any(|param| param.is_sent(params)) {
        let raw = terms::RAW.read(params)?;
        return Ok(FieldTerms::Values { field: field.into(), limit, by_count, raw });
    }
    let bound = |bound: &Param<String>, included: &Preset<bool>| -> Result<_> {
        let included = included.read(params)?;
        Ok(bound.read(params)?.filter(|text| !text.is_empty()).map(|text| (text, included)))
    };
    let among = terms::LIST.read(params)?;
    let count = |count: i32| u64::try_from(count).ok();
    Ok(FieldTerms::Listed(TermsPlan {
        schema_version: Some(schema.lineage.version),
        field: field.into(),
        lower: bound(&terms::LOWER, &terms::LOWER_INCLUDED)?,
        upper: bound(&terms::UPPER, &terms::UPPER_INCLUDED)?,
        prefix: terms::PREFIX.read(params)?,
        expressions: expressions(params)?,
        among: among.map(|list| list.split(',').map(|term| term.trim().to_owned()).collect()),
        count_min: count(terms::COUNT_MIN.read(params)?).unwrap_or(0),
        count_max: count(terms::COUNT_MAX.read(params)?),
        limit,
        by_count,
        occurrences: terms::OCCURRENCES.read(params)?,
        depth: CutDepth::Page,
    }))
}

/// With the flags in front of each.
fn expressions(params: &Params) -> Result<Vec<String>> {
    let mut flags = String::new();
    for flag in terms::REGEX_FLAG.sent_all(params).flat_map(|flags| flags.split(',')) {
        flags.push_str(match flag.trim() {
            "case_insensitive" => "i",
            "dotall" => "s",
            "multiline" => "m",
            "comments" => "x",
            other => {
                return Err(Error::bad_request(format!("Unknown terms regex flag '{other}'")));
            }
        });
    }
    let flags = if flags.is_empty() { flags } else { format!("(?{flags})") };
    Ok(terms::REGEX.sent_all(params).map(|text| format!("{flags}{}", java_expression(text))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::parse_form;
    use crate::query::tests::Fixture;
    use crate::response::{Format, JsonStyle};

    fn parse(form: &str) -> Result<TermsRequest, (Error, Entries)> {
        TermsRequest::parse(&parse_form(form.as_bytes()).unwrap(), &Fixture::new().schema)
    }

    #[test]
    fn parameters_become_plans() {
        let request = parse(
            "terms.fl=a_s&terms.lower=b&terms.upper=d&terms.limit=-1&terms.regex=x.*&terms.regex.flag=case_insensitive",
        );
        let [FieldTerms::Listed(plan)] = &request.unwrap().fields[..] else { panic!("one field") };
        assert_eq!(
            (plan.lower.clone(), plan.upper.clone()),
            (Some(("b".into(), true)), Some(("d".into(), false)))
        );
        assert_eq!((plan.limit, plan.by_count, plan.count_min), (None, true, 1));
        assert_eq!(plan.expressions, ["(?i)x.*"]);
        assert!(parse("terms.fl=a_i&terms.lower=1").is_err());
        assert!(parse("terms.fl=a_s&terms.limit=x").is_err());
        assert!(parse("terms.fl=a_s&terms.regex.flag=x").is_err());
    }

    /// Shapes recorded from Solr 9.10.1.
    #[test]
    fn counts_become_the_response() {
        let count = |occurrences| TermCount { term: "o01".into(), documents: 1, occurrences };
        let check = |form: &str, occurrences, expected: &str| {
            let mut out = Vec::new();
            let entries = parse(form).unwrap().respond(vec![vec![count(occurrences)], vec![]], 46);
            Format::Json(JsonStyle::default()).write(&entries, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{form}");
        };
        check("terms.fl=a_s&terms.fl=b_s", None, r#"{"terms":{"a_s":["o01",1],"b_s":[]}}"#);
        check(
            "terms.fl=a_s&terms.ttf=true&terms.stats=true",
            Some(1),
            r#"{"terms":{"a_s":["o01",{"df":1,"ttf":1}]},"indexstats":{"numDocs":46}}"#,
        );
    }
}
