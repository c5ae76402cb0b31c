//! Which fields a processor concerns, with its patterns compiled. The schema decides what a name's type is,
//! so it is asked for each document: an edit of the schema counts for the next. In: settings of the
//! configuration (`config/processors/fields.rs`) and a field's name; out: yes or no. What is done to the
//! field is the processor's (`change.rs` and its kin).

use analysis::JavaRegex;
use plan::{FieldChoice, FieldClass, FieldConditions, FieldDefault, FieldSpec, Result};

use super::pattern::compile_pattern;

pub struct Choice {
    wanted: Option<Conditions>,
    excluded: Vec<Conditions>,
    otherwise: FieldDefault,
}

struct Conditions {
    settings: FieldConditions,
    patterns: Vec<JavaRegex>,
}

impl Choice {
    pub fn new(settings: &FieldChoice) -> Result<Self> {
        Ok(Self {
            wanted: settings.wanted.as_ref().map(Conditions::new).transpose()?,
            excluded: settings.excluded.iter().map(Conditions::new).collect::<Result<_>>()?,
            otherwise: settings.otherwise,
        })
    }

    /// Whether the field of this name and declaration is meant; `own` is the type that the processor makes,
    /// if it makes one.
    pub fn takes(&self, name: &str, spec: Option<&FieldSpec>, own: Option<FieldClass>) -> bool {
        let wanted = match &self.wanted {
            Some(conditions) => conditions.hold(name, spec),
            None => match self.otherwise {
                FieldDefault::None => false,
                FieldDefault::All => true,
                FieldDefault::Unknown => spec.is_none(),
                FieldDefault::UnknownOrOfItsType => spec.is_none_or(|spec| is_of(spec.class(), own)),
                FieldDefault::SingleText => spec.is_some_and(is_single_text),
            },
        };
        wanted && !self.excluded.iter().any(|conditions| conditions.hold(name, spec))
    }
}

/// Whether values of `class` are of the type that a processor makes: dates are ranges of dates too.
fn is_of(class: FieldClass, own: Option<FieldClass>) -> bool {
    Some(class) == own || class == FieldClass::DateRange && own == Some(FieldClass::Date)
}

fn is_single_text(spec: &FieldSpec) -> bool {
    !spec.properties.multi_valued && (spec.class().is_text() || spec.class() == FieldClass::Str)
}

impl Conditions {
    fn new(settings: &FieldConditions) -> Result<Self> {
        let patterns = settings.patterns.iter().map(|source| compile_pattern(source));
        Ok(Self { patterns: patterns.collect::<Result<_>>()?, settings: settings.clone() })
    }

    /// Conditions on the type hold for a field that has none: another processor may care for it later.
    fn hold(&self, name: &str, spec: Option<&FieldSpec>) -> bool {
        let FieldConditions { names, patterns: _, type_names, type_classes, known } = &self.settings;
        let named = names.is_empty() || names.iter().any(|it| it == name);
        let matched = self.patterns.is_empty() || self.patterns.iter().any(|it| it.matches(name));
        let typed = spec.is_none_or(|spec| {
            let type_name = &spec.field_type.name;
            let class = &spec.field_type.source.class;
            let class = class.rsplit('.').next().unwrap_or(class);
            (type_names.is_empty() || type_names.contains(type_name))
                && (type_classes.is_empty() || type_classes.iter().any(|it| it == class))
        });
        named && matched && typed && known.is_none_or(|known| known == spec.is_some())
    }
}
