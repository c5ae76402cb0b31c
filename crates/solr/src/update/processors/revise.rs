//! Documents that bear revisions: what is sent becomes a condition that the shard checks against the document
//! that is there. Solr differs: documents without a revision are its own failure, an error 500
//! (`compat/update/revisions.yaml`).

use std::sync::Arc;

use plan::{Conditions, Error, FieldSpec, Result, Revising, Revision, Value};

use super::draft::{DocumentStep, Draft, ProcessorContext};
use super::whole::append;
use crate::update::command::RawValue;
use crate::update::document::Field;

impl DocumentStep for Revising {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let mut fields = Vec::with_capacity(self.fields.len());
        for name in &self.fields {
            let spec = declared(name, passing)?;
            let field = draft.fields.iter().find(|field| *field.name == **name);
            let value =
                field.and_then(|field| field.values.first()).filter(|value| **value != RawValue::Null);
            let value =
                value.ok_or_else(|| Error::bad_request(format!("Doc does not have versionField: {name}")))?;
            fields.push((Arc::from(name.as_str()), typed(value, &spec, passing)?));
        }
        draft.conditions.revision = Some(revision(self, fields));
        Ok(())
    }

    /// A document that says that another was deleted, with the revisions that the request gives; `None` where
    /// deletes bear none.
    fn delete(&self, id: &str, passing: &mut ProcessorContext<'_>) -> Result<Option<Draft>> {
        if self.delete_params.is_empty() {
            return Ok(None);
        }
        let key = passing.targets.schema().unique_key.clone();
        let mut mark = Draft { fields: Vec::new(), overwrite: true, conditions: Conditions::default() };
        for (name, value) in &self.mark_fields {
            append(&mut mark, &Arc::from(name.as_str()), vec![RawValue::Str(value.clone())]);
        }
        let mut fields = Vec::with_capacity(self.fields.len());
        for (name, param) in self.fields.iter().zip(&self.delete_params) {
            let spec = declared(name, passing)?;
            let sent = passing.params.by_name(param).filter(|text| !text.is_empty()).ok_or_else(|| {
                Error::bad_request(format!("Delete by ID must specify doc version param: {param}"))
            })?;
            let raw = RawValue::Str(sent.to_owned());
            let value = passing
                .conversion
                .convert(&raw, &spec)
                .map_err(|_| Error::bad_request(format!("Invalid Number: {sent}")))?;
            fields.push((Arc::from(name.as_str()), value));
            append(&mut mark, &Arc::from(name.as_str()), vec![raw]);
        }
        if let Some(key) = key {
            mark.fields
                .insert(0, Field { name: key, values: vec![RawValue::Str(id.to_owned())], listed: false });
        }
        mark.conditions.revision = Some(revision(self, fields));
        Ok(Some(mark))
    }
}

fn revision(settings: &Revising, fields: Vec<(Arc<str>, Value)>) -> Revision {
    Revision { fields, ignore_old: settings.ignore_old, missing_allowed: settings.missing_allowed }
}

fn declared(name: &str, passing: &ProcessorContext<'_>) -> Result<Arc<FieldSpec>> {
    passing.targets.schema().require(name).cloned()
}

fn typed(value: &RawValue, spec: &FieldSpec, passing: &ProcessorContext<'_>) -> Result<Value> {
    let old = match spec.class() {
        plan::FieldClass::Int => "java.lang.Integer",
        plan::FieldClass::Long => "java.lang.Long",
        plan::FieldClass::Float => "java.lang.Float",
        plan::FieldClass::Double => "java.lang.Double",
        plan::FieldClass::Date => "java.util.Date",
        _ => "java.lang.String",
    };
    passing.conversion.convert(value, spec).map_err(|_| {
        Error::bad_request(format!(
            "old version and new version are not comparable: class {old} vs class {}",
            value.java_class()
        ))
    })
}
