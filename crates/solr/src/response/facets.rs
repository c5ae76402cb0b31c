//! The `facet_counts` section: five keys, always, in Solr's order and types, and a sixth where pivots were
//! asked for. In: finished results, cut and ordered by `cluster`; out: nodes. A number's Java type is decided
//! here, since clients see it in binary answers.

use plan::{
    FacetResult, FieldFacetResult, HeatmapResult, IntervalFacetResult, PivotCount, PivotFacetResult,
    RangeFacetResult,
};

use super::buckets::other_name;
use super::heatmap::heatmap;
use super::node::{Entries, Name, Node};

/// The value of `facet_counts`.
pub fn facet_counts(facets: FacetResult) -> Node {
    let mut entries: Entries = vec![
        ("facet_queries".into(), queries(facets.queries)),
        ("facet_fields".into(), Node::Map(facets.fields.into_iter().map(field).collect())),
        ("facet_ranges".into(), Node::Map(facets.ranges.into_iter().map(range).collect())),
        ("facet_intervals".into(), Node::Map(facets.intervals.into_iter().map(intervals).collect())),
        ("facet_heatmaps".into(), heatmaps(facets.heatmaps)),
    ];
    if !facets.pivots.is_empty() {
        entries.push(("facet_pivot".into(), pivots(facets.pivots)));
    }
    Node::Map(entries)
}

fn queries(counts: Vec<(String, u64)>) -> Node {
    Node::Map(counts.into_iter().map(|(key, count)| (key.into(), Node::count(count))).collect())
}

fn intervals(facet: IntervalFacetResult) -> (Name, Node) {
    let counts = facet.counts.into_iter().map(|(label, count)| (label.into(), Node::count(count)));
    (facet.key.into(), Node::Map(counts.collect()))
}

fn heatmaps(found: Vec<(String, HeatmapResult)>) -> Node {
    Node::Map(found.into_iter().map(|(key, found)| (key.into(), heatmap(found))).collect())
}

/// One entry for each key: the last pivot of a name counts.
fn pivots(facets: Vec<PivotFacetResult>) -> Node {
    let mut entries = Entries::new();
    for PivotFacetResult { key, counts } in facets {
        entries.retain(|(known, _)| **known != *key);
        entries.push((key.into(), pivot(counts)));
    }
    Node::Map(entries)
}

/// What has nothing below it says nothing of it.
fn pivot(counts: Vec<PivotCount>) -> Node {
    let one = |PivotCount { field, value, count, below, stats, queries, ranges }: PivotCount| {
        let mut entries: Entries = vec![
            ("field".into(), Node::Str(field.to_string().into())),
            ("value".into(), value.map_or(Node::Null, Node::from)),
            ("count".into(), Node::count(count)),
        ];
        if !queries.is_empty() {
            entries.push(("queries".into(), self::queries(queries)));
        }
        if !ranges.is_empty() {
            entries.push(("ranges".into(), Node::Map(ranges.into_iter().map(range).collect())));
        }
        entries.extend(below.map(|below| ("pivot".into(), pivot(below))));
        entries.extend(stats.map(|result| ("stats".into(), super::stats::stats(result))));
        Node::Map(entries)
    };
    Node::Array(counts.into_iter().map(one).collect())
}

/// Values and counts; the count of hits without a value comes last, under no name.
fn field(facet: FieldFacetResult) -> (Name, Node) {
    let counts =
        facet.counts.into_iter().map(|(value, count)| (Some(value.to_text().into()), Node::count(count)));
    let missing = facet.missing.map(|count| (None, Node::count(count)));
    (facet.key.into(), Node::NamedList(counts.chain(missing).collect()))
}

fn range(facet: RangeFacetResult) -> (Name, Node) {
    let counts = facet.counts.into_iter().map(|(label, count)| (Some(label.into()), Node::count(count)));
    let mut entries: Vec<(Name, Node)> = vec![
        ("counts".into(), Node::NamedList(counts.collect())),
        ("gap".into(), gap(&facet.gap, &facet.start)),
    ];
    for (other, count) in facet.others {
        entries.push((other_name(other).into(), Node::count(count)));
    }
    entries.push(("start".into(), facet.start.into()));
    entries.push(("end".into(), facet.end.into()));
    (facet.key.into(), Node::Map(entries))
}

/// The gap as a number of the field's type; a date's stays the date math it was.
fn gap(text: &str, start: &plan::Value) -> Node {
    use plan::Value;
    let number = match start {
        Value::Int(_) => text.parse().ok().map(Node::Int),
        Value::Long(_) => text.parse().ok().map(Node::Long),
        Value::Float(_) => text.parse().ok().map(Node::Float),
        Value::Double(_) => text.parse().ok().map(Node::Double),
        _ => None,
    };
    number.unwrap_or_else(|| Node::Str(text.to_owned().into()))
}

#[cfg(test)]
mod tests {
    use plan::{OtherRange, Value};

    use super::*;
    use crate::response::{Format, JsonStyle};

    /// The expected bytes were recorded from Solr 9.10.1.
    #[test]
    fn all_five_sections_are_there() {
        let check = |facets: FacetResult, expected: &str| {
            let mut out = Vec::new();
            Format::Json(JsonStyle::default())
                .write(&vec![("facet_counts".into(), facet_counts(facets))], &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        };
        check(
            FacetResult::default(),
            "{\"facet_counts\":{\"facet_queries\":{},\"facet_fields\":{},\"facet_ranges\":{},\"facet_intervals\":{},\
             \"facet_heatmaps\":{}}}",
        );
        let counts = vec![(Value::Str("only".into()), 1), (Value::Str("x".into()), 1)];
        let range = RangeFacetResult {
            key: "n_i".into(),
            gap: "5".into(),
            start: Value::Int(0),
            end: Value::Int(10),
            counts: vec![("0".into(), 0), ("5".into(), 1)],
            others: vec![(OtherRange::Before, 0), (OtherRange::After, 0), (OtherRange::Between, 1)],
        };
        let facets = FacetResult {
            queries: vec![("n_i:5".into(), 1)],
            fields: vec![FieldFacetResult { key: "cat_ss".into(), counts, missing: Some(0) }],
            ranges: vec![range],
            ..FacetResult::default()
        };
        check(
            facets,
            "{\"facet_counts\":{\"facet_queries\":{\"n_i:5\":1},\"facet_fields\":{\"cat_ss\":[\"only\",1,\"x\",1,null,0]},\
             \"facet_ranges\":{\"n_i\":{\"counts\":[\"0\",0,\"5\",1],\"gap\":5,\"before\":0,\"after\":0,\"between\":1,\
             \"start\":0,\"end\":10}},\"facet_intervals\":{},\"facet_heatmaps\":{}}}",
        );
    }
}
