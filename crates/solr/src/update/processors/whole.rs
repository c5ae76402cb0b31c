//! Steps that add fields to documents, rename them, or hold documents to bounds: those that look at a
//! document as a whole, where `change.rs` looks at one field. In: a draft and what passes with it
//! (parameters, schema, time); out: the draft changed, or the document refused. Settings are read in
//! `crates/solr/src/config/processors/whole.rs`.

use std::sync::Arc;

use analysis::{JavaRegex, Replacement};
use plan::{
    CloneDest, DefaultValue, Error, ErrorKind, Expiry, FieldChoice, FieldClass, Presence, Result, RootCause,
};

use super::choice::Choice;
use super::draft::{DocumentStep, Draft, ProcessorContext};
use super::pattern::{compile_pattern, compile_replacement};
use crate::params::update::{ATOMIC, SKIP_INSERT, SKIP_UPDATE, TEMPLATE_FIELD, UUID_FIELD};
use crate::update::command::RawValue;
use crate::update::document::Field;
use crate::update::modifier::operation;

/// Puts a value behind those that the field has.
pub fn append(draft: &mut Draft, name: &Arc<str>, values: Vec<RawValue>) {
    match draft.fields.iter_mut().find(|field| field.name == *name) {
        Some(field) => {
            field.values.extend(values);
            field.listed = true;
        }
        None => {
            let listed = values.len() != 1;
            draft.fields.push(Field { name: name.clone(), values, listed });
        }
    }
}

/// Gives a field its value where the document has none, not even a null.
pub struct DefaultField {
    /// `None` is the one that the request names, or else the unique key.
    pub field: Option<String>,
    pub value: DefaultValue,
}

impl DocumentStep for DefaultField {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let asked = (self.value == DefaultValue::Uuid).then(|| UUID_FIELD.sent(passing.params)).flatten();
        let schema = passing.targets.schema();
        let name: Arc<str> = match (self.field.as_deref().or(asked), &schema.unique_key) {
            (Some(name), _) => Arc::from(name),
            (None, Some(key)) => {
                // Other keys have to come with the document, which says so itself.
                let takes_text = schema.field(key).map(|spec| spec.class());
                if !matches!(takes_text, Some(FieldClass::Str | FieldClass::Uuid)) {
                    return Ok(());
                }
                key.clone()
            }
            (None, None) => return Ok(()),
        };
        if draft.has(&name) {
            return Ok(());
        }
        let value = match &self.value {
            DefaultValue::Text(text) => RawValue::Str(text.clone()),
            DefaultValue::Now => RawValue::Date(passing.dates().now_ms()),
            DefaultValue::Uuid => RawValue::Str((passing.conversion.new_uuid)()),
        };
        append(draft, &name, vec![value]);
        Ok(())
    }
}

/// Adds the values of the chosen fields to others, in the order of the sources.
pub struct CloneFields {
    choice: Choice,
    dest: Dest,
}

enum Dest {
    Field(String),
    Renamed { pattern: JavaRegex, replacement: Replacement },
}

impl CloneFields {
    pub fn new(fields: &FieldChoice, dest: &CloneDest) -> Result<Self> {
        let dest = match dest {
            CloneDest::Field(name) => Dest::Field(name.clone()),
            CloneDest::Renamed { pattern, replacement } => Dest::Renamed {
                replacement: compile_replacement(pattern, replacement, false)?,
                pattern: compile_pattern(pattern)?,
            },
        };
        Ok(Self { choice: Choice::new(fields)?, dest })
    }
}

impl DocumentStep for CloneFields {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let mut copies: Vec<(Arc<str>, Vec<RawValue>)> = Vec::new();
        for field in &draft.fields {
            let target = passing.targets.get(&field.name);
            if !self.choice.takes(&field.name, target.spec.as_deref(), None) {
                continue;
            }
            let name: Arc<str> = match &self.dest {
                Dest::Field(name) => Arc::from(name.as_str()),
                Dest::Renamed { pattern, replacement } => {
                    if pattern.find_at(&field.name, 0).is_none() {
                        continue;
                    }
                    Arc::from(pattern.replace_all(&field.name, replacement))
                }
            };
            match copies.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.extend(field.values.iter().cloned()),
                None => copies.push((name, field.values.clone())),
            }
        }
        for (name, values) in copies {
            append(draft, &name, values);
        }
        Ok(())
    }
}

/// Gives fields other names; a field that has the new name already is replaced.
pub struct RenameFields {
    choice: Choice,
    pattern: JavaRegex,
    replacement: Replacement,
}

impl RenameFields {
    pub fn new(fields: &FieldChoice, pattern: &str, replacement: &str) -> Result<Self> {
        let replacement = compile_replacement(pattern, replacement, false)?;
        Ok(Self { choice: Choice::new(fields)?, pattern: compile_pattern(pattern)?, replacement })
    }
}

impl DocumentStep for RenameFields {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let Self { choice, pattern, replacement } = self;
        let step = std::ptr::from_ref(pattern) as usize;
        let mut renamed: Vec<(Arc<str>, Arc<str>)> = Vec::new();
        for field in &draft.fields {
            let spec = passing.targets.get(&field.name);
            let new = passing.renamed.entry((step, field.name.clone())).or_insert_with(|| {
                let chosen = choice.takes(&field.name, spec.spec.as_deref(), None);
                let found = chosen && pattern.find_at(&field.name, 0).is_some();
                found.then(|| Arc::from(pattern.replace_all(&field.name, replacement)))
            });
            renamed.extend(new.clone().filter(|new| *new != field.name).map(|new| (field.name.clone(), new)));
        }
        for (old, new) in renamed {
            let Some(at) = draft.fields.iter().position(|field| field.name == old) else { continue };
            let mut field = draft.fields.remove(at);
            field.name = new;
            match draft.fields.iter_mut().find(|present| present.name == field.name) {
                Some(present) => *present = field,
                None => draft.fields.push(field),
            }
        }
        Ok(())
    }
}

/// Refuses documents for an index that has too many fields already.
pub struct LimitFields {
    pub fields_max: u64,
    pub warn_only: bool,
}

impl DocumentStep for LimitFields {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let Self { fields_max, warn_only } = *self;
        if warn_only {
            return Ok(());
        }
        let count = (passing.count_fields)();
        if count <= fields_max {
            return Ok(());
        }
        let key = passing.targets.schema().unique_key.clone();
        let id = key.and_then(|key| draft.fields.iter().find(|field| field.name == key).map(Field::shown));
        Err(Error::bad_request(format!(
            "Current core has {count} fields, exceeding the max-fields limit of {fields_max}.  Blocking update of document: {}",
            id.unwrap_or_default()
        )))
    }
}

/// Writes when a document ends, by the time to live that it, or else the request, gives.
impl DocumentStep for Expiry {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let own = self.ttl_field.as_ref().and_then(|name| {
            let field = draft.fields.iter().find(|field| *field.name == **name)?;
            field.values.first().map(RawValue::to_text)
        });
        let asked = self.ttl_param.as_ref().and_then(|name| passing.params.by_name(name)).map(str::to_owned);
        let Some(ttl) = own.or(asked) else { return Ok(()) };
        let dates = passing.dates();
        let end = dates.apply(dates.now_ms(), &ttl).ok_or_else(|| {
            Error::bad_request(format!("Can't parse ttl as date math: {ttl}")).with_root(RootCause::DateMath)
        })?;
        append(draft, &Arc::from(self.field.as_str()), vec![RawValue::Date(end)]);
        Ok(())
    }
}

/// Leaves out new documents that are there, and edits of what is not; requests may say otherwise.
pub struct SkipExisting {
    pub inserts: bool,
    pub updates: bool,
}

impl DocumentStep for SkipExisting {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        let inserts = SKIP_INSERT.read(passing.params)?.unwrap_or(self.inserts);
        let updates = SKIP_UPDATE.read(passing.params)?.unwrap_or(self.updates);
        draft.conditions.presence = (inserts || updates).then_some(Presence { inserts, updates });
        Ok(())
    }
}

/// Makes edits of the fields that parameters `atomic.FIELD=set` name. Solr differs: what is no modifier is
/// its own failure, an error 500 (`compat/update/processors.yaml`).
pub struct EditByParameters;

impl DocumentStep for EditByParameters {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        for (name, modifier) in ATOMIC.sent_all(passing.params) {
            if operation(modifier).is_none() {
                return Err(Error::bad_request(format!(
                    "Unexpected param(s) for AtomicUpdateProcessor, invalid atomic op passed: '{modifier}'"
                )));
            }
            for field in draft.fields.iter_mut().filter(|field| &*field.name == name) {
                let is_edit = matches!(field.values.as_slice(), [RawValue::Map(_)]) && !field.listed;
                if !is_edit {
                    let mut values = std::mem::take(&mut field.values);
                    let operand = match (values.len(), field.listed) {
                        (1, false) => values.pop().unwrap_or(RawValue::Null),
                        _ => RawValue::List(values),
                    };
                    field.values = vec![RawValue::Map(vec![(Arc::from(modifier), operand)])];
                    field.listed = false;
                }
            }
        }
        Ok(())
    }
}

/// Most fields that a request may add by templates.
const TEMPLATES_MAX: usize = 256;

/// Adds fields by templates: `name:text with {other}`, a missing field being empty.
pub struct AddByTemplates;

impl DocumentStep for AddByTemplates {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        for template in TEMPLATE_FIELD.sent_all(passing.params).take(TEMPLATES_MAX) {
            let Some((name, text)) = template.split_once(':') else {
                return Err(Error::new(
                    ErrorKind::BadRequest,
                    format!("'template.field' must be of the form <field_name>:<template> : {template}"),
                ));
            };
            let value = filled(text, draft);
            append(draft, &Arc::from(name), vec![RawValue::Str(value)]);
        }
        Ok(())
    }
}

fn filled(template: &str, draft: &Draft) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, behind)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        if let Some(field) = draft.fields.iter().find(|field| &*field.name == name) {
            out.push_str(&field.values.first().map(RawValue::to_text).unwrap_or_default());
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}
