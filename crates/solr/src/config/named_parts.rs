//! Query parsers, response writers, transformers and functions that a `solrconfig.xml` gives names of its
//! own: each class of Solr's that is served, with the name that the same part has anyway. Caches, listeners
//! and query converters are accepted by their classes too: they change no answer.

use plan::{NamedPart, NamedParts, Result};

use crate::config::refusal::{not_supported, wrong};
use crate::config::settings::Settings;
use crate::query::PARSER_PLUGINS;
use crate::xml_tree::Element;

/// Classes by their short names, each with the name of what it is.
pub(super) type Classes = &'static [(&'static str, &'static str)];

pub(super) const WRITERS: Classes = &[
    ("JSONResponseWriter", JSON),
    ("GeoJSONResponseWriter", GEO_JSON),
    ("XMLResponseWriter", "xml"),
    ("BinaryResponseWriter", "javabin"),
    ("JavaBinResponseWriter", "javabin"),
    ("CSVResponseWriter", "csv"),
    ("CborResponseWriter", "cbor"),
    ("PythonResponseWriter", "python"),
    ("RubyResponseWriter", "ruby"),
    ("PHPResponseWriter", "php"),
    ("PHPSerializedResponseWriter", "phps"),
    ("RawResponseWriter", "raw"),
];
const JSON: &str = "json";
const GEO_JSON: &str = "geojson";
/// Writers whose content type a declaration may say.
const RENAMED: &[&str] = &[JSON, GEO_JSON, "php", "phps"];

pub(super) const TRANSFORMERS: Classes = &[
    ("ValueAugmenterFactory", VALUE),
    ("ExplainAugmenterFactory", EXPLAIN),
    ("DocIdAugmenterFactory", "docid"),
    ("ShardAugmenterFactory", "shard"),
    ("CoreAugmenterFactory", "core"),
    ("ChildDocTransformerFactory", "child"),
    ("SubQueryAugmenterFactory", "subquery"),
    ("ElevatedMarkerFactory", "elevated"),
    ("ExcludedMarkerFactory", "excluded"),
    ("GeoTransformerFactory", "geo"),
    ("RawValueTransformerFactory", RAW),
];
const RAW: &str = "json";
const VALUE: &str = "value";
const EXPLAIN: &str = "explain";

/// Solr's other functions have no classes of their own.
pub(super) const FUNCTIONS: Classes = &[("GeoDistValueSourceParser", "geodist")];

/// What changes no answer: the caches are the node's, and what listeners warm is warmed by the first search.
pub(super) const CACHES: Classes = &[("CaffeineCache", "")];
pub(super) const LISTENERS: Classes = &[("QuerySenderListener", "")];
/// What spellcheck does to a query anyway.
pub(super) const CONVERTERS: Classes = &[("SpellingQueryConverter", "")];

/// What it is that a class, by its short name, is.
pub(super) fn served(classes: Classes, class: &str) -> Option<&'static str> {
    classes.iter().find(|(known, _)| *known == class).map(|(_, name)| *name)
}

/// Reads all declarations. A class that is not served is a warning, and its name stays unknown.
pub(super) fn read(root: &Element, warnings: &mut Vec<String>) -> Result<NamedParts> {
    for (element, classes) in
        [("cache", CACHES), ("listener", LISTENERS), ("queryConverter", CONVERTERS), ("expressible", &[])]
    {
        // Caches and listeners may also stand where what they belong to does.
        let places = std::iter::once(root).chain(root.first("query"));
        let declared = places.flat_map(|place| place.all(element));
        warnings.extend(declared.filter(|it| class_of(it, classes).is_none()).map(not_supported));
    }
    let mut parts = |element: &str, classes: Classes, settings: Read| -> Result<Vec<NamedPart>> {
        let mut parts: Vec<NamedPart> = Vec::new();
        for declared in root.all(element) {
            let name =
                declared.attribute("name").ok_or_else(|| wrong(&format!("a {element} has no `name`")))?;
            let Some(stands_for) = class_of(declared, classes) else {
                warnings.push(not_supported(declared));
                continue;
            };
            warnings.extend(unheeded_settings(stands_for, declared));
            let settings = settings(stands_for, declared)?;
            parts.retain(|known| known.name != name);
            parts.push(NamedPart { name: name.to_owned(), stands_for: stands_for.to_owned(), settings });
        }
        Ok(parts)
    };
    let writers = parts("queryResponseWriter", WRITERS, of_writer)?;
    Ok(NamedParts {
        parsers: parts("queryParser", PARSER_PLUGINS, of_parser)?,
        writer_assumed: writer_assumed(root, &writers),
        writers,
        transformers: parts("transformer", TRANSFORMERS, of_transformer)?,
        functions: parts("valueSourceParser", FUNCTIONS, no_settings)?,
    })
}

fn class_of(declared: &Element, classes: Classes) -> Option<&'static str> {
    let class = declared.attribute("class")?;
    served(classes, class.rsplit('.').next().unwrap_or(class))
}

/// Settings that Solr's classes read, and that count for nothing here: (what it stands for, setting).
const UNHEEDED: &[(&str, &str)] =
    &[("join", "allowSolrUrls"), ("join", "routerField"), ("raw", "base"), ("shard", "args")];

fn unheeded_settings(stands_for: &str, declared: &Element) -> Vec<String> {
    let told = |(_, setting): &(&str, &str)| {
        let (element, name) = (&declared.name, declared.attribute("name").unwrap_or_default());
        format!("{element} `{name}`: `{setting}` is not supported yet and has no effect")
    };
    let of_part = UNHEEDED.iter().filter(|(part, _)| *part == stands_for);
    of_part.filter(|(_, setting)| Settings::of(declared).get(setting).is_some()).map(told).collect()
}

/// What a declaration of a part that stands for this one presets.
type Read = fn(&str, &Element) -> Result<Vec<(String, String)>>;

fn no_settings(_: &str, _: &Element) -> Result<Vec<(String, String)>> {
    Ok(vec![])
}

/// The last that says it is the default, as in Solr. One that is not served is told of by its class.
fn writer_assumed(root: &Element, writers: &[NamedPart]) -> Option<String> {
    let defaults = root.all("queryResponseWriter").filter(|it| it.attribute("default") == Some("true"));
    let name = defaults.filter_map(|it| it.attribute("name")).last()?;
    NamedPart::find(writers, name).map(|writer| writer.name.clone())
}

/// Of Solr's parsers one alone has settings that change a query: whether the words of a phrase keep their
/// order unless the query says.
fn of_parser(stands_for: &str, declared: &Element) -> Result<Vec<(String, String)>> {
    const IN_ORDER: &str = "inOrder";
    let value = Settings::of(declared).text(IN_ORDER).filter(|_| stands_for == "complexphrase");
    Ok(value.map(|value| (IN_ORDER.to_owned(), value)).into_iter().collect())
}

/// JSON and PHP alone may be called otherwise, as in Solr.
fn of_writer(stands_for: &str, declared: &Element) -> Result<Vec<(String, String)>> {
    const CONTENT_TYPE: &str = "content-type";
    let Some(value) = Settings::of(declared).text(CONTENT_TYPE).filter(|_| RENAMED.contains(&stands_for))
    else {
        return Ok(vec![]);
    };
    if !value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) {
        return Err(wrong(&format!("`{CONTENT_TYPE}` is `{value}`; write it in ASCII")));
    }
    Ok(vec![(CONTENT_TYPE.to_owned(), value)])
}

fn of_transformer(stands_for: &str, declared: &Element) -> Result<Vec<(String, String)>> {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let setting = |name: &str| declared.children.iter().find(|it| it.attribute("name") == Some(name));
    Ok(match stands_for {
        VALUE => match setting("value").or_else(|| setting("defaultValue")) {
            Some(value) => vec![pair("v", value.trimmed()), pair("t", &value.name)],
            None => vec![],
        },
        // Without an argument it is for every writer.
        RAW => {
            let args = Settings::of(declared).get("args").unwrap_or_default();
            vec![pair("wt", args.strip_prefix("wt=").unwrap_or("*"))]
        }
        EXPLAIN => Settings::of(declared).get("args").map(|style| pair("style", style)).into_iter().collect(),
        _ => vec![],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml_tree;

    fn parts(xml: &str) -> (Result<NamedParts>, Vec<String>) {
        let root = xml_tree::parse("test", &format!("<config>{xml}</config>"), &|_| None).unwrap();
        let mut warnings = Vec::new();
        (read(&root, &mut warnings), warnings)
    }

    #[test]
    fn classes_have_names() {
        let check = |xml: &str, expected: &str| {
            let (read, warnings) = parts(xml);
            let NamedParts { parsers, writers, writer_assumed: _, transformers, functions } = read.unwrap();
            let all = [parsers, writers, transformers, functions].concat();
            let shown: Vec<_> =
                all.iter().map(|it| format!("{}={}{:?}", it.name, it.stands_for, it.settings)).collect();
            assert_eq!((shown.join(" ").as_str(), warnings), (expected, vec![]), "{xml}");
        };
        check("<queryParser name='a' class='solr.search.DisMaxQParserPlugin'/>", "a=dismax[]");
        check(
            "<queryResponseWriter name='a' class='solr.JSONResponseWriter'><str name='content-type'>x/y</str></queryResponseWriter>",
            r#"a=json[("content-type", "x/y")]"#,
        );
        check(
            "<queryResponseWriter name='a' class='solr.CSVResponseWriter'><str name='content-type'>x/y</str></queryResponseWriter>",
            "a=csv[]",
        );
        check(
            "<queryParser name='a' class='solr.ComplexPhraseQParserPlugin'><bool name='inOrder'>false</bool></queryParser>",
            r#"a=complexphrase[("inOrder", "false")]"#,
        );
        check(
            "<transformer name='a' class='x.RawValueTransformerFactory'><str name='args'>wt=xml</str></transformer>",
            r#"a=json[("wt", "xml")]"#,
        );
        check("<transformer name='a' class='x.RawValueTransformerFactory'/>", r#"a=json[("wt", "*")]"#);
        check(
            "<transformer name='a' class='x.ValueAugmenterFactory'><int name='value'>7</int></transformer>",
            r#"a=value[("v", "7"), ("t", "int")]"#,
        );
        check(
            "<queryParser name='a' class='solr.TermQParserPlugin'/><queryParser name='a' class='solr.RawQParserPlugin'/>",
            "a=raw[]",
        );
        check("<cache name='c' class='solr.CaffeineCache'/><listener class='solr.QuerySenderListener'/>", "");
    }

    #[test]
    fn one_writer_is_the_default() {
        let writer = |name: &str, class: &str, default: &str| {
            format!(
                "<queryResponseWriter name='{name}' class='solr.{class}ResponseWriter' default='{default}'/>"
            )
        };
        let assumed = |xml: &str| parts(xml).0.unwrap().writer_assumed;
        let (xml, csv) = (writer("x", "XML", "true"), writer("c", "CSV", "true"));
        assert_eq!(assumed(&writer("x", "XML", "false")), None);
        assert_eq!(assumed(&xml).as_deref(), Some("x"));
        assert_eq!(assumed(&format!("{xml}{csv}")).as_deref(), Some("c"));
        assert_eq!(assumed(&writer("v", "Velocity", "true")), None);
    }

    #[test]
    fn what_is_not_served_is_said() {
        let check = |xml: &str, expected: &str| {
            let (read, warnings) = parts(xml);
            let shown = read.map_or_else(|error| error.message, |_| warnings.join("; "));
            assert!(shown.contains(expected), "{xml}: {shown}");
        };
        check(
            "<queryParser name='a' class='x.Own'/>",
            "queryParser `a` of class `x.Own` is not supported yet",
        );
        check(
            "<queryResponseWriter name='a' class='solr.VelocityResponseWriter'/>",
            "VelocityResponseWriter",
        );
        check("<expressible name='a' class='solr.Own'/>", "expressible `a`");
        check("<query><listener event='newSearcher' class='x.Own'/></query>", "listener of class `x.Own`");
        check("<query><cache name='c' class='x.Own'/></query>", "cache `c` of class `x.Own`");
        let with = |element: &str, class: &str, setting: &str| {
            format!("<{element} name='a' class='solr.{class}'><str name='{setting}'>1</str></{element}>")
        };
        check(&with("queryParser", "JoinQParserPlugin", "routerField"), "`routerField`");
        check(&with("queryParser", "JoinQParserPlugin", "allowSolrUrls"), "`allowSolrUrls`");
        check(&with("queryResponseWriter", "RawResponseWriter", "base"), "`base`");
        check(&with("transformer", "ShardAugmenterFactory", "args"), "`args`");
        check("<transformer class='x.ValueAugmenterFactory'/>", "a transformer has no `name`");
        check(
            "<queryResponseWriter name='a' class='solr.JSONResponseWriter'><str name='content-type'>x\u{e9}</str></queryResponseWriter>",
            "write it in ASCII",
        );
    }
}
