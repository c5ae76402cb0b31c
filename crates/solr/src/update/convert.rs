//! One untyped value as a field's type holds it. Leniency and wording are those of Solr's field types when
//! they index (recorded from 9.10.1); what needs no clock is `plan::coerce`'s. In: a `RawValue` and a field's
//! specification; out: a `plan::Value` of the field's type, or Solr's message without the document around it,
//! which `document.rs` adds.

use std::sync::Arc;

use plan::{
    Area, DateSpan, Error, FieldClass, FieldSpec, Money, Result, RootCause, Value, VectorEncoding,
    VectorType, coerce,
};

use crate::date_math::DateMath;
use crate::query::{check_coordinates, has_date_math};
use crate::update::command::RawValue;

/// Makes random UUIDs, in lower case.
pub type NewUuid = Arc<dyn Fn() -> String + Send + Sync>;

/// The longest string that an index takes as one term, in bytes (Lucene's `IndexWriter.MAX_TERM_LENGTH`).
const TERM_BYTES_MAX: usize = 32_766;

/// What conversion needs besides the value: what `NOW` is, and where new ids come from.
#[derive(Clone, Copy)]
pub struct Conversion<'a> {
    pub dates: &'a DateMath,
    /// Makes a random UUID, in lower case (`NEW` in a UUID field, documents without an id when guessing).
    pub new_uuid: &'a NewUuid,
}

impl Conversion<'_> {
    /// As [`Conversion::convert`], moving a text out of `raw` where the field keeps it as it is. After an
    /// error, `raw` is whole.
    pub fn take(&self, raw: &mut RawValue, spec: &FieldSpec) -> Result<Value> {
        match raw {
            RawValue::Str(text) if spec.class().is_text() || spec.class() == FieldClass::Str => {
                Ok(Value::Str(std::mem::take(text)))
            }
            raw => self.convert(raw, spec),
        }
    }

    /// The typed value. Errors are bare ("For input string: …"): the caller says which document and field.
    ///
    /// Solr differs: a JSON number that its type does not hold wraps there (2147483648 becomes -2147483648)
    /// and is cut where not even a long holds it; here it is refused (`compat/errors/updates.yaml`).
    pub fn convert(&self, raw: &RawValue, spec: &FieldSpec) -> Result<Value> {
        match (spec.class(), raw) {
            (FieldClass::Date, RawValue::Date(ms)) => Ok(Value::Date(*ms)),
            (FieldClass::Date, _) => self.dates.parse(&raw.to_text()).map(Value::Date),
            (FieldClass::Uuid, _) => self.uuid(&raw.to_text()),
            (FieldClass::Binary, RawValue::Bytes(bytes)) => Ok(Value::Bytes(bytes.clone())),
            (FieldClass::Binary, _) => decode_base64(&raw.to_text()).map(Value::Bytes),
            (FieldClass::DenseVector, _) => element(raw, spec),
            (FieldClass::Point, _) => {
                let text = raw.to_text();
                check_coordinates(&text, spec)?;
                Ok(Value::Str(text))
            }
            (class, _) if class.is_place() || class == FieldClass::BBox => shape(raw.to_text(), spec),
            (FieldClass::Rank, _) => rank(raw, spec),
            (FieldClass::Enum, _) => enumerated(spec, &raw.to_text()),
            (FieldClass::Currency, _) => money(raw.to_text(), spec),
            (FieldClass::DateRange, RawValue::Date(ms)) => Ok(Value::Str(plan::format_instant(*ms))),
            (FieldClass::DateRange, _) => self.date_span(raw.to_text()),
            (class, _) if class.is_number() || class == FieldClass::Bool => coerce(&untyped(raw), class),
            _ => Ok(Value::Str(raw.to_text())),
        }
    }

    /// A stretch of time as it is shown: date math as the instant that it comes to, a range as it was sent.
    fn date_span(&self, text: String) -> Result<Value> {
        if !text.contains(" TO ") && has_date_math(&text) {
            return self.dates.parse(&text).map(|ms| Value::Str(plan::format_instant(ms)));
        }
        DateSpan::shown(text).map(Value::Str)
    }

    fn uuid(&self, text: &str) -> Result<Value> {
        // Solr's way to ask for a fresh id; an empty text counts as well.
        if text.is_empty() || text == "NEW" {
            return Ok(Value::Str((self.new_uuid)()));
        }
        let hyphens = [8, 13, 18, 23];
        let fits = |(at, byte): (usize, u8)| {
            if hyphens.contains(&at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
        };
        if text.len() != 36 || !text.bytes().enumerate().all(fits) {
            return Err(Error::bad_request(format!("Invalid UUID String: '{text}'")));
        }
        Ok(Value::Str(text.to_ascii_lowercase()))
    }
}

/// An amount as it was sent: each price that it is copied to has a default currency of its own, and the shard
/// completes it by that.
fn money(text: String, spec: &FieldSpec) -> Result<Value> {
    Money::parse(&text, spec.field_type.default_currency())?;
    Ok(Value::Str(text))
}

/// The name as the type lists it. Solr differs: another is its own failure there, an error 500
/// (`compat/schema/enumerations.yaml`).
pub(crate) fn enumerated(spec: &FieldSpec, text: &str) -> Result<Value> {
    let found = spec.field_type.enumeration.read(text).map(|value| Value::Str(value.name.to_string()));
    found.ok_or_else(|| {
        Error::bad_request(format!("Unknown value for enum field: {}, value: {text}", spec.name))
    })
}

/// A number to rank a document by.
fn rank(raw: &RawValue, spec: &FieldSpec) -> Result<Value> {
    let name = &spec.name;
    let value = coerce(&untyped(raw), FieldClass::Float).map_err(|_| {
        let text = raw.to_text();
        Error::bad_request(format!(
            "Error while creating field '{name}' from value '{text}'. Expecting float."
        ))
    })?;
    match value {
        Value::Float(number) if number >= f32::MIN_POSITIVE && number.is_finite() => Ok(value),
        other => Err(Error::bad_request(format!(
            "featureValue must be a positive normal float, got: {} for feature {name} on field _rank_ which is less than the minimum positive normal float: 1.17549435E-38",
            other.to_text()
        ))),
    }
}

/// The value as the type it came with.
fn untyped(raw: &RawValue) -> Value {
    match raw {
        RawValue::Bool(flag) => Value::Bool(*flag),
        RawValue::Long(number) => Value::Long(*number),
        RawValue::Float(number) => Value::Float(*number),
        RawValue::Double(number) => Value::Double(*number),
        RawValue::Date(ms) => Value::Date(*ms),
        other => Value::Str(other.to_text()),
    }
}

/// Refuses a string that an index cannot take as the term it has to be. `name` is the field's, not its
/// pattern's.
pub fn check_term(name: &str, raw: &RawValue, spec: &FieldSpec) -> Result<()> {
    let is_term = spec.properties.indexed || spec.properties.doc_values;
    match raw {
        RawValue::Str(text) if spec.class() == FieldClass::Str && is_term && text.len() > TERM_BYTES_MAX => {
            Err(immense(name, text))
        }
        _ => Ok(()),
    }
}

fn immense(field: &str, text: &str) -> Error {
    let start: Vec<String> = text.bytes().take(30).map(|byte| (byte as i8).to_string()).collect();
    Error::bad_request(format!(
        "Document contains at least one immense term in field=\"{field}\" (whose UTF8 encoding is longer than the max \
         length {TERM_BYTES_MAX}), all of which were skipped.  Please correct the analyzer to not produce such terms.  \
         The prefix of the first immense term is: '[{}]...', original message: bytes can be at most {TERM_BYTES_MAX} \
         in length; got {}. Perhaps the document has an indexed string field (solr.StrField) which is too large",
        start.join(", "),
        text.len()
    ))
    .with_root(RootCause::IllegalArgument)
}

/// One number of a vector.
fn element(raw: &RawValue, spec: &FieldSpec) -> Result<Value> {
    if VectorType::of(&spec.field_type)?.encoding == VectorEncoding::Float32 {
        return coerce(&untyped(raw), FieldClass::Float);
    }
    let value = coerce(&untyped(raw), FieldClass::Int)?;
    match value {
        Value::Int(number) if i8::try_from(number).is_err() => {
            Err(Error::bad_request(format!("`{number}` is no byte; use -128 to 127")))
        }
        value => Ok(value),
    }
}

/// Checks a shape, which is kept as written.
fn shape(text: String, spec: &FieldSpec) -> Result<Value> {
    if !text.is_empty() {
        let area = Area::parse(&text)?;
        if spec.class() == FieldClass::LatLon && !matches!(area, Area::Point(_)) {
            let message = format!("LatLonPointSpatialStrategy only supports indexing points; got: {area}");
            return Err(Error::bad_request(message));
        }
    }
    Ok(Value::Str(text))
}

/// Standard base64 with or without padding.
pub(crate) fn decode_base64(text: &str) -> Result<Vec<u8>> {
    let illegal = |message: String| Error::bad_request(message).with_root(RootCause::IllegalArgument);
    let digits = text.trim_end_matches('=');
    // Six bits over, which no byte makes: Java says so in these words.
    if digits.len() % 4 == 1 {
        return Err(illegal("Input byte[] should at least have 2 bytes for base64 bytes".to_owned()));
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    let (mut word, mut bits) = (0u32, 0);
    for byte in digits.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            other => return Err(illegal(format!("Illegal base64 character {other:x}"))),
        };
        word = word << 6 | u32::from(digit);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
            word &= (1 << bits) - 1;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::update::testing;

    /// The value in text, or the message.
    fn convert(field: &str, raw: &RawValue) -> String {
        let schema = testing::schema();
        let spec = schema.field(field).unwrap();
        let dates = DateMath::new(1_600_000_000_000);
        let new_uuid: NewUuid = Arc::new(|| "new".to_owned());
        let conversion = Conversion { dates: &dates, new_uuid: &new_uuid };
        conversion.convert(raw, spec).map_or_else(|error| error.message, |value| format!("{value:?}"))
    }

    #[test]
    fn values_convert_as_solr_converts_them() {
        let text = |text: &str| RawValue::Str(text.to_owned());
        let check = |field: &str, raw: RawValue, expected: &str| {
            assert_eq!(convert(field, &raw), expected, "{field} {raw:?}");
        };
        check("n_i", text("12"), "Int(12)");
        check("n_i", text("+5"), "Int(5)");
        check("n_i", RawValue::Double(12.7), "Int(12)");
        check("n_i", text(" 12 "), "For input string: \" 12 \"");
        check("n_i", text("12.0"), "For input string: \"12.0\"");
        check("n_i", text(""), "For input string: \"\"");
        check("n_i", RawValue::Bool(true), "For input string: \"true\"");
        check("n_l", RawValue::Double(1e30), "Long(9223372036854775807)");
        check("n_l", text("12.5"), "For input string: \"12.5\"");
        check("n_f", text(" 1.5 "), "Float(1.5)");
        check("n_f", text("1.5f"), "Float(1.5)");
        check("n_f", text("NaN"), "Float(NaN)");
        check("n_f", text("nan"), "For input string: \"nan\"");
        check("n_f", text(""), "empty String");
        check("n_d", text("1d"), "Double(1.0)");
        check("n_d", RawValue::Long(1), "Double(1.0)");
        check("n_b", RawValue::Long(1), "Bool(true)");
        check("n_b", text("yes"), "Bool(false)");
        check("n_dt", text("1970-01-01T00:00:01Z"), "Date(1000)");
        check("n_dt", text("NOW"), "Date(1600000000000)");
        check("n_dt", text("1970-01-01T00:00:01Z/DAY"), "Date(0)");
        check("n_dt", text("1970-01-01"), "Invalid Date String:'1970-01-01'");
        check("n_dt", RawValue::Long(5), "Invalid Date String:'5'");
        check("n_s", RawValue::Double(1.0), "Str(\"1.0\")");
        check("n_s", RawValue::List(vec![text("a"), RawValue::Null]), "Str(\"[a, null]\")");
        check("n_bin", text("AQID"), "Bytes([1, 2, 3])");
        check("n_bin", text("***"), "Illegal base64 character 2a");
        check("n_bin", text("1"), "Input byte[] should at least have 2 bytes for base64 bytes");
        check("n_p", text("1,2"), "Str(\"1,2\")");
        check("n_uuid", text("abc"), "Invalid UUID String: 'abc'");
        check("n_uuid", text("NEW"), "Str(\"new\")");
        check(
            "n_uuid",
            text("123E4567-E89B-12D3-A456-426614174000"),
            "Str(\"123e4567-e89b-12d3-a456-426614174000\")",
        );
        assert!(convert("n_p", &text("95,1")).contains("Unknown Shape definition [95,1]"));
        let schema = testing::schema();
        let long = check_term("n_s", &text(&"x".repeat(40_000)), schema.field("n_s").unwrap());
        assert!(long.unwrap_err().message.contains("immense term in field=\"n_s\""));
    }
}
