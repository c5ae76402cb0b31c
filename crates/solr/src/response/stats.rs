//! The `stats` section: the statistics of each field by their names, and below `facets` those by values of
//! other fields. Numbers are doubles whatever the field's type; what has no value is null. In: statistics
//! that are finished (`cluster/finish`), out: a node; which are shown, and under what key, the plan has
//! decided.

use plan::{BucketResult, Buckets, StatValue, SubFacetResult, Value};

use super::node::{Entries, Name, Node};

/// The value of `stats`.
pub fn stats(result: BucketResult) -> Node {
    let fields = result.facets.into_iter().map(|(key, facet)| match facet {
        SubFacetResult::Query(bucket) => (Name::Owned(key), field(bucket)),
        SubFacetResult::Buckets(_) | SubFacetResult::Heatmap(_) => (Name::Owned(key), Node::Null),
    });
    Node::map([("stats_fields", Node::Map(fields.collect()))])
}

fn field(BucketResult { stats, facets, .. }: BucketResult) -> Node {
    let mut entries: Entries = stats.into_iter().map(entry).collect();
    if !facets.is_empty() {
        let facets = facets.into_iter().filter_map(|(key, facet)| match facet {
            SubFacetResult::Buckets(found) => Some((Name::Owned(key), by_value(found))),
            SubFacetResult::Query(_) | SubFacetResult::Heatmap(_) => None,
        });
        entries.push(("facets".into(), Node::Map(facets.collect())));
    }
    Node::Map(entries)
}

fn by_value(Buckets { list, missing, .. }: Buckets) -> Node {
    let missing = missing.filter(|bucket| bucket.count > 0).map(|bucket| (Name::Borrowed(""), field(bucket)));
    let values = list.into_iter().map(|(value, bucket)| (Name::Owned(value.to_text()), field(bucket)));
    Node::Map(missing.into_iter().chain(values).collect())
}

fn entry((key, value): (String, StatValue)) -> (Name, Node) {
    let node = match value {
        StatValue::Nothing => Node::Null,
        StatValue::One(Value::Long(number)) if matches!(&*key, "min" | "max") => Node::Double(number as f64),
        StatValue::One(value) => value.into(),
        StatValue::Many(values) => Node::Array(values.into_iter().map(Node::from).collect()),
        // No statistic of a field.
        StatValue::Relatedness { .. } => Node::Null,
        StatValue::Percentiles(values) => {
            let shown = |(share, value): (f64, Option<f64>)| {
                (Some(Value::Double(share).to_text().into()), value.map_or(Node::Null, Node::Double))
            };
            Node::NamedList(values.into_iter().map(shown).collect())
        }
    };
    (key.into(), node)
}
