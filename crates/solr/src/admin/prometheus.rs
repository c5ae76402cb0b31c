//! The figures as Prometheus reads them (`wt=prometheus`): text format 0.0.4, under the names and labels of
//! Solr 9's own writer. What has no name there is left out; `parhelion_answers` is ours. It reads the same
//! registries as `metrics.rs`, so that both tell the same, and differs only in spelling.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::metric::{Metric, Registry};
use crate::response::Node;

/// The media type of the text.
pub const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// All figures, by name; each name is introduced once.
pub fn prometheus(registries: &[Registry]) -> String {
    let mut families: BTreeMap<&'static str, (&'static str, Vec<String>)> = BTreeMap::new();
    for registry in registries {
        for (name, metric) in &registry.metrics {
            let Some(figure) = Figure::of(&registry.name, name) else { continue };
            let lines = figure.lines(metric);
            let kind = if matches!(metric, Metric::Timer(..)) { "summary" } else { figure.kind() };
            families.entry(figure.family).or_insert((kind, vec![])).1.extend(lines);
        }
    }
    let mut text = String::new();
    for (family, (kind, lines)) in families {
        // Writing to a string does not fail.
        let _ = writeln!(text, "# TYPE {family} {kind}");
        lines.iter().for_each(|line| text.push_str(line));
    }
    text
}

/// A name with its labels.
struct Figure {
    family: &'static str,
    labels: Vec<(&'static str, String)>,
}

/// The figures of handlers that are counted with their `type`.
const ENDS: [&str; 5] = ["clientErrors", "errors", "requests", "serverErrors", "timeouts"];

impl Figure {
    fn of(registry: &str, name: &str) -> Option<Self> {
        let core = registry.strip_prefix("solr.core.");
        let (category, rest) = name.split_once('.')?;
        let (handler, last) = rest.rsplit_once('.').unwrap_or(("", rest));
        let own = |family, labels: &[(&'static str, &str)]| {
            let core = core.map(|core| ("core", core));
            let mut labels: Vec<_> = labels.iter().copied().chain(core).collect();
            labels.sort_unstable();
            let labels = labels.into_iter().map(|(label, value)| (label, value.to_owned()));
            Some(Self { family, labels: labels.collect() })
        };
        let handled = [("category", category), ("handler", handler)];
        match (category, last) {
            ("UPDATE", _) if handler == "updateHandler" => {
                own("solr_metrics_core_update_handler", &[handled[0], handled[1], ("type", last)])
            }
            _ if core.is_some() && handler.starts_with('/') => match last {
                "requestTimes" => own("solr_metrics_core_request_time_ms", &handled),
                _ if ENDS.contains(&last) => {
                    own("solr_metrics_core_requests_total", &[handled[0], handled[1], ("type", last)])
                }
                _ => None,
            },
            _ if handler.starts_with('/') => match last {
                "totalTime" => own("solr_metrics_node_requests_time_total", &handled),
                _ if ENDS.contains(&last) => {
                    own("solr_metrics_node_requests_total", &[handled[0], handled[1], ("type", last)])
                }
                _ => None,
            },
            ("INDEX", "sizeInBytes") => own("solr_metrics_core_index_size_bytes", &[]),
            ("CACHE", _) if handler == "searcher" => own("solr_metrics_core_cache", &[("cacheType", last)]),
            ("CACHE", "answers") => own("parhelion_answers", &[]),
            ("SEARCHER", "deletedDocs" | "indexVersion" | "maxDoc" | "numDocs") => {
                own("solr_metrics_core_searcher_documents", &[("type", last)])
            }
            ("CONTAINER", "totalSpace" | "usableSpace") if handler == "fs.coreRoot" => {
                own("solr_metrics_node_core_root_fs_bytes", &[("category", category), ("item", last)])
            }
            ("CONTAINER", _) if handler == "cores" => {
                own("solr_metrics_node_cores", &[("category", category), ("item", last)])
            }
            ("CONTAINER", "slow") if handler == "requests" => own("parhelion_requests_slow", &[]),
            ("CONTAINER", _) if handler == "queryLog" => own("parhelion_query_log", &[("item", last)]),
            ("memory", "used") if handler == "total" => {
                own("solr_metrics_jvm_heap", &[("item", last), ("memory", handler)])
            }
            ("threads", "count") => own("solr_metrics_jvm_threads", &[("item", last)]),
            ("os", _) => own("solr_metrics_os", &[("item", last)]),
            _ => None,
        }
    }

    fn kind(&self) -> &'static str {
        if self.family.ends_with("_total") { "counter" } else { "gauge" }
    }

    fn lines(&self, metric: &Metric) -> Vec<String> {
        match metric {
            Metric::Value(node) => self.line("", None, node).into_iter().collect(),
            Metric::Properties(all) => {
                all.iter().filter_map(|(item, node)| self.line("", Some(("item", *item)), node)).collect()
            }
            Metric::Count(count) => self.line("", None, &Node::long(*count)).into_iter().collect(),
            // Of an update handler only what is now has a name.
            Metric::Meter(_) if !self.family.ends_with("_total") => vec![],
            Metric::Meter(rates) => self.line("", None, &Node::long(rates.count)).into_iter().collect(),
            Metric::Timer(rates, times) => {
                let [p50, p75, _, p99, p999] = times.percentiles;
                let quantiles = [("0.5", p50), ("0.75", p75), ("0.99", p99), ("0.999", p999)];
                let line =
                    |(quantile, time)| self.line("", Some(("quantile", quantile)), &Node::Double(time));
                let sum = Node::Double(times.total);
                let ends =
                    [self.line("_count", None, &Node::long(rates.count)), self.line("_sum", None, &sum)];
                quantiles.into_iter().map(line).chain(ends).flatten().collect()
            }
        }
    }

    /// `None` for what is no number.
    fn line(&self, suffix: &str, more: Option<(&str, &str)>, node: &Node) -> Option<String> {
        let value = match node {
            Node::Int(number) => f64::from(*number),
            Node::Long(number) => *number as f64,
            Node::Double(number) => *number,
            _ => return None,
        };
        let own = self.labels.iter().map(|(label, value)| (*label, value.as_str()));
        let mut labels: Vec<(&str, &str)> = own.chain(more).collect();
        labels.sort_by_key(|(label, _)| *label == "quantile");
        let labels: Vec<String> =
            labels.into_iter().map(|(label, value)| format!("{label}=\"{value}\"")).collect();
        Some(format!("{}{suffix}{{{}}} {value:?}\n", self.family, labels.join(",")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admin::metric::{Rates, Times};

    /// Names and labels as Solr 9.10.1 writes them.
    #[test]
    fn figures_have_solrs_names() {
        let stats = vec![("hits", Node::Long(3)), ("hitratio", Node::Double(0.25))];
        let times = Times { total: 14.0, percentiles: [1.0, 2.0, 3.0, 4.0, 5.0], ..Times::default() };
        let core = vec![
            ("CACHE.searcher.filterCache".to_owned(), Metric::Properties(stats)),
            ("CORE.coreName".to_owned(), Metric::Value(Node::str("films"))),
            ("QUERY./select.requests".to_owned(), Metric::Count(7)),
            (
                "QUERY./select.requestTimes".to_owned(),
                Metric::Timer(Rates { count: 7, ..Rates::default() }, times),
            ),
            ("QUERY./select.totalTime".to_owned(), Metric::Count(9)),
            ("SEARCHER.searcher.numDocs".to_owned(), Metric::Value(Node::Int(14))),
            ("UPDATE.updateHandler.adds".to_owned(), Metric::Value(Node::Long(2))),
            ("UPDATE.updateHandler.commits".to_owned(), Metric::Meter(Rates::default())),
        ];
        let node = vec![
            ("ADMIN./admin/cores.totalTime".to_owned(), Metric::Count(12)),
            ("CONTAINER.cores.loaded".to_owned(), Metric::Value(Node::Int(1))),
        ];
        let registries = [
            Registry { name: "solr.core.films".into(), metrics: core },
            Registry { name: "solr.node".into(), metrics: node },
        ];
        let expected = "\
# TYPE solr_metrics_core_cache gauge
solr_metrics_core_cache{cacheType=\"filterCache\",core=\"films\",item=\"hits\"} 3.0
solr_metrics_core_cache{cacheType=\"filterCache\",core=\"films\",item=\"hitratio\"} 0.25
# TYPE solr_metrics_core_request_time_ms summary
solr_metrics_core_request_time_ms{category=\"QUERY\",core=\"films\",handler=\"/select\",quantile=\"0.5\"} 1.0
solr_metrics_core_request_time_ms{category=\"QUERY\",core=\"films\",handler=\"/select\",quantile=\"0.75\"} 2.0
solr_metrics_core_request_time_ms{category=\"QUERY\",core=\"films\",handler=\"/select\",quantile=\"0.99\"} 4.0
solr_metrics_core_request_time_ms{category=\"QUERY\",core=\"films\",handler=\"/select\",quantile=\"0.999\"} 5.0
solr_metrics_core_request_time_ms_count{category=\"QUERY\",core=\"films\",handler=\"/select\"} 7.0
solr_metrics_core_request_time_ms_sum{category=\"QUERY\",core=\"films\",handler=\"/select\"} 14.0
# TYPE solr_metrics_core_requests_total counter
solr_metrics_core_requests_total{category=\"QUERY\",core=\"films\",handler=\"/select\",type=\"requests\"} 7.0
# TYPE solr_metrics_core_searcher_documents gauge
solr_metrics_core_searcher_documents{core=\"films\",type=\"numDocs\"} 14.0
# TYPE solr_metrics_core_update_handler gauge
solr_metrics_core_update_handler{category=\"UPDATE\",core=\"films\",handler=\"updateHandler\",type=\"adds\"} 2.0
# TYPE solr_metrics_node_cores gauge
solr_metrics_node_cores{category=\"CONTAINER\",item=\"loaded\"} 1.0
# TYPE solr_metrics_node_requests_time_total counter
solr_metrics_node_requests_time_total{category=\"ADMIN\",handler=\"/admin/cores\"} 12.0
";
        assert_eq!(prometheus(&registries), expected);
    }
}
