//! One document's answers that come as values and texts: what field lists show, what text functions read,
//! what explanations tell.
//!
//! In: a reader opened in the document's segment; out: a value, a text, or the function in Lucene's words
//! with what it read. Blocks of numbers go another way (`reader`), since texts are seldom asked for.

use plan::{Kind, Operator, Value};
use tantivy::DocId;

use super::geohash;
use super::reader::FunctionReader;
use super::values::{FunctionValues as _, SingleValues};

impl SingleValues for FunctionReader {
    fn value(&mut self, doc: DocId) -> Option<Value> {
        match self {
            FunctionReader::Constant { value, .. } => Some(value.clone()),
            FunctionReader::Column(column) => column.value(doc),
            FunctionReader::Call { operator: Operator::If | Operator::Default, .. } => {
                self.chosen(doc)?.value(doc)
            }
            FunctionReader::Score(_) => Some(Value::Float(self.float(doc))),
            // An amount that is not there counts, and shows, as none.
            FunctionReader::Currency(_) => self.computed(doc),
            _ => self.is_present(doc).then(|| self.computed(doc)).flatten(),
        }
    }

    fn text(&mut self, doc: DocId) -> Option<String> {
        match self {
            FunctionReader::Call { operator: Operator::Concatenate, arguments } => {
                arguments.iter_mut().map(|argument| argument.text(doc)).collect()
            }
            FunctionReader::Call { operator: Operator::Geohash, arguments } => match arguments.as_mut_slice()
            {
                [latitude, longitude] => Some(geohash::encode(latitude.double(doc), longitude.double(doc))),
                _ => None,
            },
            FunctionReader::Column(column) => match (column.value(doc), column.kind()) {
                (Some(value), _) => Some(value.to_text()),
                // Where there is none, some kinds show what they count as.
                (None, Kind::Int) => Some("0".to_owned()),
                (None, Kind::Float | Kind::Double) => Some("0.0".to_owned()),
                (None, Kind::Bool) => Some("false".to_owned()),
                (None, _) => None,
            },
            FunctionReader::Ordinal(_) => Some(self.integer(doc).to_string()),
            _ => self.value(doc).map(|value| value.to_text()),
        }
    }
}

impl FunctionReader {
    fn computed(&mut self, doc: DocId) -> Option<Value> {
        Some(match self.kind() {
            Kind::Int => Value::Int(self.integer(doc) as i32),
            Kind::Long | Kind::Date => Value::Long(self.integer(doc)),
            Kind::Float => Value::Float(self.float(doc)),
            Kind::Double => Value::Double(self.double(doc)),
            Kind::Bool => Value::Bool(self.flag(doc)),
            Kind::Str => Value::Str(self.text(doc)?),
            Kind::Mixed | Kind::Vector => return None,
        })
    }

    /// The argument whose value `if` and `def` give.
    fn chosen(&mut self, doc: DocId) -> Option<&mut FunctionReader> {
        let FunctionReader::Call { operator, arguments } = self else { return None };
        match (operator, arguments.as_mut_slice()) {
            (Operator::If, [condition, then, otherwise]) => {
                Some(if condition.flag(doc) { then } else { otherwise })
            }
            (Operator::Default, all) => {
                let place = all.iter_mut().position(|argument| argument.is_present(doc));
                all.get_mut(place.unwrap_or(all.len().saturating_sub(1)))
            }
            _ => None,
        }
    }

    /// The function in Lucene's words with the values it read.
    pub(crate) fn describe(&mut self, doc: DocId) -> String {
        let label = match self {
            FunctionReader::Constant { shown, .. } => return shown.clone(),
            FunctionReader::Scaled { of, scale } => return scale.describe(&of.describe(doc)),
            FunctionReader::Call { operator, arguments } => {
                let shown: Vec<_> = arguments.iter_mut().map(|argument| argument.describe(doc)).collect();
                return describe_call(operator, &shown);
            }
            FunctionReader::PointDistance(distance) => return distance.label().to_owned(),
            FunctionReader::Currency(currency) => return currency.label().to_owned(),
            FunctionReader::Payload { payload, .. } => return payload.label().to_owned(),
            FunctionReader::VectorSimilarity(similarity) => return similarity.label().to_owned(),
            FunctionReader::Column(column) => column.label(),
            FunctionReader::Ordinal(ordinal) => ordinal.label(),
            FunctionReader::Score(score) => score.label(),
            FunctionReader::TermFrequency(frequency) => frequency.label(),
            FunctionReader::JoinFrequency(frequency) => frequency.label(),
        };
        let label = label.to_owned();
        format!("{label}={}", self.text(doc).as_deref().unwrap_or("null"))
    }
}

fn describe_call(operator: &Operator, shown: &[String]) -> String {
    let argument = |at: usize| shown.get(at).map_or("null", String::as_str);
    match operator {
        Operator::Map { min, max } => {
            let (min, max) = (Value::Float(*min).to_text(), Value::Float(*max).to_text());
            let (of, target, other) = (argument(0), argument(1), argument(2));
            format!("map({of},min={min},max={max},target={target},defaultVal={other})")
        }
        Operator::GeoDistance { latitude, longitude } => {
            let (latitude, longitude) = (Value::Double(*latitude), Value::Double(*longitude));
            let inside = argument(0).strip_prefix("vector(").and_then(|rest| rest.strip_suffix(')'));
            let inside = inside.unwrap_or(argument(0));
            format!("geodist({inside},{},{})", latitude.to_text(), longitude.to_text())
        }
        other => other.describe(shown),
    }
}
