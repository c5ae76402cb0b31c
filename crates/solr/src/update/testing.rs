//! What this module's tests share: a schema with one dynamic field for each kind of value, and decoded
//! commands in short. Compiled into tests only. All decoders are tested by the same short form, so that a
//! case can be moved from one format to another.

use std::sync::Arc;

use plan::{Error, Schema};

use crate::schema;
use crate::update::command::{RawValue, UpdateCommand};

const SCHEMA: &str = r#"<schema name="test" version="1.7"><uniqueKey>id</uniqueKey>
  <fieldType name="string" class="solr.StrField"/>
  <fieldType name="strings" class="solr.StrField" multiValued="true"/>
  <fieldType name="text_general" class="solr.TextField" multiValued="true">
    <analyzer><tokenizer name="standard"/></analyzer></fieldType>
  <fieldType name="booleans" class="solr.BoolField" multiValued="true"/>
  <fieldType name="boolean" class="solr.BoolField"/>
  <fieldType name="pint" class="solr.IntPointField"/>
  <fieldType name="plong" class="solr.LongPointField"/>
  <fieldType name="plongs" class="solr.LongPointField" multiValued="true"/>
  <fieldType name="pfloat" class="solr.FloatPointField"/>
  <fieldType name="pdouble" class="solr.DoublePointField"/>
  <fieldType name="pdoubles" class="solr.DoublePointField" multiValued="true"/>
  <fieldType name="pdate" class="solr.DatePointField"/>
  <fieldType name="pdates" class="solr.DatePointField" multiValued="true"/>
  <fieldType name="binary" class="solr.BinaryField"/>
  <fieldType name="uuid" class="solr.UUIDField"/>
  <fieldType name="location" class="solr.LatLonPointSpatialField"/>
  <field name="id" type="string" required="true"/>
  <field name="_version_" type="plong" indexed="false" stored="false"/>
  <field name="_root_" type="string" stored="false" docValues="false"/>
  <field name="req" type="string" required="true" default="filled"/>
  <field name="day" type="pdate" default="NOW/DAY"/>
  <field name="src" type="string"/><field name="cpi" type="pint"/><copyField source="src" dest="cpi"/>
  <dynamicField name="*_s" type="string"/><dynamicField name="*_ss" type="strings"/>
  <dynamicField name="*_str" type="strings" indexed="false" stored="false"/>
  <dynamicField name="*_t" type="text_general" multiValued="false"/>
  <dynamicField name="*_b" type="boolean"/><dynamicField name="*_i" type="pint"/>
  <dynamicField name="*_is" type="pint" multiValued="true"/><dynamicField name="*_l" type="plong"/>
  <dynamicField name="*_f" type="pfloat"/><dynamicField name="*_d" type="pdouble"/>
  <dynamicField name="*_dt" type="pdate"/><dynamicField name="*_bin" type="binary"/>
  <dynamicField name="*_uuid" type="uuid"/><dynamicField name="*_p" type="location"/>
</schema>"#;

pub fn schema() -> Arc<Schema> {
    Arc::new(schema::validate(&schema::load(SCHEMA, &|_| None).unwrap()).unwrap())
}

/// Commands in short, then the error that ended them.
pub fn shown(commands: &[UpdateCommand], failure: Option<Error>) -> String {
    joined(commands.iter().map(short), failure)
}

/// The documents of commands that add, then the error that ended them.
pub fn documents(commands: &[UpdateCommand], failure: Option<Error>) -> String {
    let document = |command: &UpdateCommand| match command {
        UpdateCommand::Add(add) => RawValue::Map(add.document.fields.clone()).to_text(),
        other => short(other),
    };
    joined(commands.iter().map(document), failure)
}

fn joined(shown: impl Iterator<Item = String>, failure: Option<Error>) -> String {
    let shown: Vec<String> = shown.chain(failure.map(|error| format!("!{}", error.message))).collect();
    shown.join("; ")
}

fn short(command: &UpdateCommand) -> String {
    match command {
        UpdateCommand::Add(add) => {
            let within =
                add.commit_within.merged_ms(None).map(|ms| format!(" within {ms}")).unwrap_or_default();
            let keep = if add.overwrite { "" } else { " keep" };
            format!("add {}{within}{keep}", RawValue::Map(add.document.fields.clone()).to_text())
        }
        UpdateCommand::Delete { id, route, version, .. } => {
            let version = version.map(|it| format!(" v{it}")).unwrap_or_default();
            let route = route.as_ref().map(|it| format!(" at {it}")).unwrap_or_default();
            format!("del {id}{version}{route}")
        }
        UpdateCommand::DeleteByQuery { query, .. } => format!("query {query}"),
        UpdateCommand::Commit(commit) if commit.max_segments.is_some() => "optimize".to_owned(),
        UpdateCommand::Commit(commit) => (if commit.soft { "soft" } else { "hard" }).to_owned(),
        UpdateCommand::Rollback => "rollback".to_owned(),
    }
}
