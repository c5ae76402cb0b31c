//! One untyped document as a typed one: which fields exist, how many values they take, what they convert to,
//! defaults and required fields. Order of the checks and wording are Solr's (`DocumentBuilder`), recorded
//! from 9.10.1.

use std::collections::HashMap;
use std::sync::Arc;

use plan::{
    Copied, DateSpan, Document, Error, FieldClass, FieldSpec, Money, Result, Schema, Value, VectorType,
    coerce,
};

use crate::update::command::{RawDocument, RawValue};
use crate::update::convert::{Conversion, check_term, enumerated};

/// A document whose field names each come once.
pub type Grouped = Vec<Field>;

/// A field's values as sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: Arc<str>,
    pub values: Vec<RawValue>,
    /// Whether the values came as a list, of any length: a list holds no modifiers, and messages show its
    /// brackets.
    pub listed: bool,
}

impl Field {
    /// The values as messages show them.
    pub fn shown(&self) -> String {
        match self.values.as_slice() {
            [value] if !self.listed => value.to_text(),
            values => RawValue::List(values.to_vec()).to_text(),
        }
    }
}

/// A field name looked up: its declaration, and where its values are copied.
pub struct Target {
    pub spec: Option<Arc<FieldSpec>>,
    copies: Vec<(Arc<str>, Option<Arc<FieldSpec>>, Copied)>,
}

/// What the documents of one request ask of the schema, looked up once: documents of a batch have the same
/// names, mostly in the same order, so the next one asked for is tried first.
pub struct Targets {
    schema: Arc<Schema>,
    in_order: Vec<(Arc<str>, Arc<Target>)>,
    by_name: HashMap<Arc<str>, usize>,
    next: usize,
    /// Declared fields with a default or that must be there.
    wanted: Vec<Arc<FieldSpec>>,
}

impl Targets {
    pub fn new(schema: Arc<Schema>) -> Self {
        let wants = |spec: &&Arc<FieldSpec>| spec.default.is_some() || spec.properties.required;
        let wanted = schema.fields().filter(wants).cloned().collect();
        Self { schema, in_order: Vec::new(), by_name: HashMap::new(), next: 0, wanted }
    }

    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    pub fn get(&mut self, name: &Arc<str>) -> Arc<Target> {
        if let Some((known, target)) = self.in_order.get(self.next)
            // One comparison of pointers for most fields: names are interned by the decoder, and come in one
            // order.
            && Arc::ptr_eq(known, name)
        {
            self.next += 1;
            return target.clone();
        }
        let at = self.by_name.get(name).copied().unwrap_or_else(|| self.look_up(name));
        self.next = at + 1;
        self.in_order.get(at).map_or_else(|| Arc::new(self.target(name)), |(_, target)| target.clone())
    }

    fn look_up(&mut self, name: &Arc<str>) -> usize {
        self.in_order.push((name.clone(), Arc::new(self.target(name))));
        self.by_name.insert(name.clone(), self.in_order.len() - 1);
        self.in_order.len() - 1
    }

    fn target(&self, name: &str) -> Target {
        let copies = self.schema.copies(name).map(|(dest, part)| {
            let spec = self.schema.field(&dest).cloned();
            (Arc::from(dest), spec, part)
        });
        Target { spec: self.schema.field(name).cloned(), copies: copies.collect() }
    }
}

/// Brings values of one name together, lists taken apart, in the order in which names first came. A list that
/// comes alone and empty leaves a field without values.
pub fn group(document: RawDocument) -> Grouped {
    let mut grouped: Grouped = Vec::with_capacity(document.fields.len());
    for (name, value) in document.fields {
        let (values, listed) = match value {
            RawValue::List(values) => (values, true),
            value => (vec![value], false),
        };
        // Documents are short: a scan beats a map, until they are not.
        match grouped.iter_mut().find(|known| Arc::ptr_eq(&known.name, &name) || known.name == name) {
            Some(present) => {
                present.values.extend(values);
                present.listed = true;
            }
            None => grouped.push(Field { name, values, listed }),
        }
    }
    grouped
}

/// What is needed to type the documents of one request.
pub struct Typing<'a> {
    pub conversion: Conversion<'a>,
    pub targets: &'a mut Targets,
}

impl Typing<'_> {
    /// The whole document, with defaults.
    pub fn document(&mut self, id: &str, grouped: Grouped) -> Result<Document> {
        let mut document = Document { fields: Vec::with_capacity(grouped.len() + 2) };
        let mut copied: HashMap<Arc<str>, usize> = HashMap::new();
        for mut field in grouped {
            let target = self.targets.get(&field.name);
            let typed = self.values(id, &mut field, &target)?;
            check_copies(id, (&field.name, &typed), &target, &mut copied)?;
            if !typed.is_empty() {
                document.fields.push((field.name, typed));
            }
        }
        self.fill_in(id, &mut document)?;
        Ok(document)
    }

    /// The values of one field; none for nulls. Texts are moved out of it.
    pub fn field(&mut self, id: &str, field: &mut Field) -> Result<Vec<Value>> {
        let target = self.targets.get(&field.name);
        self.values(id, field, &target)
    }

    fn values(&self, id: &str, field: &mut Field, target: &Target) -> Result<Vec<Value>> {
        let Some(spec) = &target.spec else {
            return match field.values.iter().all(|value| *value == RawValue::Null) {
                true => Ok(Vec::new()),
                false => {
                    let name = &field.name;
                    Err(Error::bad_request(format!("ERROR: [doc={id}] unknown field '{name}'")))
                }
            };
        };
        // A vector comes as a list of numbers and is one value.
        let many = spec.properties.multi_valued || spec.class() == FieldClass::DenseVector;
        if !many && field.values.len() > 1 {
            return Err(Error::bad_request(format!(
                "ERROR: [doc={id}] multiple values encountered for non multiValued field {}: {}",
                field.name,
                field.shown()
            )));
        }
        let mut typed = Vec::with_capacity(field.values.len());
        for at in 0..field.values.len() {
            let Some(raw) = field.values.get_mut(at) else { break };
            if *raw != RawValue::Null {
                let fits = check_term(&field.name, raw, spec);
                match fits.and_then(|()| self.conversion.take(raw, spec)) {
                    Ok(value) => typed.push(value),
                    Err(error) => return Err(failed(id, field, error)),
                }
            }
        }
        if spec.class() == FieldClass::DenseVector && !typed.is_empty() {
            check_vector(id, field, typed.len(), spec)?;
        }
        Ok(typed)
    }

    /// Defaults of declared fields that have no value; then what is required must be there.
    fn fill_in(&mut self, id: &str, document: &mut Document) -> Result<()> {
        for spec in &self.targets.wanted {
            // A field of nulls has no value, so its default comes in.
            if document.get(&spec.name).is_some() {
                continue;
            }
            match &spec.default {
                Some(default) => {
                    let raw = RawValue::Str(default.clone());
                    let value = self.conversion.convert(&raw, spec);
                    let value = value.map_err(|error| adding(id, &spec.name, default, error))?;
                    document.fields.push((spec.name.clone(), vec![value]));
                }
                None => {
                    let name = &spec.name;
                    return Err(Error::bad_request(format!("[doc={id}] missing required field: {name}")));
                }
            }
        }
        Ok(())
    }
}

/// Solr differs: the value it shows is the whole document's, and its error is a 500
/// (`compat/query/vectors.yaml`).
fn check_vector(id: &str, field: &Field, found: usize, spec: &FieldSpec) -> Result<()> {
    let dimension = VectorType::of(&spec.field_type)?.dimension;
    if found == dimension {
        return Ok(());
    }
    let error = Error::bad_request(format!("a vector of its type has {dimension} numbers, not {found}"));
    Err(adding(id, &field.name, &field.shown(), error))
}

/// The engine copies; whether it can is said here, where the client still listens.
fn check_copies(
    id: &str,
    (name, typed): (&str, &[Value]),
    target: &Target,
    copied: &mut HashMap<Arc<str>, usize>,
) -> Result<()> {
    for (dest, spec, part) in &target.copies {
        let Some(spec) = spec else { continue };
        if !spec.properties.multi_valued {
            let count = copied.entry(dest.clone()).or_default();
            *count += typed.len();
            if *count > 1 {
                let shown: Vec<_> = typed.iter().map(Value::to_text).collect();
                return Err(Error::bad_request(format!(
                    "ERROR: [doc={id}] multiple values encountered for non multiValued copy field {dest}: {}",
                    shown.join(", ")
                )));
            }
        }
        for value in typed {
            check_copy(&part.of(value), spec).map_err(|error| adding(id, name, &value.to_text(), error))?;
        }
    }
    Ok(())
}

fn check_copy(copied: &Value, spec: &FieldSpec) -> Result<()> {
    match spec.class() {
        FieldClass::Currency => Money::parse(&copied.to_text(), spec.field_type.default_currency()).map(drop),
        FieldClass::Enum => enumerated(spec, &copied.to_text()).map(drop),
        FieldClass::DateRange => DateSpan::parse(&copied.to_text()).map(drop),
        class if class.is_point() => coerce(copied, class).map(drop),
        _ => Ok(()),
    }
}

fn failed(id: &str, field: &Field, error: Error) -> Error {
    if error.message.starts_with("Document contains") {
        let context = format!("Exception writing document id {id} to the index; possible analysis error: ");
        return error.context(context);
    }
    adding(id, &field.name, &field.shown(), error)
}

/// Solr's words around a conversion error.
pub fn adding(id: &str, field: &str, text: &str, error: Error) -> Error {
    error.context(format_args!("ERROR: [doc={id}] Error adding field '{field}'='{text}' msg="))
}
