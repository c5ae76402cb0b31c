//! The schema: resolved once from its source, immutable, shared. An edit makes a new source and a new schema,
//! and its lineage says which plans of others it still takes (docs/adr/0016-plans-name-their-schema.md).
//! `solr` reads files into a source; `resolve` looks every name up once.

pub(crate) mod analyzer;
pub(crate) mod class;
pub(crate) mod coerce;
pub(crate) mod field;
pub(crate) mod properties;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::resolve::{class_of, resolve_field, resolve_type};
use crate::error::{Error, Result};
use crate::geo::area::Area;
use crate::geo::edge::{Edge, edge_fields};
use crate::schema::analyzer::Resources;
use crate::schema::class::FieldClass;
use crate::schema::field::{FieldSource, FieldSpec, FieldType, TypeSource};
use crate::schema::similarity::DeclaredSimilarities;
use crate::value::Value;
use crate::value::currency::Money;

mod lineage;
mod resolve;
pub(crate) mod similarity;
mod succession;

pub use lineage::SchemaLineage;

/// A schema as declared: what is persisted, edited and shown. Field types by Solr's class names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SchemaSource {
    pub name: String,
    pub version: f32,
    pub unique_key: Option<String>,
    pub types: Vec<TypeSource>,
    pub fields: Vec<FieldSource>,
    pub dynamic_fields: Vec<FieldSource>,
    pub copy_fields: Vec<CopyField>,
    /// The class and arguments of the schema-wide similarity.
    pub similarity: Option<Vec<(String, String)>>,
    pub resources: Resources,
}

/// Values of `source` (a name or a pattern) also go to `dest`; with a `*` in both, the matched part is
/// carried over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyField {
    pub source: String,
    pub dest: String,
    /// At most this many characters of a text value; 0 is no bound.
    pub max_chars: usize,
}

/// What of a value a copy takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// At most this many characters of a text; 0 is no bound.
    pub chars_max: usize,
    pub part: CopiedPart,
}

/// What of that start goes into the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopiedPart {
    Whole,
    /// One of the parts between commas.
    Part(usize),
    /// What a box's edge is.
    Edge(Edge),
    /// Money with its currency, which is this one where the text names none.
    Price(Arc<str>),
    /// The amount of such money, in the smallest unit of its currency.
    Amount(Arc<str>),
    /// The currency of such money.
    Code(Arc<str>),
}

impl Copied {
    /// What of a value is copied. A value that is no such thing stays, for the field to refuse.
    pub fn of<'a>(&self, value: &'a Value) -> Cow<'a, Value> {
        match (&self.part, value) {
            (CopiedPart::Price(code), _) => Cow::Owned(Value::Str(self.price(value, code))),
            (CopiedPart::Amount(code), _) => match Money::parse(&self.price(value, code), code) {
                Ok(money) => Cow::Owned(Value::Long(money.amount)),
                Err(_) => Cow::Borrowed(value),
            },
            (CopiedPart::Code(code), _) => {
                Cow::Owned(Value::Str(nth_part(&self.price(value, code), 1).to_owned()))
            }
            (CopiedPart::Whole, Value::Str(text)) => match self.start(text) {
                start if start.len() == text.len() => Cow::Borrowed(value),
                start => Cow::Owned(Value::Str(start.to_owned())),
            },
            (CopiedPart::Part(at), Value::Str(text)) => {
                Cow::Owned(Value::Str(nth_part(self.start(text), *at).to_owned()))
            }
            (CopiedPart::Edge(edge), Value::Str(text)) => {
                let bounds = Area::parse(self.start(text)).ok().and_then(|area| area.bounds());
                bounds.map_or(Cow::Borrowed(value), |rect| Cow::Owned(Value::Double(edge.of(rect))))
            }
            _ => Cow::Borrowed(value),
        }
    }

    fn start<'a>(&self, text: &'a str) -> &'a str {
        match text.char_indices().nth(self.chars_max) {
            Some((end, _)) if self.chars_max > 0 => text.get(..end).unwrap_or_default(),
            _ => text,
        }
    }

    fn price(&self, value: &Value, code: &str) -> String {
        Money::complete(self.start(&value.to_text()), code)
    }
}

fn nth_part(text: &str, at: usize) -> &str {
    text.split(',').nth(at).unwrap_or_default().trim()
}

/// A resolved schema.
#[derive(Debug)]
pub struct Schema {
    pub source: SchemaSource,
    pub unique_key: Option<Arc<str>>,
    /// Which versions of a collection's schema it speaks for.
    pub lineage: SchemaLineage,
    types: HashMap<String, Arc<FieldType>>,
    fields: HashMap<Arc<str>, Arc<FieldSpec>>,
    /// Longest pattern first, as Solr matches them.
    dynamic: Vec<Arc<FieldSpec>>,
    /// By the byte that a name must have at the pattern's end: places in `dynamic`, ascending.
    dynamic_by_end: HashMap<End, Vec<usize>>,
}

impl SchemaSource {
    pub fn similarities(&self) -> DeclaredSimilarities<'_> {
        let types = self.types.iter();
        DeclaredSimilarities {
            global: self.similarity.as_deref(),
            of_types: types.map(|kind| (kind.name.as_str(), kind.similarity.as_deref())).collect(),
        }
    }
}

impl Schema {
    /// Resolves a source. Errors name the type or field that cannot be resolved.
    pub fn build(source: SchemaSource) -> Result<Self> {
        let similarities = source.similarities();
        let types = source
            .types
            .iter()
            .map(|declared| {
                Ok((declared.name.clone(), Arc::new(resolve_type(declared, source.version, &similarities)?)))
            })
            .collect::<Result<HashMap<_, _>>>()?;
        let resolve = |declared: &FieldSource| Ok(Arc::new(resolve_field(declared, &types)?));
        let fields = source.fields.iter().map(resolve).collect::<Result<Vec<_>>>()?;
        let boxes = source.types.iter().filter(|it| class_of(&it.class) == Some(FieldClass::BBox));
        let edges = edge_fields(boxes)?;
        let mut dynamic =
            source.dynamic_fields.iter().chain(&edges).map(resolve).collect::<Result<Vec<_>>>()?;
        dynamic.sort_by_key(|spec| std::cmp::Reverse(spec.name.len()));
        let fields: HashMap<_, _> = fields.into_iter().map(|spec| (spec.name.clone(), spec)).collect();
        let unique_key = source.unique_key.as_deref().map(Arc::from);
        let mut dynamic_by_end: HashMap<End, Vec<usize>> = HashMap::new();
        for (place, spec) in dynamic.iter().enumerate() {
            dynamic_by_end.entry(End::of_pattern(&spec.name)).or_default().push(place);
        }
        let schema = Self {
            source,
            unique_key,
            lineage: SchemaLineage::default(),
            types,
            fields,
            dynamic,
            dynamic_by_end,
        };
        schema.check()?;
        Ok(schema)
    }

    /// The field or the dynamic field that `name` falls under.
    pub fn field(&self, name: &str) -> Option<&Arc<FieldSpec>> {
        self.fields.get(name).or_else(|| self.dynamic_field(name))
    }

    /// The longest pattern that the name falls under.
    fn dynamic_field(&self, name: &str) -> Option<&Arc<FieldSpec>> {
        let (first, last) = (name.bytes().next(), name.bytes().next_back());
        let ends = [first.map(End::First), last.map(End::Last), Some(End::Any)].into_iter().flatten();
        let first_of = |end| {
            let mut places = self.dynamic_by_end.get(&end)?.iter().copied();
            places
                .find(|place| self.dynamic.get(*place).is_some_and(|spec| pattern_matches(&spec.name, name)))
        };
        self.dynamic.get(ends.filter_map(first_of).min()?)
    }

    /// As [`Schema::field`], or Solr's error.
    pub fn require(&self, name: &str) -> Result<&Arc<FieldSpec>> {
        self.field(name).ok_or_else(|| Error::bad_request(format!("undefined field {name}")))
    }

    /// Whether `name` is declared by name, not through a pattern.
    pub fn is_explicit(&self, name: &str) -> bool {
        self.fields.contains_key(name)
    }

    pub fn field_type(&self, name: &str) -> Option<&Arc<FieldType>> {
        self.types.get(name)
    }

    /// Declared fields, in the order of declaration.
    pub fn fields(&self) -> impl Iterator<Item = &Arc<FieldSpec>> {
        self.source.fields.iter().filter_map(|declared| self.fields.get(declared.name.as_str()))
    }

    /// Dynamic fields, longest pattern first.
    pub fn dynamic_fields(&self) -> impl Iterator<Item = &Arc<FieldSpec>> {
        self.dynamic.iter()
    }

    /// Where values of `name` are copied, and what of them: as `copyField` says, and the coordinates of a
    /// place, or the amount and the currency of money, of the field itself and of those it is copied to.
    ///
    /// Solr differs: an atomic update of such a place finds its coordinates in the way
    /// (`compat/query/spatial_shapes.yaml`).
    pub fn copies(&self, name: &str) -> impl Iterator<Item = (String, Copied)> {
        let declared = self.source.copy_fields.iter().flat_map(|copy| {
            let dest = copy_dest(copy, name);
            dest.into_iter().flat_map(|dest| {
                let whole = (dest.clone(), Copied { chars_max: copy.max_chars, part: self.whole(&dest) });
                std::iter::once(whole).chain(self.parts(&dest, copy.max_chars))
            })
        });
        declared.chain(self.parts(name, 0)).collect::<Vec<_>>().into_iter()
    }

    /// How a field takes values of another.
    fn whole(&self, name: &str) -> CopiedPart {
        match self.field(name) {
            Some(spec) if spec.class() == FieldClass::Currency => {
                CopiedPart::Price(spec.field_type.default_currency().into())
            }
            _ => CopiedPart::Whole,
        }
    }

    /// The sub-fields of a place, a box or money.
    fn parts(&self, name: &str, chars_max: usize) -> Vec<(String, Copied)> {
        let Some(spec) = self.field(name) else { return Vec::new() };
        let part = |(sub, part): (String, CopiedPart)| (sub, Copied { chars_max, part });
        match spec.class() {
            FieldClass::Point => {
                let subs = spec.field_type.sub_fields(name).into_iter().enumerate();
                subs.map(|(at, sub)| part((sub, CopiedPart::Part(at)))).collect()
            }
            FieldClass::BBox => {
                let edges = Edge::ALL.into_iter().chain([Edge::Crosses]);
                edges.map(|edge| part((edge.sub_field(name), CopiedPart::Edge(edge)))).collect()
            }
            _ => {
                let Some((amount, code)) = spec.field_type.money_fields(name) else { return Vec::new() };
                let default: Arc<str> = spec.field_type.default_currency().into();
                let parts =
                    [(amount, CopiedPart::Amount(default.clone())), (code, CopiedPart::Code(default))];
                parts.map(part).into()
            }
        }
    }

    fn check(&self) -> Result<()> {
        if let Some(key) = &self.unique_key {
            let spec = self
                .field(key)
                .ok_or_else(|| Error::bad_request(format!("uniqueKey `{key}` is not a field; declare it")))?;
            if spec.properties.multi_valued {
                return Err(Error::bad_request(format!(
                    "uniqueKey field ({key}) can not be configured to be multivalued"
                )));
            }
        }
        for copy in &self.source.copy_fields {
            if !copy.dest.contains('*') && self.field(&copy.dest).is_none() {
                let CopyField { source, dest, .. } = copy;
                return Err(Error::bad_request(format!(
                    "copyField dest :'{dest}' is not an explicit field and doesn't match a dynamicField. (source: `{source}`)"
                )));
            }
        }
        Ok(())
    }
}

/// Whether `name` falls under `pattern`, which has one `*` at an end, or none.
fn pattern_matches(pattern: &str, name: &str) -> bool {
    matched_part(pattern, name).is_some()
}

/// What tells most names from a pattern: a schema has dozens of patterns, and every search asks for its
/// fields several times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    First(u8),
    Last(u8),
    /// The pattern `*`.
    Any,
}

impl End {
    fn of_pattern(pattern: &str) -> Self {
        match (pattern.as_bytes(), pattern.strip_prefix('*')) {
            (_, Some("")) | ([], _) => End::Any,
            ([.., last], Some(_)) => End::Last(*last),
            ([first, ..], None) => End::First(*first),
        }
    }
}

/// The part of `name` that stands for the `*` of `pattern`; empty when the pattern has none and equals the
/// name.
fn matched_part<'a>(pattern: &str, name: &'a str) -> Option<&'a str> {
    if let Some(suffix) = pattern.strip_prefix('*') {
        name.strip_suffix(suffix)
    } else if let Some(prefix) = pattern.strip_suffix('*') {
        name.strip_prefix(prefix)
    } else {
        (pattern == name).then_some("")
    }
}

fn copy_dest(copy: &CopyField, name: &str) -> Option<String> {
    let part = matched_part(&copy.source, name)?;
    Some(copy.dest.replacen('*', part, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    fn field(name: &str, type_name: &str) -> FieldSource {
        FieldSource { name: name.into(), type_name: type_name.into(), attributes: vec![] }
    }

    fn small(version: f32) -> SchemaSource {
        let kind = |name: &str, class: &str| TypeSource {
            name: name.into(),
            class: class.into(),
            ..TypeSource::default()
        };
        SchemaSource {
            name: "small".into(),
            version,
            unique_key: Some("id".into()),
            types: vec![
                kind("string", "solr.StrField"),
                kind("text", "solr.TextField"),
                kind("pint", "solr.IntPointField"),
            ],
            fields: vec![field("id", "string")],
            dynamic_fields: vec![
                field("*_s", "string"),
                field("*_i", "pint"),
                field("attr_*", "text"),
                field("*_long_s", "text"),
            ],
            copy_fields: vec![CopyField { source: "*_s".into(), dest: "attr_*".into(), max_chars: 5 }],
            ..SchemaSource::default()
        }
    }

    #[test]
    fn the_longest_pattern_wins() {
        let schema = Schema::build(small(1.7)).unwrap();
        let name_of = |name: &str| schema.field(name).map(|spec| spec.field_type.name.clone());
        assert_eq!(name_of("a_s").as_deref(), Some("string"));
        assert_eq!(name_of("a_long_s").as_deref(), Some("text"));
        assert_eq!(name_of("attr_x").as_deref(), Some("text"));
        assert_eq!(name_of("id").as_deref(), Some("string"));
        assert_eq!(name_of("nope"), None);
    }

    #[test]
    fn copies_carry_the_matched_part() {
        let schema = Schema::build(small(1.7)).unwrap();
        assert_eq!(
            schema.copies("name_s").collect::<Vec<_>>(),
            [("attr_name".to_owned(), Copied { chars_max: 5, part: CopiedPart::Whole })]
        );
        assert_eq!(schema.copies("name_i").count(), 0);
    }

    #[test]
    fn copies_take_what_the_field_holds() {
        let check = |chars_max, part, value: Value, expected: Value| {
            assert_eq!(*Copied { chars_max, part }.of(&value), expected, "{value:?}");
        };
        let text = |text: &str| Value::Str(text.to_owned());
        let euro: Arc<str> = "EUR".into();
        check(3, CopiedPart::Whole, text("abcde"), text("abc"));
        check(0, CopiedPart::Whole, text("abcde"), text("abcde"));
        check(0, CopiedPart::Part(1), text("1, 2"), text("2"));
        check(0, CopiedPart::Price(euro.clone()), text("7.5"), text("7.5,EUR"));
        check(0, CopiedPart::Price(euro.clone()), text("7.5,USD"), text("7.5,USD"));
        check(0, CopiedPart::Price(euro.clone()), Value::Int(12), text("12,EUR"));
        check(0, CopiedPart::Amount(euro.clone()), Value::Int(12), Value::Long(1200));
        check(3, CopiedPart::Amount(euro.clone()), text("7.55,USD"), Value::Long(750));
        check(0, CopiedPart::Code(euro.clone()), text("7.5"), text("EUR"));
        check(0, CopiedPart::Amount(euro), text("abc"), text("abc"));
    }

    #[test]
    fn defaults_follow_the_schema_version() {
        let of = |version, name: &str| Schema::build(small(version)).unwrap().field(name).unwrap().properties;
        assert!(of(1.7, "a_i").doc_values && !of(1.6, "a_i").doc_values);
        assert!(of(1.6, "a_i").use_doc_values_as_stored && !of(1.5, "a_i").use_doc_values_as_stored);
        assert!(of(1.6, "a_s").omit_norms && !of(1.4, "a_s").omit_norms);
        assert!(!of(1.7, "attr_a").doc_values && !of(1.7, "attr_a").omit_norms);
        assert!(of(1.6, "attr_a").uninvertible && !of(1.7, "attr_a").uninvertible);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let mut source = small(1.7);
        source.types[0].class = "solr.NoSuchField".into();
        assert!(Schema::build(source).unwrap_err().message.contains("NoSuchField"));
        let mut source = small(1.7);
        source.fields[0].attributes = attributes(&[("stored", "maybe")]);
        assert!(Schema::build(source).unwrap_err().message.contains("`maybe`"));
        let mut source = small(1.7);
        source.unique_key = Some("key".into());
        assert!(Schema::build(source).unwrap_err().message.contains("`key`"));
    }
}
