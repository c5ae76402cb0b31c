//! Fields that the schema does not know, added to it by the types of their values (Solr's schemaless mode).
//! Only proposed here: the collection takes the proposal by compare-and-set, or the batch is resolved anew.
//! In: a document and the schema as it is; out: a schema with more fields, and the document that meant them.

use std::collections::HashSet;

use plan::{AddFields, CopyField, FieldSource, Result, SchemaSource, TypeMapping, ValueClass};

use super::choice::Choice;
use super::draft::{DocumentStep, Draft, ProcessorContext};
use crate::update::command::RawValue;
use crate::update::document::{Field, Grouped, Targets};

pub struct Grower {
    choice: Choice,
    settings: AddFields,
}

impl Grower {
    pub fn new(settings: &AddFields) -> Result<Self> {
        Ok(Self { choice: Choice::new(&settings.fields)?, settings: settings.clone() })
    }

    /// The schema with a field for each name that it does not know; `None` when it knows them all. An edit
    /// (`{"set":…}`) adds none, as in Solr: the chain calls it an undefined field.
    fn grown(&self, document: &Grouped, targets: &mut Targets) -> Option<SchemaSource> {
        let mut added: HashSet<&str> = HashSet::new();
        let mut source: Option<SchemaSource> = None;
        for Field { name, values, .. } in document {
            let edit = values.iter().any(|value| matches!(value, RawValue::Map(_)));
            let known = targets.get(name).spec.is_some();
            if edit || known || name.is_empty() || !self.choice.takes(name, None, None) || !added.insert(name)
            {
                continue;
            }
            let source = source.get_or_insert_with(|| targets.schema().source.clone());
            let mapping = self.mapping(values);
            let type_name = mapping.map_or(&self.settings.default_type, |it| &it.field_type);
            source.fields.push(FieldSource {
                name: name.to_string(),
                type_name: type_name.clone(),
                attributes: Vec::new(),
            });
            let copies = mapping.into_iter().flat_map(|it| &it.copies);
            source.copy_fields.extend(copies.map(|(dest, max_chars)| CopyField {
                source: name.to_string(),
                dest: dest.replace('*', name),
                max_chars: *max_chars,
            }));
        }
        source
    }

    /// The first mapping that holds all the values; that of the default type when none does, or when there
    /// are no values.
    fn mapping(&self, values: &[RawValue]) -> Option<&TypeMapping> {
        let present = || values.iter().filter(|value| **value != RawValue::Null);
        let holds = |mapping: &&TypeMapping| {
            present().next().is_some()
                && present().all(|value| mapping.values.iter().any(|class| is_of(value, *class)))
        };
        let default = |it: &&TypeMapping| it.field_type == self.settings.default_type;
        self.settings.mappings.iter().find(holds).or_else(|| self.settings.mappings.iter().find(default))
    }
}

impl DocumentStep for Grower {
    fn add(&self, draft: &mut Draft, passing: &mut ProcessorContext<'_>) -> Result<()> {
        match self.grown(&draft.fields, passing.targets) {
            Some(source) => passing.grow(source),
            None => Ok(()),
        }
    }
}

/// Whether Java would take the value for one of the class.
fn is_of(value: &RawValue, class: ValueClass) -> bool {
    match class {
        ValueClass::Any => true,
        ValueClass::Text => matches!(value, RawValue::Str(_)),
        ValueClass::Bool => matches!(value, RawValue::Bool(_)),
        ValueClass::Date => matches!(value, RawValue::Date(_)),
        ValueClass::Whole => matches!(value, RawValue::Long(_)),
        ValueClass::Float => matches!(value, RawValue::Float(_)),
        ValueClass::Double => matches!(value, RawValue::Double(_)),
        ValueClass::Number => matches!(value, RawValue::Long(_) | RawValue::Float(_) | RawValue::Double(_)),
    }
}
