//! The figures as Prometheus reads them (`wt=prometheus`): text format 0.0.4, under the names and labels of Solr 9's own writer.
//! What has no name there is left out; `parhelion_answers` is ours.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::metrics::{Metric, Registry};
use crate::response::Node;

/// The media type of the text.
pub const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// All figures, by name; each name is introduced once.
pub fn prometheus(registries: &[Registry]) -> String {
    let mut families: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for registry in registries {
        let core = registry.name.strip_prefix("solr.core.");
        for (name, metric) in &registry.metrics {
            let Some(figure) = Figure::of(core, name) else { continue };
            let lines = families.entry(figure.family).or_default();
            match metric {
                Metric::Value(node) => lines.extend(figure.line(None, node)),
                Metric::Properties(all) => {
                    lines.extend(all.iter().filter_map(|(item, node)| figure.line(Some(item), node)));
                }
            }
        }
    }
    let mut text = String::new();
    for (family, lines) in families {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# TYPE {family} gauge");
        lines.iter().for_each(|line| text.push_str(line));
    }
    text
}

/// A name with its labels.
struct Figure {
    family: &'static str,
    labels: Vec<(&'static str, String)>,
}

impl Figure {
    fn of(core: Option<&str>, name: &str) -> Option<Self> {
        let figure = |family, labels: Vec<(&'static str, &str)>| {
            let labels = labels.into_iter().map(|(label, value)| (label, value.to_owned()));
            Some(Self { family, labels: labels.collect() })
        };
        let last = name.rsplit('.').next().unwrap_or_default();
        match (core, name) {
            (Some(core), "INDEX.sizeInBytes") => {
                figure("solr_metrics_core_index_size_bytes", vec![("core", core)])
            }
            (Some(core), _) if name.starts_with("CACHE.searcher.") => {
                figure("solr_metrics_core_cache", vec![("cacheType", last), ("core", core)])
            }
            (Some(core), _) if name.starts_with("SEARCHER.searcher.") => {
                figure("solr_metrics_core_searcher_documents", vec![("core", core), ("type", last)])
            }
            (None, _) if name.starts_with("CONTAINER.cores.") => {
                figure("solr_metrics_node_cores", vec![("category", "CONTAINER"), ("item", last)])
            }
            (None, "CONTAINER.requests.slow") => figure("parhelion_requests_slow", vec![]),
            (None, "CACHE.answers") => figure("parhelion_answers", vec![]),
            _ => None,
        }
    }

    /// `None` for what is no number.
    fn line(&self, item: Option<&str>, node: &Node) -> Option<String> {
        let value = match node {
            Node::Int(number) => f64::from(*number),
            Node::Long(number) => *number as f64,
            Node::Double(number) => *number,
            _ => return None,
        };
        let own = self.labels.iter().map(|(label, value)| (*label, value.as_str()));
        let labels: Vec<String> = own
            .chain(item.map(|item| ("item", item)))
            .map(|(label, value)| format!("{label}=\"{value}\""))
            .collect();
        Some(format!("{}{{{}}} {value:?}\n", self.family, labels.join(",")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and labels as Solr 9.10.1 writes them.
    #[test]
    fn figures_have_solrs_names() {
        let stats = vec![("hits", Node::Long(3)), ("hitratio", Node::Double(0.25))];
        let core = vec![
            ("CACHE.searcher.filterCache".to_owned(), Metric::Properties(stats)),
            ("CORE.coreName".to_owned(), Metric::Value(Node::str("films"))),
            ("SEARCHER.searcher.numDocs".to_owned(), Metric::Value(Node::Int(14))),
        ];
        let node = vec![("CONTAINER.cores.loaded".to_owned(), Metric::Value(Node::Int(1)))];
        let registries = [
            Registry { name: "solr.core.films".into(), metrics: core },
            Registry { name: "solr.node".into(), metrics: node },
        ];
        let expected = "\
# TYPE solr_metrics_core_cache gauge
solr_metrics_core_cache{cacheType=\"filterCache\",core=\"films\",item=\"hits\"} 3.0
solr_metrics_core_cache{cacheType=\"filterCache\",core=\"films\",item=\"hitratio\"} 0.25
# TYPE solr_metrics_core_searcher_documents gauge
solr_metrics_core_searcher_documents{core=\"films\",type=\"numDocs\"} 14.0
# TYPE solr_metrics_node_cores gauge
solr_metrics_node_cores{category=\"CONTAINER\",item=\"loaded\"} 1.0
";
        assert_eq!(prometheus(&registries), expected);
    }
}
