//! `/admin/metrics`: figures by registry and name, as Solr 9 shows them. What there is comes in; which of it
//! is asked for (`group`, `registry`, `prefix`, `regex`, `property`, `type`, `key`, `expr`) is decided here.
//! In: registries filled by the server (`metric.rs`) and parameters; out: entries for any writer. Nothing is
//! counted here.

use fancy_regex::Regex;
use plan::{Error, Result};

use super::metric::{Metric, Registry, TYPES, entries};
use crate::params::admin::metrics::{
    COMPACT, EXPRESSION, GROUP, KEY, PREFIX, PROPERTY, REGEX, REGISTRY, TYPE,
};
use crate::params::{Param, Params};
use crate::response::{Entries, Name, Node};

/// What is asked for.
struct Wish<'a> {
    groups: Vec<&'a str>,
    registries: Vec<&'a str>,
    prefixes: Vec<&'a str>,
    expressions: Vec<Regex>,
    properties: Vec<&'a str>,
    /// None is all.
    types: Vec<&'a str>,
    compact: bool,
}

impl<'a> Wish<'a> {
    fn parse(params: &'a Params) -> Result<Self> {
        let types: Vec<&str> = list(params, &TYPE).collect();
        if let Some(unknown) = types.iter().find(|name| !TYPES.contains(name)) {
            let known = TYPES.join(", ");
            return Err(Error::bad_request(format!(
                "Invalid metric type in: [{unknown}] specified. Must be one of [{known}]"
            )));
        }
        let expressions = REGEX.sent_all(params).map(|text| expression(&REGEX, text));
        Ok(Self {
            groups: list(params, &GROUP).filter(|name| *name != "all").collect(),
            registries: list(params, &REGISTRY).collect(),
            prefixes: list(params, &PREFIX).collect(),
            expressions: expressions.collect::<Result<_>>()?,
            properties: PROPERTY.sent_all(params).collect(),
            types: if types.contains(&"all") { vec![] } else { types },
            compact: COMPACT.read(params)?,
        })
    }

    fn wants_registry(&self, name: &str) -> bool {
        let group = name.split('.').nth(1).unwrap_or_default();
        if !self.registries.is_empty() {
            return self.registries.contains(&name);
        }
        self.groups.is_empty() || self.groups.contains(&group)
    }

    fn wants(&self, name: &str, metric: &Metric) -> bool {
        let free = self.prefixes.is_empty() && self.expressions.is_empty();
        let named = free
            || self.prefixes.iter().any(|prefix| name.starts_with(prefix))
            || self.expressions.iter().any(|expression| matches(expression, name));
        named && (self.types.is_empty() || self.types.contains(&metric.kind()))
    }

    /// `None` when nothing of it is asked for.
    fn show(&self, metric: &Metric) -> Option<Node> {
        let wanted = |name: &str| self.properties.is_empty() || self.properties.contains(&name);
        let (alone, compact) = (metric.alone(), self.compact);
        match (metric, alone) {
            (_, Some(alone)) if compact => Some(alone),
            (Metric::Properties(_), _) if !compact => {
                Some(Node::Map(vec![("value".into(), chosen(metric, wanted)?)]))
            }
            _ => chosen(metric, wanted),
        }
    }
}

/// Those figures of a metric that have a name which is wanted; `None` is none of them.
fn chosen(metric: &Metric, wanted: impl Fn(&str) -> bool) -> Option<Node> {
    let mut figures = metric.figures();
    figures.retain(|(name, _)| wanted(name));
    (!figures.is_empty()).then(|| Node::Map(entries(figures)))
}

fn list<'a>(params: &'a Params, param: &Param<String>) -> impl Iterator<Item = &'a str> {
    param.sent_all(params).flat_map(|text| text.split(',')).map(str::trim).filter(|text| !text.is_empty())
}

/// Over the whole name.
fn expression(param: &Param<String>, text: &str) -> Result<Regex> {
    Regex::new(&format!("^(?:{text})$")).map_err(|failure| {
        Error::bad_request(format!(
            "`{}` holds `{text}`, which is no regular expression: {failure}",
            param.name
        ))
    })
}

/// An expression that takes too many steps matches nothing.
fn matches(expression: &Regex, name: &str) -> bool {
    expression.is_match(name).unwrap_or(false)
}

/// The response's entries. Errors: a type or an expression that is none.
pub fn metrics(params: &Params, registries: &[Registry]) -> Result<Entries> {
    if KEY.is_sent(params) {
        return Ok(by_key(params, registries));
    }
    if EXPRESSION.is_sent(params) {
        return by_expression(params, registries);
    }
    let wish = Wish::parse(params)?;
    let mut shown = Entries::new();
    for registry in registries.iter().filter(|registry| wish.wants_registry(&registry.name)) {
        let wanted = registry.metrics.iter().filter(|(name, metric)| wish.wants(name, metric));
        let metrics: Entries =
            wanted.filter_map(|(name, metric)| Some((name.clone().into(), wish.show(metric)?))).collect();
        if !metrics.is_empty() {
            shown.push((registry.name.clone().into(), Node::Map(metrics)));
        }
    }
    Ok(vec![("metrics".into(), Node::Map(shown))])
}

/// `key=<registry>:<name>[:<property>]`, any number of them.
fn by_key(params: &Params, registries: &[Registry]) -> Entries {
    let (mut shown, mut errors) = (Entries::new(), Entries::new());
    for key in KEY.sent_all(params) {
        match find(key, registries) {
            Ok(Some(node)) => shown.push((Name::Owned(key.to_owned()), node)),
            Ok(None) => {}
            Err(why) => errors.push((Name::Owned(key.to_owned()), Node::Str(why.into()))),
        }
    }
    with_errors(shown, errors)
}

fn with_errors(shown: Entries, errors: Entries) -> Entries {
    let mut entries: Entries = vec![("metrics".into(), Node::Map(shown))];
    if !errors.is_empty() {
        entries.push(("errors".into(), Node::Map(errors)));
    }
    entries
}

const PARTS: &str = "at least two and at most three colon-separated parts must be provided";

/// A property that the metric does not have is nothing.
fn find(key: &str, registries: &[Registry]) -> Result<Option<Node>, String> {
    let parts: Vec<&str> = key.split(':').collect();
    let (registry, name, property) = match parts[..] {
        [registry, name] => (registry, name, None),
        [registry, name, property] => (registry, name, Some(property)),
        _ => return Err(PARTS.to_owned()),
    };
    let found = registries.iter().find(|known| known.name == registry);
    let found = found.ok_or_else(|| format!("registry '{registry}' not found"))?;
    let metric = found.metrics.iter().find(|(known, _)| known == name);
    let (_, metric) = metric.ok_or_else(|| format!("metric '{name}' not found"))?;
    Ok(match (metric.alone(), property) {
        (Some(alone), _) => Some(alone),
        (None, None) => Some(Node::Map(entries(metric.figures()))),
        (None, Some(wanted)) => {
            metric.figures().into_iter().find(|(name, _)| *name == wanted).map(|(_, node)| node)
        }
    })
}

/// `expr=<registry>:<name>[:<property>]`, each part an expression, any number of them; together they show
/// what any of them does.
fn by_expression(params: &Params, registries: &[Registry]) -> Result<Entries> {
    let (mut shown, mut errors) = (Vec::<(&str, Entries)>::new(), Entries::new());
    for text in EXPRESSION.sent_all(params) {
        let parts: Vec<&str> = text.split(':').collect();
        let [registry, name, property @ ..] = &parts[..] else {
            errors.push((Name::Owned(text.to_owned()), Node::str(PARTS)));
            continue;
        };
        let property = match property {
            [] => None,
            [property] => Some(expression(&EXPRESSION, property)?),
            _ => {
                errors.push((Name::Owned(text.to_owned()), Node::str(PARTS)));
                continue;
            }
        };
        let (registry, name) = (expression(&EXPRESSION, registry)?, expression(&EXPRESSION, name)?);
        for found in registries.iter().filter(|found| matches(&registry, &found.name)) {
            let chosen = found.metrics.iter().filter(|(known, _)| matches(&name, known));
            let chosen: Entries = chosen
                .filter_map(|(known, metric)| {
                    Some((known.clone().into(), by_properties(metric, property.as_ref())?))
                })
                .collect();
            match shown.iter_mut().find(|(known, _)| *known == found.name) {
                Some((_, entries)) => add_new(entries, chosen),
                None if chosen.is_empty() => {}
                None => shown.push((&found.name, chosen)),
            }
        }
    }
    let shown = shown.into_iter().map(|(name, entries)| (Name::Owned(name.to_owned()), Node::Map(entries)));
    Ok(with_errors(shown.collect(), errors))
}

fn by_properties(metric: &Metric, property: Option<&Regex>) -> Option<Node> {
    metric.alone().or_else(|| chosen(metric, |name| property.is_none_or(|property| matches(property, name))))
}

/// What an earlier expression chose stays as it chose it.
fn add_new(entries: &mut Entries, more: Entries) {
    for (name, node) in more {
        if !entries.iter().any(|(known, _)| *known == name) {
            entries.push((name, node));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::CacheStats;

    use crate::admin::metric::{Rates, Times, cache_metric};
    use crate::response::{Format, JsonStyle};

    fn shown(form: &str) -> String {
        let stats = CacheStats { lookups: 4, hits: 1, inserts: 3, size: 3, ..CacheStats::default() };
        let core = vec![
            ("CACHE.searcher.filterCache".to_owned(), cache_metric(&stats)),
            ("QUERY./select.errors".to_owned(), Metric::Meter(Rates { count: 2, ..Rates::default() })),
            ("QUERY./select.requestTimes".to_owned(), Metric::Timer(Rates::default(), Times::default())),
            ("QUERY./select.requests".to_owned(), Metric::Count(7)),
            ("SEARCHER.searcher.numDocs".to_owned(), Metric::Value(Node::Int(14))),
        ];
        let node = vec![("CONTAINER.cores.loaded".to_owned(), Metric::Value(Node::Int(1)))];
        let registries = vec![
            Registry { name: "solr.core.films".into(), metrics: core },
            Registry { name: "solr.node".into(), metrics: node },
        ];
        let params = crate::params::parse_form(form.as_bytes()).unwrap();
        let mut out = Vec::new();
        match metrics(&params, &registries) {
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
        check("type=counter", r#"{"metrics":{"solr.core.films":{"QUERY./select.requests":7}}}"#);
        check("type=histogram", r#"{"metrics":{}}"#);
        check(
            "type=meter&type=counter&compact=false&property=count",
            r#"{"metrics":{"solr.core.films":{"QUERY./select.errors":{"count":2},"QUERY./select.requests":{"count":7}}}}"#,
        );
        check(
            "type=timer&property=p99_ms&property=1minRate",
            r#"{"metrics":{"solr.core.films":{"QUERY./select.requestTimes":{"1minRate":0.0,"p99_ms":0.0}}}}"#,
        );
        check(
            "prefix=QUERY./select.req,SEARCHER&compact=false&property=p75_ms",
            r#"{"metrics":{"solr.core.films":{"QUERY./select.requestTimes":{"p75_ms":0.0}}}}"#,
        );
        check(
            "expr=solr.core.*:QUERY./select.e.*:count&expr=solr.core.films:QUERY.*requests&expr=x",
            r#"{"metrics":{"solr.core.films":{"QUERY./select.errors":{"count":2},"QUERY./select.requests":7}},"errors":{"x":"at least two and at most three colon-separated parts must be provided"}}"#,
        );
        check(
            "key=solr.core.films:QUERY./select.errors:count",
            r#"{"metrics":{"solr.core.films:QUERY./select.errors:count":2}}"#,
        );
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
