//! The `facets` section: a tree of buckets. Counts are longs here, unlike in classic facets; a statistic
//! without a value is left out. In: finished buckets, cut and ordered (`cluster/finish`); out: a node.
//! Classic facets have forms of their own (`facets.rs`).

use plan::{BucketResult, Buckets, OtherRange, StatValue, SubFacetResult, Value};

use super::heatmap::heatmap;
use super::node::{Entries, Name, Node};

/// The value of `facets`, and of every bucket in it.
pub fn bucket(result: BucketResult) -> Node {
    Node::Map(entries(result))
}

fn entries(BucketResult { count, stats, facets }: BucketResult) -> Entries {
    let mut entries: Entries = vec![("count".into(), Node::long(count))];
    entries.extend(stats.into_iter().filter_map(|(key, value)| Some((Name::Owned(key), stat(value)?))));
    entries.extend(facets.into_iter().map(|(key, facet)| (Name::Owned(key), sub_facet(facet))));
    entries
}

fn stat(value: StatValue) -> Option<Node> {
    Some(match value {
        StatValue::Nothing => return None,
        // Statistics of an enumeration are those of its places here, where `stats.field` shows names.
        StatValue::One(Value::Enum(value)) => Node::Int(value.ordinal),
        StatValue::One(value) => value.into(),
        StatValue::Many(values) => Node::Array(values.into_iter().map(Node::from).collect()),
        StatValue::Relatedness { relatedness, foreground, background } => Node::map([
            ("relatedness", Node::Double(relatedness)),
            ("foreground_popularity", Node::Double(foreground)),
            ("background_popularity", Node::Double(background)),
        ]),
        StatValue::Percentiles(values) => {
            let values: Option<Vec<Node>> =
                values.into_iter().map(|(_, value)| value.map(Node::Double)).collect();
            let mut values = values?;
            if values.len() == 1 { values.remove(0) } else { Node::Array(values) }
        }
    })
}

fn sub_facet(facet: SubFacetResult) -> Node {
    match facet {
        SubFacetResult::Query(result) => bucket(result),
        SubFacetResult::Buckets(found) => buckets(found),
        SubFacetResult::Heatmap(found) => heatmap(found),
    }
}

fn buckets(found: Buckets) -> Node {
    let Buckets { list, num_buckets, all_buckets, missing, others } = found;
    let mut all = Entries::new();
    all.extend(num_buckets.map(|count| (Name::Borrowed("numBuckets"), Node::long(count))));
    all.extend(all_buckets.map(|result| (Name::Borrowed("allBuckets"), bucket(result))));
    all.extend(missing.map(|result| (Name::Borrowed("missing"), bucket(result))));
    let with_value = |(value, result): (Value, BucketResult)| {
        let mut one: Entries = vec![("val".into(), value.into())];
        one.extend(entries(result));
        Node::Map(one)
    };
    all.push(("buckets".into(), Node::Array(list.into_iter().map(with_value).collect())));
    all.extend(others.into_iter().map(|(which, result)| (Name::Borrowed(other_name(which)), bucket(result))));
    Node::Map(all)
}

pub(super) fn other_name(other: OtherRange) -> &'static str {
    match other {
        OtherRange::Before => "before",
        OtherRange::After => "after",
        OtherRange::Between => "between",
    }
}
