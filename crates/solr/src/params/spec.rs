//! What the definition of a parameter is made of: a typed reader for the code, a plain record for the
//! reference. Both come from one constant, so they cannot disagree. What was sent is read through a
//! definition and no other way: by a name that is data (`$other`, a name of the configuration)
//! `Params::by_name` looks it up, and `cargo xtask tidy` knows each place that does.

use plan::{Error, Result, RootCause};

use super::Params;
use crate::query::{LocalParams, java_float};

/// A parameter whose values read as `T`. With a default (see [`Preset`]) each reading has a value, else there
/// may be none.
pub struct Param<T, D = NoDefault> {
    pub name: &'static str,
    pub about: &'static str,
    pub default: D,
    pub parse: fn(&str) -> Result<T>,
    /// Also read as `f.<field>.<name>`, and as a local parameter.
    pub per_field: bool,
}

/// A parameter with a default, which is text: read by the same parser as a value that was sent.
pub type Preset<T> = Param<T, &'static str>;

/// That nothing stands in for a value that was not sent.
#[derive(Clone, Copy)]
pub struct NoDefault;

/// What stands in for a value that was not sent, if anything, and so what reading results in.
pub trait Fallback: Copy {
    type Read<T>;

    /// The text sent, or what stands in for it.
    fn fill(self, sent: Option<&str>) -> Self::Read<&str>;

    fn parse<T>(self, sent: Option<&str>, parse: fn(&str) -> Result<T>) -> Result<Self::Read<T>>;
}

impl Fallback for NoDefault {
    type Read<T> = Option<T>;

    fn fill(self, sent: Option<&str>) -> Option<&str> {
        sent
    }

    fn parse<T>(self, sent: Option<&str>, parse: fn(&str) -> Result<T>) -> Result<Option<T>> {
        sent.map(parse).transpose()
    }
}

impl Fallback for &'static str {
    type Read<T> = T;

    fn fill(self, sent: Option<&str>) -> &str {
        sent.unwrap_or(self)
    }

    fn parse<T>(self, sent: Option<&str>, parse: fn(&str) -> Result<T>) -> Result<T> {
        parse(sent.unwrap_or(self))
    }
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

/// A number that may also be empty, which says nothing.
impl Typed for Option<i64> {
    const KIND: Kind = i32::KIND;
}

impl Typed for char {
    const KIND: Kind = Kind::Text;
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

impl<T, D: Fallback> Param<T, D> {
    pub const fn new(
        name: &'static str,
        parse: fn(&str) -> Result<T>,
        default: D,
        about: &'static str,
    ) -> Self {
        Self { name, about, default, parse, per_field: false }
    }

    /// One that may be given for one field.
    pub const fn per_field(
        name: &'static str,
        parse: fn(&str) -> Result<T>,
        default: D,
        about: &'static str,
    ) -> Self {
        Self { name, about, default, parse, per_field: true }
    }

    /// The value sent, or the default.
    pub fn read(&self, params: &Params) -> Result<D::Read<T>> {
        self.parse(self.sent(params))
    }

    /// As [`Param::read`], for a parameter that may be given for one field, or in its local parameters.
    pub fn read_for(&self, params: &Params, local: &LocalParams, field: &str) -> Result<D::Read<T>> {
        self.parse(local.get(self.name).or_else(|| self.sent_for(params, field)))
    }

    /// What `sent` means, wherever it was found; the default where it was not.
    pub fn parse(&self, sent: Option<&str>) -> Result<D::Read<T>> {
        self.default.parse(sent, self.parse)
    }

    /// The first value as it was sent, the default left aside.
    pub fn sent<'a>(&self, params: &'a Params) -> Option<&'a str> {
        params.by_name(self.name)
    }

    pub fn is_sent(&self, params: &Params) -> bool {
        self.sent(params).is_some()
    }

    /// All values as they were sent, in order.
    pub fn sent_all<'a>(&self, params: &'a Params) -> impl Iterator<Item = &'a str> + use<'a, T, D> {
        params.all_by_name(self.name)
    }

    /// The first value that was sent for just this field.
    pub fn sent_own<'a>(&self, params: &'a Params, field: &str) -> Option<&'a str> {
        params.by_name(&own(field, self.name))
    }

    /// As [`Param::read`], of what was sent for just this field.
    pub fn read_own(&self, params: &Params, field: &str) -> Result<D::Read<T>> {
        self.parse(self.sent_own(params, field))
    }

    /// As [`Param::sent`]: the field's own value, else the one for all.
    pub fn sent_for<'a>(&self, params: &'a Params, field: &str) -> Option<&'a str> {
        self.sent_own(params, field).or_else(|| self.sent(params))
    }

    /// The field that `name` is this parameter for.
    pub fn field_of<'a>(&self, name: &'a str) -> Option<&'a str> {
        name.strip_prefix("f.")?.strip_suffix(self.name)?.strip_suffix('.')
    }

    /// As [`Param::sent_all`]: the field's own values, else those for all.
    pub fn sent_all_for<'a>(&self, params: &'a Params, field: &str) -> Vec<&'a str> {
        let own: Vec<_> = params.all_by_name(&own(field, self.name)).collect();
        if own.is_empty() { self.sent_all(params).collect() } else { own }
    }
}

impl<D: Fallback> Param<String, D> {
    /// As [`Param::read`], for text that is to stay where it is.
    pub fn text<'a>(&self, params: &'a Params) -> D::Read<&'a str> {
        self.default.fill(self.sent(params))
    }
}

/// The fields for which the request has something of their own, under a name with `part` in it; some more
/// than once.
pub(crate) fn fields_with<'a>(params: &'a Params, part: &'static str) -> impl Iterator<Item = &'a str> {
    let names = params.pairs().iter().map(|(name, _)| name);
    names.filter_map(move |name| Some(name.strip_prefix("f.")?.split_once(part)?.0))
}

/// What a parameter is called for one field.
fn own(field: &str, name: &str) -> String {
    format!("f.{field}.{name}")
}

impl<T: Typed> Param<T> {
    pub const fn doc(&self) -> ParamDoc {
        doc(self, None)
    }

    /// As [`Param::doc`], for one whose value changes no answer.
    pub const fn hint(&self) -> ParamDoc {
        ParamDoc { support: Support::Hint, ..self.doc() }
    }

    /// As [`Param::doc`], for one that is read to be refused.
    pub const fn refused(&self) -> ParamDoc {
        ParamDoc { support: Support::No, ..self.doc() }
    }
}

impl<T: Typed> Preset<T> {
    pub const fn doc(&self) -> ParamDoc {
        doc(self, Some(self.default))
    }
}

const fn doc<T: Typed, D>(param: &Param<T, D>, default: Option<&'static str>) -> ParamDoc {
    ParamDoc {
        name: param.name,
        about: param.about,
        default,
        kind: T::KIND,
        per_field: param.per_field,
        support: Support::Yes,
    }
}

/// Parameters whose names begin alike and end as the request chooses.
pub struct Family {
    /// As the reference spells it: the beginning, and in angle brackets what varies.
    pub name: &'static str,
    pub about: &'static str,
}

impl Family {
    /// What all the names begin with.
    pub const fn beginning(&self) -> &'static str {
        let (mut length, bytes) = (0, self.name.as_bytes());
        while length < bytes.len() && bytes[length] != b'<' {
            length += 1;
        }
        self.name.split_at(length).0
    }

    /// Each that was sent: how its name ends, and its value.
    pub fn sent_all<'a>(&self, params: &'a Params) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let beginning = self.beginning();
        let pairs = params.pairs().iter();
        pairs.filter_map(move |(name, value)| Some((name.strip_prefix(beginning)?, value.as_str())))
    }

    pub const fn doc(&self) -> ParamDoc {
        ParamDoc::plain(self.name, Kind::Text, None, self.about)
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

/// As [`switch`], by the first letters, as Solr reads the switches of updates.
pub(crate) fn parse_bool(value: &str) -> Result<bool> {
    match value {
        _ if ["true", "on", "yes"].iter().any(|word| value.starts_with(word)) => Ok(true),
        _ if ["false", "off"].iter().any(|word| value.starts_with(word)) || value == "no" => Ok(false),
        _ => Err(Error::bad_request(format!("invalid boolean value: {value}"))),
    }
}

/// `true` and nothing else, as some of Solr's handlers ask for a switch that is off by default.
pub(crate) fn is_true(value: &str) -> Result<bool> {
    Ok(value == "true")
}

/// All but `false`, as they ask for one that is on by default.
pub(crate) fn not_false(value: &str) -> Result<bool> {
    Ok(value != "false")
}

/// `true`, `on` or `yes`; what cannot be read is off.
pub(crate) fn lenient_switch(value: &str) -> Result<bool> {
    Ok(matches!(switch(value), Ok(true)))
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

/// A Java `long` with blanks around it.
pub(crate) fn trimmed_long(value: &str) -> Result<i64> {
    value.trim().parse().map_err(|_| not_a_number(value))
}

/// A Java `int` with blanks around it.
pub(crate) fn trimmed_int(value: &str) -> Result<i32> {
    value.trim().parse().map_err(|_| not_a_number(value))
}

/// A number of things, with blanks around it.
pub(crate) fn trimmed_size(value: &str) -> Result<usize> {
    value.trim().parse().map_err(|_| not_a_number(value))
}

/// One character of CSV; `name` is what messages call it.
pub(crate) fn csv_character(name: &str, value: &str) -> Result<char> {
    let mut characters = value.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err(Error::bad_request(format!("Invalid {name}:'{value}'"))),
    }
}

pub(crate) fn not_a_number(value: &str) -> Error {
    Error::bad_request(format!("For input string: \"{value}\"")).with_root(RootCause::NumberFormat)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Preset<i32> = Param::per_field("facet.limit", integer, "100", "Most.");
    const PREFIX: Param<String> = Param::per_field("facet.prefix", text, NoDefault, "Only those.");

    fn params(encoded: &str) -> Params {
        super::super::parse_form(encoded.as_bytes()).unwrap()
    }

    #[test]
    fn a_default_stands_in_for_what_was_not_sent() {
        let check = |encoded: &str, limit: Result<i32, &str>, prefix: Option<&str>| {
            let params = params(encoded);
            let found = LIMIT.read(&params).map_err(|error| error.message);
            assert_eq!(found, limit.map_err(str::to_owned), "{encoded}");
            assert_eq!(PREFIX.read(&params).unwrap().as_deref(), prefix, "{encoded}");
            assert_eq!(PREFIX.text(&params), prefix, "{encoded}");
        };
        check("", Ok(100), None);
        check("facet.limit=5&facet.limit=6&facet.prefix=a", Ok(5), Some("a"));
        check("facet.limit=&facet.prefix=", Err("For input string: \"\""), Some(""));
    }

    #[test]
    fn a_field_may_have_its_own_value() {
        let sent = params("facet.limit=1&f.a.facet.limit=2&f.a.facet.limit=3&f.a.b.facet.prefix=x");
        let none = LocalParams::default();
        let check = |field: &str, limit: i32, all: &[&str]| {
            assert_eq!(LIMIT.read_for(&sent, &none, field).unwrap(), limit, "{field}");
            assert_eq!(LIMIT.sent_all_for(&sent, field), all, "{field}");
        };
        check("a", 2, &["2", "3"]);
        check("b", 1, &["1"]);
        check("a.b", 1, &["1"]);
        assert_eq!(PREFIX.sent_for(&sent, "a.b"), Some("x"));
        assert_eq!(PREFIX.sent_for(&sent, "a"), None);
    }

    #[test]
    fn a_family_ends_as_the_request_chooses() {
        const LITERAL: Family = Family { name: "literal.<field>", about: "A value." };
        let params = params("literal.a=1&a=2&literal.b.c=3&literal.=4");
        let found: Vec<_> = LITERAL.sent_all(&params).collect();
        assert_eq!(found, [("a", "1"), ("b.c", "3"), ("", "4")]);
    }
}
