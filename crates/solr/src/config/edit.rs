//! The Config API's writes: JSON commands that make one overlay of another. All of a request's commands
//! apply, or none does and each failure is reported in Solr's words, recorded from 9.10.1. A part that would
//! have no effect is refused: in Solr it could not be loaded either.

use plan::ConfigSource;

use super::load::rebuild;
use super::loaded::LoadedConfig;
use super::param_sets::TEXT_BYTES_MAX;
use crate::commands::{Command, Complaint, EditError, Object, commands, refused};
use crate::config::kinds::Kind;
use crate::config::overlay::Overlay;
use crate::config::properties;
use crate::update::RawValue;
use crate::xml_tree::Element;

/// What the errors of this API begin with.
const ABOUT: &str = "commands";
type Complaints = Vec<Complaint>;

/// What a body's commands make of a configuration. `read` gives the files that new parts name.
///
/// Solr differs: it keeps parts that it cannot load, and the core cannot be opened again
/// (`compat/admin/config.yaml`).
pub fn edit(
    source: &ConfigSource,
    body: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<LoadedConfig, EditError> {
    let commands = commands(body)?;
    let before = rebuild(source.clone(), read)?;
    let mut editor = Editor { overlay: Overlay::parse(&source.overlay.text)?, declared: &before.root };
    let failures: Vec<_> = commands.iter().filter_map(|it| Some((it, editor.apply(it).err()?))).collect();
    if !failures.is_empty() {
        return Err(refused(ABOUT, &failures));
    }
    let text = editor.overlay.to_text();
    let refuse = |complaint: String| match commands.last() {
        Some(last) => refused(ABOUT, &[(last, vec![complaint])]),
        None => plan::Error::bad_request(complaint).into(),
    };
    if text.len() > TEXT_BYTES_MAX {
        return Err(refuse(format!(
            "configoverlay.json would have `{}` bytes; change the configset's solrconfig.xml instead",
            text.len()
        )));
    }
    let changed = ConfigSource { overlay: source.overlay.changed(text), ..source.clone() };
    let after = rebuild(changed, read).map_err(|error| refuse(error.message))?;
    match after.warnings.iter().find(|warning| !before.warnings.contains(warning)) {
        Some(warning) => Err(refuse(warning.clone())),
        None => Ok(after),
    }
}

struct Editor<'a> {
    overlay: Overlay,
    /// The file with the overlay as it was.
    declared: &'a Element,
}

impl Editor<'_> {
    fn apply(&mut self, command: &Command) -> Result<(), Complaints> {
        match command.name.as_str() {
            "set-property" => self.set_properties(command),
            "unset-property" => {
                let property = properties::find(&command.value.to_text()).map_err(one)?;
                self.overlay.unset_property(property);
                Ok(())
            }
            "set-user-property" => {
                for (name, value) in values(command)? {
                    self.overlay.set_user_property(name, value.clone());
                }
                Ok(())
            }
            "unset-user-property" => self.unset_user_properties(&command.value),
            other => {
                let named =
                    other.split_once('-').and_then(|(verb, kind)| Some((verb, Kind::of_command(kind)?)));
                match named {
                    Some(("add" | "create", kind)) => self.add(command, kind),
                    Some(("update", kind)) => self.update(command, kind),
                    Some(("delete", kind)) => self.delete(command, kind),
                    _ => Err(one(format!("Unknown operation '{other}' "))),
                }
            }
        }
    }

    fn set_properties(&mut self, command: &Command) -> Result<(), Complaints> {
        let found: Result<Vec<_>, Complaint> = values(command)?
            .iter()
            .map(|(path, value)| {
                let property = properties::find(path)?;
                Ok((property, property.value(value)?))
            })
            .collect();
        for (property, value) in found.map_err(one)? {
            self.overlay.set_property(property, value);
        }
        Ok(())
    }

    fn unset_user_properties(&mut self, names: &RawValue) -> Result<(), Complaints> {
        let names = match names {
            RawValue::List(names) => names.iter().map(RawValue::to_text).collect(),
            name => vec![name.to_text()],
        };
        if names.iter().any(|name| self.overlay.user_property(name).is_none()) {
            return Err(one(format!("No such property '[{}]'", names.join(", "))));
        }
        names.iter().for_each(|name| self.overlay.unset_user_property(name));
        Ok(())
    }

    fn add(&mut self, command: &Command, kind: &Kind) -> Result<(), Complaints> {
        let name = checked_name(command, kind)?;
        if self.is_there(kind, &name) {
            return Err(one(format!(
                " '{name}' already exists . Do an 'update-{}' , if you want to change it ",
                kind.command
            )));
        }
        self.overlay.set(kind, &name, command.value.clone());
        Ok(())
    }

    fn update(&mut self, command: &Command, kind: &Kind) -> Result<(), Complaints> {
        let name = checked_name(command, kind)?;
        if !self.is_there(kind, &name) {
            return Err(one(format!(
                " '{name}' does not exist . Do an 'create-{}' , if you want to create it ",
                kind.command
            )));
        }
        self.overlay.set(kind, &name, command.value.clone());
        Ok(())
    }

    /// Only what the overlay has can go.
    fn delete(&mut self, command: &Command, kind: &Kind) -> Result<(), Complaints> {
        if matches!(command.value, RawValue::Map(_)) {
            return Err(vec![
                format!("The value has to be a string for command : '{}' ", command.name),
                format!("'{}' is a required field", command.name),
            ]);
        }
        let name = command.value.to_text();
        if !self.overlay.has(kind, &name) {
            return Err(one(format!("NO such {} '{name}' ", kind.element)));
        }
        self.overlay.remove(kind, &name);
        Ok(())
    }

    fn is_there(&self, kind: &Kind, name: &str) -> bool {
        let mut declared = self.declared.all(kind.element);
        self.overlay.has(kind, name) || declared.any(|it| it.attribute("name") == Some(name))
    }
}

fn one(complaint: Complaint) -> Complaints {
    vec![complaint]
}

fn values(command: &Command) -> Result<&[(std::sync::Arc<str>, RawValue)], Complaints> {
    Object::of(&command.value).map(|object| object.entries).ok_or_else(|| {
        one(format!(
            "The command '{}' should have the values as a json object {{key:val}} format but is '{}'",
            command.name,
            command.value.to_text()
        ))
    })
}

/// The name of a part whose class is served.
fn checked_name(command: &Command, kind: &Kind) -> Result<String, Complaints> {
    let object = Object::with_keys(command, kind.required)?;
    let class = object.text("class");
    if kind.serves(&class) {
        Ok(object.text("name"))
    } else {
        Err(one(format!(" Error loading class '{class}'")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::Node;

    const XML: &str = "<config><requestHandler name='/select' class='solr.SearchHandler'>\
        <lst name='defaults'><str name='df'>${my.df:none}</str></lst></requestHandler></config>";

    fn run(source: &ConfigSource, body: &str) -> Result<LoadedConfig, EditError> {
        edit(source, body, &|_| None)
    }

    fn plain() -> ConfigSource {
        ConfigSource { xml: XML.to_owned(), ..ConfigSource::default() }
    }

    #[test]
    fn commands_change_what_is_in_force() {
        let check = |body: &str, expected: &str| {
            let loaded = run(&plain(), body).unwrap();
            let config = &loaded.config;
            let shown = format!("{:?} {:?} {:?}", config.auto_commit, config.handlers, config.updates.named);
            assert!(shown.contains(expected), "{body}: {shown}");
            assert_eq!(config.source.overlay.version, Some(0));
        };
        check(r#"{"set-property":{"updateHandler.autoCommit.maxDocs":100}}"#, "flush_after_docs: Some(100)");
        check(r#"{"set-user-property":{"my.df":"title_t"}}"#, r#"("df", "title_t")"#);
        check(
            r#"{"update-requesthandler":{"name":"/select","class":"solr.SearchHandler","defaults":{"rows":2}}}"#,
            r#"[("rows", "2")]"#,
        );
        check(
            r#"{"add-requesthandler":[{"name":"/a","class":"solr.SearchHandler"},{"name":"/b","class":"SearchHandler","useParams":"x,y"}]}"#,
            r#"use_params: ["x", "y"]"#,
        );
        check(
            r#"{"add-initparams":{"name":"i","path":"/select","defaults":{"q":"*:*"}}}"#,
            r#"("q", "*:*")"#,
        );
        check(
            r#"{"add-updateprocessor":{"name":"short","class":"solr.TruncateFieldUpdateProcessorFactory","fieldName":"a_s","maxLength":5}}"#,
            "Truncate { chars_max: 5 }",
        );
    }

    #[test]
    fn what_does_not_apply_is_told() {
        let check = |body: &str, expected: &str| {
            let shown = match run(&plain(), body) {
                Ok(_) => panic!("{body} applies"),
                Err(EditError::Malformed(error)) => error.message,
                Err(EditError::Refused { details: Node::Array(details), .. }) => format!("{details:?}"),
                Err(refused) => format!("{refused:?}"),
            };
            assert!(shown.contains(expected), "{body}: {shown}");
        };
        check(r#"{"set-property":{"a.b":1}}"#, "'a.b' is not an editable property");
        check(
            r#"{"set-property":"x"}"#,
            "should have the values as a json object {key:val} format but is 'x'",
        );
        check(r#"{"unset-user-property":"n"}"#, "No such property '[n]'");
        check(r#"{"frob":{}}"#, "Unknown operation 'frob' ");
        check(r#"{"add-requesthandler":{"name":"/a"}}"#, "'class' is a required field");
        check(r#"{"add-requesthandler":{"name":"/a","class":"x.Y"}}"#, " Error loading class 'x.Y'");
        check(r#"{"add-requesthandler":{"name":"/a","class":"evil.SearchHandler"}}"#, " Error loading class");
        check(r#"{"add-requesthandler":{"name":"/select","class":"solr.SearchHandler"}}"#, "already exists");
        check(r#"{"update-requesthandler":{"name":"/a","class":"solr.SearchHandler"}}"#, "does not exist");
        check(r#"{"delete-requesthandler":"/select"}"#, "NO such requestHandler '/select' ");
        check(r#"{"delete-requesthandler":{"name":"/select"}}"#, "The value has to be a string");
        check(
            r#"{"add-requesthandler":{"name":"/a","class":"solr.SearchHandler","components":["x"]}}"#,
            "Unknown Search Component: x",
        );
        check(
            r#"{"add-requesthandler":{"name":"/a","class":"solr.SearchHandler","odd":{"x":1}}}"#,
            "`odd` is not supported yet",
        );
        let processor = |class: &str| {
            format!(
                r#"{{"add-updateprocessor":{{"name":"p","class":"solr.{class}UpdateProcessorFactory"}}}}"#
            )
        };
        check(&processor("TruncateField"), "Init param is missing: `maxLength`");
        check(&processor("StatelessScript"), " Error loading class");
        check("[]", "The JSON must be an Object");
        check("{", "");
    }

    #[test]
    fn one_failure_undoes_all_and_deleting_restores() {
        let body = r#"{"set-property":{"query.maxBooleanClauses":7},"delete-requesthandler":"/x"}"#;
        assert!(run(&plain(), body).is_err());
        let update = r#"{"update-requesthandler":{"name":"/select","class":"solr.SearchHandler"}}"#;
        let updated = run(&plain(), update).unwrap();
        assert!(updated.config.handlers[0].defaults.is_empty());
        let restored = run(&updated.config.source, r#"{"delete-requesthandler":"/select"}"#).unwrap();
        assert_eq!(restored.config.handlers[0].defaults.len(), 1);
        assert_eq!(restored.config.source.overlay.version, Some(1));
    }
}
