//! What the definition of a parameter is made of: a typed reader for the code, a plain record for the reference. Both come
//! from one constant, so they cannot disagree.

use plan::{Error, Result, RootCause};

use super::Params;
use crate::query::{LocalParams, java_float};

/// A parameter whose values read as `T`. `default` is text, read by the same parser as a value that was sent.
pub struct Param<T> {
    pub name: &'static str,
    pub about: &'static str,
    pub default: Option<&'static str>,
    pub parse: fn(&str) -> Result<T>,
    /// Also read as `f.<field>.<name>`, and as a local parameter.
    pub per_field: bool,
}

/// What the reference says of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParamDoc {
    pub name: &'static str,
    pub about: &'static str,
    pub default: Option<&'static str>,
    pub kind: Kind,
    pub per_field: bool,
    pub support: Support,
}

/// What values look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Switch,
    /// Whole numbers from `min` on, of Java's `int` or, when `long`, of its `long`.
    Whole {
        min: Option<i64>,
        long: bool,
    },
    Number,
    OneOf(&'static [&'static str]),
}

/// A type that values of parameters read as.
pub trait Typed {
    const KIND: Kind;
}

impl Typed for String {
    const KIND: Kind = Kind::Text;
}

impl Typed for bool {
    const KIND: Kind = Kind::Switch;
}

impl Typed for i32 {
    const KIND: Kind = Kind::Whole { min: None, long: false };
}

impl Typed for i64 {
    const KIND: Kind = Kind::Whole { min: None, long: true };
}

impl Typed for usize {
    const KIND: Kind = Kind::Whole { min: Some(0), long: false };
}

impl Typed for f32 {
    const KIND: Kind = Kind::Number;
}

impl Typed for f64 {
    const KIND: Kind = Kind::Number;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    Yes,
    /// Advice on how to compute; taken and not needed, since answers are the same.
    Hint,
    /// Refused by name.
    No,
}

impl<T> Param<T> {
    pub const fn new(
        name: &'static str,
        parse: fn(&str) -> Result<T>,
        default: Option<&'static str>,
        about: &'static str,
    ) -> Self {
        Self { name, about, default, parse, per_field: false }
    }

    /// One that may be given for one field.
    pub const fn per_field(
        name: &'static str,
        parse: fn(&str) -> Result<T>,
        default: Option<&'static str>,
        about: &'static str,
    ) -> Self {
        Self { per_field: true, ..Self::new(name, parse, default, about) }
    }

    /// The value sent, or the default; `None` when there is neither.
    pub fn read(&self, params: &Params) -> Result<Option<T>> {
        params.get(self.name).or(self.default).map(self.parse).transpose()
    }

    /// As [`Param::read`], for a parameter that may be given in the query's local parameters.
    pub fn read_near(&self, params: &Params, local: &LocalParams) -> Result<Option<T>> {
        let sent = local.get(self.name).or_else(|| params.get(self.name));
        sent.or(self.default).map(self.parse).transpose()
    }

    /// As [`Param::read`], for a parameter that may be given for one field, or in its local parameters.
    pub fn read_for(&self, params: &Params, local: &LocalParams, field: &str) -> Result<Option<T>> {
        let sent = local.get(self.name).or_else(|| params.get_for(field, self.name));
        sent.or(self.default).map(self.parse).transpose()
    }
}

impl<T: Typed> Param<T> {
    pub const fn doc(&self) -> ParamDoc {
        ParamDoc {
            name: self.name,
            about: self.about,
            default: self.default,
            kind: T::KIND,
            per_field: self.per_field,
            support: Support::Yes,
        }
    }

    /// As [`Param::doc`], for one whose value changes no answer.
    pub const fn hint(&self) -> ParamDoc {
        ParamDoc { support: Support::Hint, ..self.doc() }
    }
}

impl ParamDoc {
    /// A parameter whose reader is elsewhere.
    pub const fn plain(
        name: &'static str,
        kind: Kind,
        default: Option<&'static str>,
        about: &'static str,
    ) -> Self {
        Self { name, about, default, kind, per_field: false, support: Support::Yes }
    }

    /// A parameter that changes no answer here.
    pub const fn hint(name: &'static str, about: &'static str) -> Self {
        Self { support: Support::Hint, ..Self::plain(name, Kind::Text, None, about) }
    }

    /// A parameter of Solr's that is refused.
    pub const fn unsupported(name: &'static str, about: &'static str) -> Self {
        Self { support: Support::No, ..Self::plain(name, Kind::Text, None, about) }
    }

    /// One of these texts, and no other.
    #[must_use]
    pub const fn one_of(self, choices: &'static [&'static str]) -> Self {
        Self { kind: Kind::OneOf(choices), ..self }
    }

    /// As the reference words it.
    pub fn may_repeat(&self) -> bool {
        self.about.contains("May repeat")
    }

    /// Whether this stands for all names that begin with it, or have something of their own in the middle.
    pub fn is_pattern(&self) -> bool {
        self.name.ends_with('.') || self.name.contains('<')
    }
}

/// Text as it is.
pub(crate) fn text(value: &str) -> Result<String> {
    Ok(value.to_owned())
}

/// `true`, `on`, `yes` and their opposites, as Solr reads switches.
pub(crate) fn switch(value: &str) -> Result<bool> {
    match value {
        "true" | "on" | "yes" => Ok(true),
        "false" | "off" | "no" => Ok(false),
        _ => Err(Error::bad_request(format!("invalid boolean value: {value}"))),
    }
}

/// A Java `int`.
pub(crate) fn integer(value: &str) -> Result<i32> {
    value.parse().map_err(|_| not_a_number(value))
}

/// A Java `float`.
pub(crate) fn float(value: &str) -> Result<f32> {
    java_float(value).ok_or_else(|| not_a_number(value))
}

/// A Java `double`.
pub(crate) fn double(value: &str) -> Result<f64> {
    java_float(value).ok_or_else(|| not_a_number(value))
}

/// A Java `long`.
pub(crate) fn long(value: &str) -> Result<i64> {
    value.parse().map_err(|_| not_a_number(value))
}

fn not_a_number(value: &str) -> Error {
    Error::bad_request(format!("For input string: \"{value}\"")).with_root(RootCause::NumberFormat)
}
