//! Parameters under names (`useParams`), changed over HTTP below `/config/params`: Solr's `params.json`, its
//! commands and what is shown of it. Shapes and wording recorded from Solr 9.10.1. In: the text of
//! `params.json` and a body of commands; out: the next text, which the handler puts in place, or the sets as
//! handlers take them. What a set does to a request is `params/pairs.rs`.

use plan::{ConfigSource, ParamSet, Result, VersionedText};

use crate::commands::{
    self, Command, Complaint, EditError, Fields, Object, commands, object_in, put, refused,
};
use crate::config::refusal::wrong;
use crate::response::{Entries, Node};
use crate::update::RawValue;

/// What the errors of this API begin with.
const ABOUT: &str = "params";

const SETS: &str = "params";
const APPENDS: &str = "_appends_";
const INVARIANTS: &str = "_invariants_";
/// Longest text that an API of the configuration writes: `params.json`, and `configoverlay.json`.
pub(super) const TEXT_BYTES_MAX: usize = 1 << 20;
/// Under no name a set keeps its version, `{"v":0}`.
const ABOUT_SET: &str = "";

/// The sets of a `params.json`. Nothing is none.
fn sets(text: &str) -> Result<Fields> {
    if text.trim().is_empty() {
        return Ok(vec![]);
    }
    let fields = commands::object(text)?.unwrap_or_default();
    match fields.into_iter().find(|(name, _)| &**name == SETS) {
        Some((_, RawValue::Map(sets))) => Ok(sets),
        _ => Err(wrong("params.json has no object `params`")),
    }
}

/// The names of sets of parameters, as `useParams` lists them.
pub fn set_names(list: &str) -> Vec<String> {
    list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// As handlers take them.
pub(super) fn load(text: &str) -> Result<Vec<ParamSet>> {
    let set = |(name, value): &(std::sync::Arc<str>, RawValue)| {
        let object = Object::of(value).unwrap_or_default();
        let section = |name: &str| object.get(name).and_then(Object::of).map(|it| pairs(it.entries));
        ParamSet {
            name: name.to_string(),
            defaults: Some(pairs(object.entries)),
            appends: section(APPENDS),
            invariants: section(INVARIANTS),
        }
    };
    Ok(sets(text)?.iter().map(set).collect())
}

/// A list repeats its name; objects are no parameters.
fn pairs(fields: &[(std::sync::Arc<str>, RawValue)]) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (name, value) in fields {
        match value {
            RawValue::Map(_) => {}
            RawValue::List(values) => {
                pairs.extend(values.iter().map(|value| (name.to_string(), value.to_text())));
            }
            value => pairs.push((name.to_string(), value.to_text())),
        }
    }
    pairs
}

/// What a body's commands make of the sets.
pub fn edit(source: &ConfigSource, body: &str) -> Result<VersionedText, EditError> {
    let commands = commands(body)?;
    let mut sets = sets(&source.params.text)?;
    let failures: Vec<_> =
        commands.iter().filter_map(|it| Some((it, vec![apply(it, &mut sets).err()?]))).collect();
    if !failures.is_empty() {
        return Err(refused(ABOUT, &failures));
    }
    let text = commands::object_text(&vec![(SETS.into(), RawValue::Map(sets))]);
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("params.json would have `{}` bytes; delete sets that nobody uses", text.len());
        return Err(plan::Error::bad_request(message).into());
    }
    Ok(source.params.changed(text))
}

fn apply(command: &Command, sets: &mut Fields) -> Result<(), Complaint> {
    match (command.name.as_str(), &command.value) {
        ("set", RawValue::Map(named)) => named.iter().try_for_each(|(name, value)| set(sets, name, value)),
        ("update", RawValue::Map(named)) => {
            named.iter().try_for_each(|(name, value)| update(sets, name, value))
        }
        ("delete", RawValue::List(names)) => names.iter().try_for_each(|name| delete(sets, &name.to_text())),
        ("delete", name) => delete(sets, &name.to_text()),
        ("set" | "update", value) => Err(format!(
            "The command '{}' should have the values as a json object {{key:val}} format but is '{}'",
            command.name,
            value.to_text()
        )),
        (other, _) => Err(format!("Unknown operation '{other}' ")),
    }
}

fn set(sets: &mut Fields, name: &str, value: &RawValue) -> Result<(), Complaint> {
    let fields = checked(name, value)?;
    let version = sets.iter().find(|(known, _)| &**known == name).map(|(_, set)| version(set));
    put(sets, name, with_version(fields.to_vec(), version.map_or(0, |version| version.saturating_add(1))));
    Ok(())
}

/// Parameters that the set has already are replaced, those of its sections too.
fn update(sets: &mut Fields, name: &str, value: &RawValue) -> Result<(), Complaint> {
    let fields = checked(name, value)?;
    let Some((_, present)) = sets.iter_mut().find(|(known, _)| &**known == name) else {
        return Err(format!("unknown paramset {name} cannot update "));
    };
    let version = version(present).saturating_add(1);
    let RawValue::Map(mut merged) = std::mem::replace(present, RawValue::Null) else {
        return Err(format!("invalid params for key : {name}"));
    };
    for (key, value) in fields {
        match value {
            RawValue::Map(section) => {
                let into = object_in(&mut merged, key);
                section.iter().for_each(|(key, value)| put(into, key, value.clone()));
            }
            value => put(&mut merged, key, value.clone()),
        }
    }
    *present = with_version(merged, version);
    Ok(())
}

fn delete(sets: &mut Fields, name: &str) -> Result<(), Complaint> {
    let before = sets.len();
    sets.retain(|(known, _)| &**known != name);
    if sets.len() < before { Ok(()) } else { Err(format!("Could not delete. No such params '{name}' exist")) }
}

fn checked<'a>(name: &str, value: &'a RawValue) -> Result<&'a [(std::sync::Arc<str>, RawValue)], Complaint> {
    if name.is_empty() {
        return Err("null key ".to_owned());
    }
    if !name.chars().all(|it| it.is_ascii_alphanumeric() || "_-.".contains(it)) {
        return Err(format!("'{name}' name should only have chars [a-zA-Z_-.0-9] "));
    }
    Object::of(value).map(|it| it.entries).ok_or_else(|| format!("invalid params for key : {name}"))
}

fn version(set: &RawValue) -> i64 {
    let about = Object::of(set).and_then(|set| set.get(ABOUT_SET));
    match about.and_then(Object::of).and_then(|about| about.get("v")) {
        Some(RawValue::Long(version)) => *version,
        _ => 0,
    }
}

fn with_version(mut set: Fields, version: i64) -> RawValue {
    set.retain(|(key, _)| &**key != ABOUT_SET);
    set.push((ABOUT_SET.into(), RawValue::Map(vec![("v".into(), RawValue::Long(version))])));
    RawValue::Map(set)
}

/// The answer to `/config/params`, of all sets or of one.
pub fn view(source: &ConfigSource, only: Option<&str>) -> Result<Entries> {
    let mut sets = sets(&source.params.text)?;
    let version = source.params.version.map_or(-1, i64::from);
    let mut entries: Entries = vec![("znodeVersion".into(), Node::Long(version))];
    sets.retain(|(name, _)| only.is_none_or(|only| only == &**name));
    if !sets.is_empty() || (only.is_none() && source.params.version.is_some()) {
        entries.push(("params".into(), Node::Map(commands::shown(&sets))));
    }
    Ok(vec![("response".into(), Node::Map(entries))])
}

/// One set as it is kept.
pub(crate) fn shown(source: &ConfigSource, name: &str) -> Option<Node> {
    let sets = sets(&source.params.text).ok()?;
    sets.into_iter().find(|(known, _)| &**known == name).map(|(_, value)| Node::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(bodies: &[&str]) -> Result<ConfigSource, String> {
        let mut source = ConfigSource::default();
        for body in bodies {
            source.params = edit(&source, body).map_err(|error| format!("{error:?}"))?;
        }
        Ok(source)
    }

    #[test]
    fn sets_are_made_changed_and_deleted() {
        let check = |bodies: &[&str], expected: &str| {
            let source = run(bodies).unwrap();
            let text: String = source.params.text.split_whitespace().collect();
            assert_eq!(text, expected, "{bodies:?}");
        };
        let set = r#"{"set":{"a":{"rows":1,"fq":["x","y"],"_appends_":{"fq":"z"}}}}"#;
        check(&[set], r#"{"params":{"a":{"rows":1,"fq":["x","y"],"_appends_":{"fq":"z"},"":{"v":0}}}}"#);
        check(
            &[set, r#"{"update":{"a":{"q":"z","rows":2,"_appends_":{"sort":"s"}}}}"#],
            r#"{"params":{"a":{"rows":2,"fq":["x","y"],"_appends_":{"fq":"z","sort":"s"},"q":"z","":{"v":1}}}}"#,
        );
        check(&[set, r#"{"set":{"a":{}}}"#, r#"{"delete":["a"]}"#], r#"{"params":{}}"#);
        check(&[set, r#"{"set":{"a":{}}}"#], r#"{"params":{"a":{"":{"v":1}}}}"#);
    }

    #[test]
    fn what_does_not_apply_is_told() {
        let check = |body: &str, expected: &str| {
            let shown = run(&[body]).unwrap_err();
            assert!(shown.contains(expected), "{body}: {shown}");
        };
        check(r#"{"update":{"a":{}}}"#, "unknown paramset a cannot update ");
        check(r#"{"set":{"a b":{}}}"#, "'a b' name should only have chars [a-zA-Z_-.0-9] ");
        check(r#"{"set":{"":{}}}"#, "null key ");
        check(r#"{"set":{"a":"z"}}"#, "invalid params for key : a");
        check(r#"{"set":"z"}"#, "should have the values as a json object");
        check(r#"{"delete":"a"}"#, "No such params 'a' exist");
        check(r#"{"unset":"q"}"#, "Unknown operation 'unset' ");
    }

    #[test]
    fn handlers_take_them_in_order() {
        let source = run(&[
            r#"{"set":{"a":{"rows":1,"fq":["x","y"],"_appends_":{"fq":"z"}},"b":{"rows":2,"o":{"x":1},"_appends_":{"fq":"w"},"_invariants_":{"wt":"xml"}}}}"#,
        ])
        .unwrap();
        let config = plan::CollectionConfig {
            param_sets: load(&source.params.text).unwrap(),
            ..crate::config::fallback()
        };
        let check = |names: &[&str], expected: &str| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            let mut presets =
                plan::HandlerConfig { defaults: vec![pair("rows", "9")], ..plan::HandlerConfig::default() };
            config.add_param_sets(&mut presets, &names);
            let shown = format!("{:?} {:?} {:?}", presets.defaults, presets.appends, presets.invariants);
            assert_eq!(shown, expected, "{names:?}");
        };
        let (x, y) = (r#"("fq", "x"), ("fq", "y")"#, r#"("fq", "z")"#);
        check(&[], r#"[("rows", "9")] [] []"#);
        check(&["none", "a"], r#"[("rows", "9")] [] []"#);
        check(&["a"], &format!(r#"[("rows", "1"), {x}] [{y}] []"#));
        check(&["a", "b"], &format!(r#"[{x}, ("rows", "2")] [("fq", "w"), {y}] []"#));
        check(&["b"], r#"[("rows", "2")] [("fq", "w")] [("wt", "xml")]"#);
    }
}
