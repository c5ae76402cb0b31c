//! The field list (`fl`): which fields a hit shows, what is computed for it, under which label, in which
//! order it was asked for. How the list is written is `field_list.rs`. Most transformers are refused until
//! they exist.

use std::sync::Arc;

use plan::{Error, FieldSelection, Function, NamedPart, Result, parse_instant};

use super::elevation::{Elevation, HandlerElevation};
use super::subquery::Subquery;
use crate::params::{Params, response};
use crate::query::{LocalParams, QueryContext, java_float, split_local_params};

/// What `[shard]` shows of a document that no other node was asked for.
const NO_SHARD: &str = "[not a shard request]";

/// What each hit shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldList {
    /// Empty only beside columns of searches: no list is `*`.
    pub items: Vec<FieldItem>,
    /// What items compute.
    pub functions: Vec<Function>,
    /// Columns of searches.
    pub subqueries: Vec<Subquery>,
    /// What shards are called, by the numbers of [`plan::Hit::shard`], where it is shown of which each is.
    pub shards: Vec<ShardNames>,
}

/// What `[shard]` and `[core]` show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardNames {
    pub shard: String,
    pub core: String,
}

/// One wish. A field that several wishes cover is shown once.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldItem {
    /// `*`.
    All,
    /// A pattern with `*` or `?`.
    Glob(String),
    Field {
        name: Arc<str>,
        label: Arc<str>,
    },
    Score {
        label: Arc<str>,
    },
    /// `[value v=…]`: the same text or number for each hit.
    Constant {
        label: Arc<str>,
        value: plan::Value,
    },
    /// The value of a function, by its place in [`FieldList::functions`].
    Function {
        label: Arc<str>,
        at: usize,
    },
    /// `[docid]`: the document's number in the index.
    Number {
        label: Arc<str>,
    },
    /// `[child …]`.
    Children {
        local: LocalParams,
        /// The name before it.
        label: Option<Arc<str>>,
    },
    /// `[core]`: the core's name.
    Core {
        label: Arc<str>,
    },
    /// `[shard]`: what the document's shard is called.
    Shard {
        label: Arc<str>,
    },
    /// `[elevated]` and `[excluded]`: whether the document is put first, or hidden, by hand.
    ByHand {
        label: Arc<str>,
        excluded: bool,
    },
    /// `[json]` and `[xml]`: a field's texts, as they are in the answer's own notation.
    Raw {
        name: Arc<str>,
        label: Arc<str>,
    },
    /// `[explain]`.
    Explain {
        label: Arc<str>,
        style: ExplainStyle,
    },
    /// `[geo f=…]`.
    Shape {
        label: Arc<str>,
        field: Arc<str>,
        form: ShapeForm,
    },
}

/// How `[geo]` writes shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeForm {
    GeoJson,
    WellKnownText,
    Legacy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainStyle {
    Text,
    Html,
    /// As a tree.
    Structured,
}

impl FieldList {
    /// What the engine has to load.
    pub fn selection(&self) -> FieldSelection {
        let mut selection = FieldSelection::default();
        for item in &self.items {
            match item {
                FieldItem::All => selection.all = true,
                FieldItem::Glob(glob) => selection.globs.push(glob.clone()),
                FieldItem::Field { name, .. } | FieldItem::Raw { name, .. } => {
                    selection.names.push(name.clone());
                }
                FieldItem::Shape { field, .. } => selection.names.push(field.clone()),
                FieldItem::Score { .. }
                | FieldItem::Constant { .. }
                | FieldItem::Function { .. }
                | FieldItem::Number { .. }
                | FieldItem::Children { .. }
                | FieldItem::Core { .. }
                | FieldItem::Shard { .. }
                | FieldItem::ByHand { .. }
                | FieldItem::Explain { .. } => {}
            }
        }
        selection
    }

    /// Puts the name of the one core where it is asked for.
    pub fn name_core(&mut self, core: &str) {
        for item in &mut self.items {
            let (label, name) = match item {
                FieldItem::Core { label } => (label, core),
                FieldItem::Shard { label } => (label, NO_SHARD),
                _ => continue,
            };
            *item = FieldItem::Constant { label: label.clone(), value: plan::Value::Str(name.to_owned()) };
        }
    }

    /// Whether it is shown of which shard each document is.
    pub fn names_shards(&self) -> bool {
        self.items.iter().any(|item| matches!(item, FieldItem::Core { .. } | FieldItem::Shard { .. }))
    }

    /// Gives `[elevated]` and `[excluded]` their values; they show nothing where no handler elevates
    /// anything.
    pub(super) fn mark_elevated(&mut self, elevation: Option<&Elevation>, handler: HandlerElevation<'_>) {
        let (items, functions) = (&mut self.items, &mut self.functions);
        for item in items.iter_mut() {
            let FieldItem::ByHand { label, excluded } = &*item else { continue };
            let label = label.clone();
            *item = match (elevation, handler) {
                (Some(elevation), _) => {
                    functions.push(if *excluded { elevation.is_excluded() } else { elevation.is_elevated() });
                    FieldItem::Function { label, at: functions.len() - 1 }
                }
                (None, HandlerElevation::Nowhere) => continue,
                (None, _) => FieldItem::Constant { label, value: plan::Value::Bool(false) },
            };
        }
    }

    pub fn scores(&self) -> bool {
        self.items.iter().any(|item| matches!(item, FieldItem::Score { .. }))
    }

    pub fn explains(&self) -> bool {
        self.items.iter().any(|item| matches!(item, FieldItem::Explain { .. }))
    }
}

/// `[value v=5]` and its kin. The inside has the form of local parameters. A name that Solr does not know
/// either shows nothing, as there.
pub(super) fn transformed(
    named: Option<&str>,
    inside: &str,
    params: &Params,
    context: &QueryContext<'_>,
    list: &mut FieldList,
) -> Result<Option<FieldItem>> {
    let text = format!("{{!{inside}}}");
    let (local, _) = split_local_params(&text, params)?;
    let name = local.get("type").unwrap_or_default();
    let shown = format!("[{name}]");
    let label: Arc<str> = named.unwrap_or(&shown).into();
    let own = NamedPart::find(&context.names.own.transformers, name);
    let preset = |name: &str| own.and_then(|own| own.setting(name));
    let name = own.map_or(name, |own| &own.stands_for);
    match name {
        "value" => {
            // What is declared counts, whatever the request says, as in Solr.
            let value = match preset("v") {
                Some(text) => constant(Some(text), preset("t")),
                None => constant(local.get("v"), local.get("t")),
            };
            Ok(Some(FieldItem::Constant { label, value: value? }))
        }
        "child" => Ok(Some(FieldItem::Children { local, label: named.map(Arc::from) })),
        "subquery" => {
            list.subqueries.push(Subquery::parse(named, &local)?);
            Ok(None)
        }
        "elevated" | "excluded" => Ok(Some(FieldItem::ByHand { label, excluded: name == "excluded" })),
        "core" => Ok(Some(FieldItem::Core { label })),
        "json" | "xml" => {
            // In any other notation it is a field like others.
            let only = preset("wt").unwrap_or(name);
            let assumed = context.names.own.writer_assumed.as_deref();
            let writer = response::WT.sent(params).or(assumed).unwrap_or("json");
            let raw = only == "*" || writer == only;
            let name = local.get("f").map_or_else(|| label.clone(), Arc::from);
            Ok(Some(if raw { FieldItem::Raw { name, label } } else { FieldItem::Field { name, label } }))
        }
        "docid" => Ok(Some(FieldItem::Number { label })),
        "shard" => Ok(Some(FieldItem::Shard { label })),
        "explain" => Ok(Some(FieldItem::Explain {
            label,
            style: explain_style(local.get("style").or(preset("style")))?,
        })),
        "geo" => shape(label, &local, context).map(Some),
        // A transformer of an unknown name is left out without an error, as in Solr.
        _ => Ok(None),
    }
}

/// Messages are Solr's, recorded from 9.10.1.
fn shape(label: Arc<str>, local: &LocalParams, context: &QueryContext<'_>) -> Result<FieldItem> {
    let name = local.get("f").unwrap_or(&label);
    let unknown = || Error::bad_request(format!("GeoTransformerFactory using unknown field: {name}"));
    let field = context.find(name).ok_or_else(unknown)?;
    if !field.spec.class().is_place() {
        let class = &field.spec.field_type.source.class;
        let class = class.rsplit('.').next().unwrap_or(class);
        let message = format!("GeoTransformer requested non-spatial field: {name} ({class})");
        return Err(Error::bad_request(message));
    }
    let form = match local.get("w") {
        None | Some("GeoJSON") => ShapeForm::GeoJson,
        Some("WKT") => ShapeForm::WellKnownText,
        Some("LEGACY") => ShapeForm::Legacy,
        Some("POLY") => {
            return Err(Error::bad_request("`w=POLY` of `[geo]` is not supported yet; use GeoJSON or WKT"));
        }
        Some(other) => {
            let message = format!("Unknown Spatial Writer: {other} [GeoJSON WKT POLY LEGACY ]");
            return Err(Error::bad_request(message));
        }
    };
    Ok(FieldItem::Shape { field: name.into(), label, form })
}

fn constant(text: Option<&str>, kind: Option<&str>) -> Result<plan::Value> {
    let text = text.ok_or_else(|| {
        Error::bad_request("ValueAugmenter is missing a value -- should be defined in solrconfig or inline")
    })?;
    let bad = || Error::bad_request(format!("For input string: \"{text}\""));
    match kind {
        Some("int") => text.parse().map(plan::Value::Int).map_err(|_| bad()),
        Some("float") => java_float(text).map(plan::Value::Float).ok_or_else(bad),
        Some("double") => java_float(text).map(plan::Value::Double).ok_or_else(bad),
        Some("date") => parse_instant(text)
            .map(plan::Value::Date)
            .ok_or_else(|| Error::bad_request(format!("Unable to parse date={text}"))),
        // Solr takes any other type for text.
        _ => Ok(plan::Value::Str(text.to_owned())),
    }
}

fn explain_style(style: Option<&str>) -> Result<ExplainStyle> {
    match style {
        None | Some("text") => Ok(ExplainStyle::Text),
        Some("html") => Ok(ExplainStyle::Html),
        Some("nl") => Ok(ExplainStyle::Structured),
        Some(other) => Err(Error::bad_request(format!("Unknown Explain style: {other}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date_math::DateMath;
    use crate::query::tests::Fixture;

    fn parse(lists: &[&str]) -> Result<FieldList> {
        let pairs = lists.iter().map(|list| ("fl".to_owned(), (*list).to_owned())).collect();
        let (fixture, params, dates) = (Fixture::new(), Params::new(pairs), DateMath::new(0));
        FieldList::parse(&params, &fixture.context(&params, &dates))
    }

    /// Labels recorded from Solr 9.10.1.
    #[test]
    fn functions_have_labels() {
        let check = |list: &str, expected: &[(&str, &str)]| {
            let list = parse(&[list]).unwrap();
            let labels = list.items.iter().filter_map(|item| match item {
                FieldItem::Function { label, at } => {
                    Some((label.to_string(), list.functions[*at].to_string()))
                }
                _ => None,
            });
            let expected: Vec<_> = expected.iter().map(|(l, f)| ((*l).to_owned(), (*f).to_owned())).collect();
            assert_eq!(labels.collect::<Vec<_>>(), expected, "{list:?}");
        };
        let sum = "sum(int(a_i),const(1))";
        check("id,sum(a_i,1),a_s", &[("sum(a_i,1)", sum)]);
        check("sum(a_i, 1) a_s", &[("sum(a_i, 1) ", sum)]);
        check("x:{!func}a_i,id", &[("x", "int(a_i)")]);
        check("{!func key=k}sum(a_i,1) id", &[("k", sum)]);
        check("x:{!term f=a_s v=b} , y:-1", &[("x", "query(a_s:b,def=0.0)"), ("y", "const(-1)")]);
        check("x: \"a\",'b'", &[("x", "literal(a)"), ("'b'", "literal(b)")]);
    }

    #[test]
    fn lists_become_items() {
        let field = |name: &str, label: &str| FieldItem::Field { name: name.into(), label: label.into() };
        let score = || FieldItem::Score { label: "score".into() };
        let check = |lists: &[&str], expected: &[FieldItem]| {
            assert_eq!(parse(lists).unwrap().items, expected, "{lists:?}");
        };
        check(&[], &[FieldItem::All]);
        check(&["  "], &[FieldItem::All]);
        check(&["id,a b"], &[field("id", "id"), field("a", "a"), field("b", "b")]);
        check(&["id", "score"], &[field("id", "id"), score()]);
        check(&["score"], &[score()]);
        check(&["id,[nosuch]"], &[field("id", "id")]);
        check(&["x:id,a*"], &[field("id", "x"), FieldItem::Glob("a*".into())]);
        check(
            &["[value v=5 t=int],y:[value v='a b'] id"],
            &[
                FieldItem::Constant { label: "[value]".into(), value: plan::Value::Int(5) },
                FieldItem::Constant { label: "y".into(), value: plan::Value::Str("a b".into()) },
                field("id", "id"),
            ],
        );
        check(
            &["e:[explain style=nl]"],
            &[FieldItem::Explain { label: "e".into(), style: ExplainStyle::Structured }],
        );
    }

    #[test]
    fn what_is_missing_is_refused() {
        for list in ["sum(a,b)", "x:sum(", "[subquery]", "\"a", "[value", "[value]"] {
            assert!(parse(&[list]).is_err(), "{list}");
        }
        assert!(parse(&["a,"; 4096]).is_ok());
        assert!(parse(&["a,"; 4097]).is_err());
    }
}
