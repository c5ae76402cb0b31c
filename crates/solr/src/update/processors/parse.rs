//! Texts read as booleans, numbers and dates: all values of a field or none. A step reads one type; dates go
//! by patterns (`crates/solr/src/update/date_patterns`). In: values of a draft as they were sent; out: the
//! same with another type, untouched where one of them cannot be read, so that the next step can try.

use plan::{FieldClass, NumberStyle, Parsing, Result};

use crate::update::command::RawValue;
use crate::update::date_patterns::DatePatterns;
use crate::update::number_text;

/// A reading with its patterns compiled.
pub enum Parser {
    Bool { yes: Vec<String>, no: Vec<String>, case_sensitive: bool },
    Int(NumberStyle),
    Long(NumberStyle),
    Float(NumberStyle),
    Double(NumberStyle),
    Date(DatePatterns),
}

impl Parser {
    pub fn new(parsing: &Parsing) -> Result<Self> {
        Ok(match parsing {
            Parsing::Bool { yes, no, case_sensitive } => {
                Parser::Bool { yes: yes.clone(), no: no.clone(), case_sensitive: *case_sensitive }
            }
            Parsing::Int(style) => Parser::Int(*style),
            Parsing::Long(style) => Parser::Long(*style),
            Parsing::Float(style) => Parser::Float(*style),
            Parsing::Double(style) => Parser::Double(*style),
            Parsing::Date { patterns, zone } => Parser::Date(DatePatterns::new(patterns, zone.as_deref())?),
        })
    }

    /// The type of what it reads.
    pub fn class(&self) -> FieldClass {
        match self {
            Parser::Bool { .. } => FieldClass::Bool,
            Parser::Int(_) => FieldClass::Int,
            Parser::Long(_) => FieldClass::Long,
            Parser::Float(_) => FieldClass::Float,
            Parser::Double(_) => FieldClass::Double,
            Parser::Date(_) => FieldClass::Date,
        }
    }

    pub fn apply(&self, values: &mut Vec<RawValue>) {
        if !values.iter().any(|value| matches!(value, RawValue::Str(_))) {
            return;
        }
        if let Some(parsed) = values.iter().map(|value| self.value(value)).collect() {
            *values = parsed;
        }
    }

    /// What the value is read as; `None` when it cannot be.
    fn value(&self, value: &RawValue) -> Option<RawValue> {
        match (self, value) {
            (_, RawValue::Null)
            | (Parser::Bool { .. }, RawValue::Bool(_))
            | (Parser::Int(_) | Parser::Long(_), RawValue::Long(_))
            | (Parser::Float(_), RawValue::Float(_))
            | (Parser::Double(_), RawValue::Double(_))
            | (Parser::Date(_), RawValue::Date(_)) => Some(value.clone()),
            (_, RawValue::Str(text)) => self.text(text),
            _ => None,
        }
    }

    fn text(&self, text: &str) -> Option<RawValue> {
        match self {
            Parser::Bool { yes, no, case_sensitive } => {
                let is = |word: &String| {
                    if *case_sensitive { word == text } else { word.eq_ignore_ascii_case(text) }
                };
                let flag = yes.iter().any(is);
                (flag || no.iter().any(is)).then_some(RawValue::Bool(flag))
            }
            Parser::Int(style) => {
                let number = number_text::long(text, *style)?;
                i32::try_from(number).ok().map(|number| RawValue::Long(number.into()))
            }
            Parser::Long(style) => number_text::long(text, *style).map(RawValue::Long),
            Parser::Float(style) => {
                number_text::double(text, *style).map(|number| RawValue::Float(number as f32))
            }
            Parser::Double(style) => number_text::double(text, *style).map(RawValue::Double),
            Parser::Date(patterns) => patterns.instant(text).map(RawValue::Date),
        }
    }
}
