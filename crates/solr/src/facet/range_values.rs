//! The arithmetic of range facets for each type of field: parse a bound, add a gap, compare, show. Overflow
//! is an error, as wrapping would make ranges that never end. In: a field of the schema, what `NOW` is, and
//! texts; out: values and their texts as Solr shows them. Nothing is counted here and no facet is known.

use std::cmp::Ordering;

use plan::{CurrencyOf, Error, FieldClass, Money, Result, Value};

use crate::date_math::DateMath;
use crate::query::{Field, QueryContext};

/// One field's arithmetic. Prices are doubles: whole amounts of the smallest unit of one currency.
pub(super) struct RangeValues<'a> {
    field: &'a Field,
    dates: &'a DateMath,
    money: Option<CurrencyOf>,
}

impl<'a> RangeValues<'a> {
    /// Whether a field's type has such arithmetic.
    pub(super) fn has(field: &Field) -> bool {
        let class = field.spec.class();
        class.is_point() || matches!(class, FieldClass::Currency | FieldClass::DateRange)
    }

    /// Fails on fields without arithmetic. Prices are in the currency of `sample`, one of the bounds.
    pub(super) fn of(context: &QueryContext<'a>, field: &'a Field, sample: &str) -> Result<Self> {
        if !Self::has(field) {
            return Err(Error::bad_request(format!("Unable to range facet on field:{}", declaration(field))));
        }
        // Prices are compared in one currency: that of the bound, or the default.
        let money = match field.spec.class() {
            FieldClass::Currency => {
                let default = field.spec.field_type.default_currency();
                let code = Money::parse(sample, default).map_or(default.to_owned(), |money| money.code);
                Some(context.amounts_in(field, &code)?)
            }
            _ => None,
        };
        Ok(Self { field, dates: context.dates, money })
    }

    /// What is counted of a field of prices.
    pub(super) fn money(&self) -> Option<Box<CurrencyOf>> {
        self.money.clone().map(Box::new)
    }

    pub(super) fn parse(&self, text: &str) -> Result<Value> {
        if let (Some(of), Some(money)) = (&self.money, self.price(text)) {
            if money.code != of.target {
                return Err(Error::bad_request(
                    "Cannot compare CurrencyValues when their currencies are not equal",
                ));
            }
            return Ok(Value::Double(money.amount as f64));
        }
        self.number(text).ok_or_else(|| {
            Error::bad_request(format!("Can't parse value {text} for field: {}", self.field.name))
        })
    }

    fn price(&self, text: &str) -> Option<Money> {
        Money::parse(text, self.field.spec.field_type.default_currency()).ok()
    }

    /// A gap in the smallest unit of the currency of the bounds.
    fn price_gap(&self, of: &CurrencyOf, gap: &str) -> Option<Result<f64>> {
        Some(of.rates.convert(&self.price(gap)?, &of.target).map(|gap| gap as f64))
    }

    fn number(&self, text: &str) -> Option<Value> {
        match self.field.spec.class() {
            FieldClass::Int => text.parse().ok().map(Value::Int),
            FieldClass::Long => text.parse().ok().map(Value::Long),
            FieldClass::Float => crate::query::java_float(text).map(Value::Float),
            FieldClass::Double => crate::query::java_float(text).map(Value::Double),
            FieldClass::Currency => None,
            _ => self.dates.parse(text).ok().map(Value::Date),
        }
    }

    /// A gap of numbers is a number; of dates it is tried on a value.
    pub(super) fn check_gap(&self, gap: &str) -> Result<()> {
        let known = match self.field.spec.class() {
            FieldClass::Date | FieldClass::DateRange => true,
            FieldClass::Currency => self.price(gap).is_some(),
            _ => self.number(gap).is_some(),
        };
        if known {
            return Ok(());
        }
        Err(Error::bad_request(format!("Can't parse gap {gap} for field: {}", self.field.name)))
    }

    /// `value + gap`, wrapping as Java's integers do: the caller sees that it went down.
    pub(super) fn add(&self, value: &Value, gap: &str) -> Result<Value> {
        let price = self.money.as_ref().and_then(|of| self.price_gap(of, gap)).transpose()?;
        let gap_value = price.map(Value::Double).or_else(|| self.number(gap));
        let sum = match (value, gap_value) {
            // Wrapping, so that the overflow shows as a step backwards, which `boundaries` refuses in Solr's
            // words.
            (Value::Int(low), Some(Value::Int(gap))) => Some(Value::Int(low.wrapping_add(gap))),
            (Value::Long(low), Some(Value::Long(gap))) => Some(Value::Long(low.wrapping_add(gap))),
            (Value::Float(low), Some(Value::Float(gap))) => Some(Value::Float(low + gap)),
            (Value::Double(low), Some(Value::Double(gap))) => Some(Value::Double(low + gap)),
            (Value::Date(low), _) if !gap.is_empty() => self.dates.apply(*low, gap).map(Value::Date),
            _ => None,
        };
        sum.ok_or_else(|| {
            let (shown, name) = (self.shown(value), &self.field.name);
            Error::bad_request(format!("Can't add gap {gap} to value {shown} for field: {name}"))
        })
    }

    pub(super) fn before(&self, a: &Value, b: &Value) -> bool {
        compare(a, b) == Some(Ordering::Less)
    }

    /// As the response shows it: a price with its currency.
    pub(super) fn displayed(&self, value: &Value) -> Value {
        match (&self.money, value) {
            (Some(of), Value::Double(amount)) => {
                Value::Str(Money { amount: *amount as i64, code: of.target.clone() }.to_string())
            }
            _ => value.clone(),
        }
    }

    /// A gap as the response shows it.
    pub(super) fn displayed_gap(&self, gap: String) -> String {
        match (&self.money, self.price(&gap)) {
            (Some(_), Some(money)) => money.to_string(),
            // What is no number to a reader of the answer.
            _ if gap.contains(['x', 'X']) => self.number(&gap).map_or(gap, |number| number.to_text()),
            _ => gap,
        }
    }

    /// As Solr's messages show it: dates in the form of Java's `Date`.
    pub(super) fn shown(&self, value: &Value) -> String {
        match &self.displayed(value) {
            Value::Date(ms) => jiff::Timestamp::from_millisecond(*ms)
                .map_or_else(|_| value.to_text(), |at| at.strftime("%a %b %d %H:%M:%S UTC %Y").to_string()),
            other => other.to_text(),
        }
    }
}

/// Switches in the order of Solr's bits for them, which its messages follow.
const SWITCHES: [&str; 19] = [
    "indexed",
    "tokenized",
    "stored",
    "omitNorms",
    "omitTermFreqAndPositions",
    "termVectors",
    "termPositions",
    "termOffsets",
    "multiValued",
    "sortMissingFirst",
    "sortMissingLast",
    "required",
    "omitPositions",
    "storeOffsetsWithPositions",
    "docValues",
    "termPayloads",
    "useDocValuesAsStored",
    "large",
    "uninvertible",
];

/// A field as Solr's messages show it: its type, its default, the switches that are on.
fn declaration(field: &Field) -> String {
    let (name, kind) = (&field.name, &field.spec.field_type.name);
    let default = field.spec.default.as_ref().map(|text| format!("default={text},")).unwrap_or_default();
    let all = field.spec.properties.named();
    let on: Vec<_> = SWITCHES.into_iter().filter(|switch| all.contains(&(switch, true))).collect();
    format!("{name}{{type={kind},{default}properties={}}}", on.join(","))
}

fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Long(a), Value::Long(b)) | (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        // As Java compares: what is no number comes last.
        (Value::Float(a), Value::Float(b)) => Some(a.total_cmp(b)),
        (Value::Double(a), Value::Double(b)) => Some(a.total_cmp(b)),
        _ => None,
    }
}
