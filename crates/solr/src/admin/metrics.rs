//! `/admin/metrics`: figures by registry and name, as Solr 9 shows them. What there is comes in; which of it is asked for
//! (`group`, `registry`, `prefix`, `regex`, `property`, `type`, `key`) is decided here. All figures are gauges.

use fancy_regex::Regex;
use plan::{CacheStats, Error, Result};

use crate::params::Params;
use crate::response::{Entries, Name, Node};

/// The figures of one registry, such as `solr.core.films`, in order of their names.
#[derive(Clone, Debug)]
pub struct Registry {
    pub name: String,
    pub metrics: Vec<(String, Metric)>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    Value(Node),
    /// A gauge of several values.
    Properties(Vec<(&'static str, Node)>),
}

/// As Solr shows a cache. Solr differs: a searcher there begins with empty caches, here they live on, so that what counts
/// since the last commit there counts since the start here, as `cumulative_*` does.
pub fn cache_metric(stats: &CacheStats) -> Metric {
    let long = |number: u64| Node::Long(i64::try_from(number).unwrap_or(i64::MAX));
    let ratio = if stats.lookups == 0 { 1.0 } else { stats.hits as f64 / stats.lookups as f64 };
    Metric::Properties(vec![
        ("lookups", long(stats.lookups)),
        ("hits", long(stats.hits)),
        ("hitratio", Node::Double(ratio)),
        ("inserts", long(stats.inserts)),
        ("evictions", long(stats.evictions)),
        ("size", long(stats.size)),
        ("warmupTime", Node::Long(0)),
        ("ramBytesUsed", long(stats.bytes)),
        ("maxRamMB", long(stats.bytes_max >> 20)),
        ("cumulative_lookups", long(stats.lookups)),
        ("cumulative_hits", long(stats.hits)),
        ("cumulative_hitratio", Node::Double(ratio)),
        ("cumulative_inserts", long(stats.inserts)),
        ("cumulative_evictions", long(stats.evictions)),
    ])
}

/// What is asked for.
struct Wish<'a> {
    groups: Vec<&'a str>,
    registries: Vec<&'a str>,
    prefixes: Vec<&'a str>,
    expressions: Vec<Regex>,
    properties: Vec<&'a str>,
    gauges: bool,
    compact: bool,
}

const TYPES: [&str; 6] = ["histogram", "meter", "timer", "counter", "gauge", "all"];

impl<'a> Wish<'a> {
    fn parse(params: &'a Params) -> Result<Self> {
        let types: Vec<&str> = list(params, "type").collect();
        if let Some(unknown) = types.iter().find(|name| !TYPES.contains(name)) {
            let known = TYPES.join(", ");
            return Err(Error::bad_request(format!(
                "Invalid metric type in: [{unknown}] specified. Must be one of [{known}]"
            )));
        }
        Ok(Self {
            groups: list(params, "group").filter(|name| *name != "all").collect(),
            registries: list(params, "registry").collect(),
            prefixes: list(params, "prefix").collect(),
            expressions: params.all("regex").map(expression).collect::<Result<_>>()?,
            properties: params.all("property").collect(),
            gauges: types.is_empty() || types.iter().any(|name| matches!(*name, "gauge" | "all")),
            compact: params.get("compact").is_none_or(|flag| flag != "false"),
        })
    }

    fn wants_registry(&self, name: &str) -> bool {
        let group = name.split('.').nth(1).unwrap_or_default();
        if !self.registries.is_empty() {
            return self.registries.contains(&name);
        }
        self.groups.is_empty() || self.groups.contains(&group)
    }

    fn wants(&self, name: &str) -> bool {
        let free = self.prefixes.is_empty() && self.expressions.is_empty();
        free || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
            || self.expressions.iter().any(|expression| expression.is_match(name).unwrap_or(false))
    }

    /// `None` when nothing of it is asked for.
    fn show(&self, metric: Metric) -> Option<Node> {
        let shown = match metric {
            Metric::Value(node) => node,
            Metric::Properties(all) => {
                let wanted = |name: &str| self.properties.is_empty() || self.properties.contains(&name);
                let shown: Entries = all
                    .into_iter()
                    .filter(|(name, _)| wanted(name))
                    .map(|(name, node)| (name.into(), node))
                    .collect();
                if shown.is_empty() {
                    return None;
                }
                Node::Map(shown)
            }
        };
        Some(if self.compact { shown } else { Node::map([("value", shown)]) })
    }
}

fn list<'a>(params: &'a Params, name: &'a str) -> impl Iterator<Item = &'a str> {
    params.all(name).flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty())
}

/// Over the whole name.
fn expression(text: &str) -> Result<Regex> {
    Regex::new(&format!("^(?:{text})$")).map_err(|failure| {
        Error::bad_request(format!("`regex` holds `{text}`, which is no regular expression: {failure}"))
    })
}

/// The response's entries. Errors: a type or an expression that is none.
pub fn metrics(params: &Params, registries: Vec<Registry>) -> Result<Entries> {
    if params.get("key").is_some() {
        return Ok(by_key(params, &registries));
    }
    let wish = Wish::parse(params)?;
    let mut shown = Entries::new();
    for registry in registries {
        if !wish.gauges || !wish.wants_registry(&registry.name) {
            continue;
        }
        let wanted = registry.metrics.into_iter().filter(|(name, _)| wish.wants(name));
        let metrics: Entries =
            wanted.filter_map(|(name, metric)| Some((name.into(), wish.show(metric)?))).collect();
        if !metrics.is_empty() {
            shown.push((registry.name.into(), Node::Map(metrics)));
        }
    }
    Ok(vec![("metrics".into(), Node::Map(shown))])
}

/// `key=<registry>:<name>[:<property>]`, any number of them.
fn by_key(params: &Params, registries: &[Registry]) -> Entries {
    let (mut shown, mut errors) = (Entries::new(), Entries::new());
    for key in params.all("key") {
        match find(key, registries) {
            Ok(Some(node)) => shown.push((Name::Owned(key.to_owned()), node)),
            Ok(None) => {}
            Err(why) => errors.push((Name::Owned(key.to_owned()), Node::Str(why.into()))),
        }
    }
    let mut entries: Entries = vec![("metrics".into(), Node::Map(shown))];
    if !errors.is_empty() {
        entries.push(("errors".into(), Node::Map(errors)));
    }
    entries
}

/// A property that the metric does not have is nothing.
fn find(key: &str, registries: &[Registry]) -> Result<Option<Node>, String> {
    let parts: Vec<&str> = key.split(':').collect();
    let (registry, name, property) = match parts[..] {
        [registry, name] => (registry, name, None),
        [registry, name, property] => (registry, name, Some(property)),
        _ => return Err("at least two and at most three colon-separated parts must be provided".to_owned()),
    };
    let found = registries.iter().find(|known| known.name == registry);
    let found = found.ok_or_else(|| format!("registry '{registry}' not found"))?;
    let metric = found.metrics.iter().find(|(known, _)| known == name);
    let (_, metric) = metric.ok_or_else(|| format!("metric '{name}' not found"))?;
    Ok(match (metric, property) {
        (Metric::Value(node), _) => Some(node.clone()),
        (Metric::Properties(all), None) => {
            Some(Node::Map(all.iter().map(|(name, node)| (Name::Borrowed(name), node.clone())).collect()))
        }
        (Metric::Properties(all), Some(wanted)) => {
            all.iter().find(|(name, _)| *name == wanted).map(|(_, node)| node.clone())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::{Format, JsonStyle};

    fn shown(form: &str) -> String {
        let stats = CacheStats { lookups: 4, hits: 1, inserts: 3, size: 3, ..CacheStats::default() };
        let core = vec![
            ("CACHE.searcher.filterCache".to_owned(), cache_metric(&stats)),
            ("SEARCHER.searcher.numDocs".to_owned(), Metric::Value(Node::Int(14))),
        ];
        let node = vec![("CONTAINER.cores.loaded".to_owned(), Metric::Value(Node::Int(1)))];
        let registries = vec![
            Registry { name: "solr.core.films".into(), metrics: core },
            Registry { name: "solr.node".into(), metrics: node },
        ];
        let params = crate::params::parse_form(form.as_bytes()).unwrap();
        let mut out = Vec::new();
        match metrics(&params, registries) {
            Ok(entries) => Format::Json(JsonStyle::default()).write(&entries, &mut out),
            Err(error) => return error.message,
        }
        String::from_utf8(out).unwrap()
    }

    /// Shapes and messages recorded from Solr 9.10.1.
    #[test]
    fn what_is_asked_for_is_shown() {
        let check = |form: &str, expected: &str| assert_eq!(shown(form), expected, "{form}");
        check(
            "group=core&prefix=SEARCHER.searcher.num,x",
            r#"{"metrics":{"solr.core.films":{"SEARCHER.searcher.numDocs":14}}}"#,
        );
        check(
            "group=core&prefix=CACHE&property=hits&property=hitratio",
            r#"{"metrics":{"solr.core.films":{"CACHE.searcher.filterCache":{"hits":1,"hitratio":0.25}}}}"#,
        );
        check(
            "regex=SEARCHER.*&compact=false",
            r#"{"metrics":{"solr.core.films":{"SEARCHER.searcher.numDocs":{"value":14}}}}"#,
        );
        check("registry=solr.node", r#"{"metrics":{"solr.node":{"CONTAINER.cores.loaded":1}}}"#);
        check("group=core&prefix=CACHE&property=nope", r#"{"metrics":{}}"#);
        check("type=counter", r#"{"metrics":{}}"#);
        check(
            "type=bogus",
            "Invalid metric type in: [bogus] specified. Must be one of [histogram, meter, timer, counter, gauge, all]",
        );
        check(
            "key=solr.core.films:CACHE.searcher.filterCache:hits",
            r#"{"metrics":{"solr.core.films:CACHE.searcher.filterCache:hits":1}}"#,
        );
        check(
            "key=x",
            r#"{"metrics":{},"errors":{"x":"at least two and at most three colon-separated parts must be provided"}}"#,
        );
        check("key=nope:CACHE", r#"{"metrics":{},"errors":{"nope:CACHE":"registry 'nope' not found"}}"#);
        check(
            "key=solr.core.films:nope",
            r#"{"metrics":{},"errors":{"solr.core.films:nope":"metric 'nope' not found"}}"#,
        );
        assert!(shown("regex=(").contains("no regular expression"));
    }
}
