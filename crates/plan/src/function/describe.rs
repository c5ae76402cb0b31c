//! Functions in the words of Lucene's value sources, which debug output and explanations show. Recorded from
//! Solr 9.10.1. Queries within a function come with their words already (`label`), since how a query is shown
//! is `solr`'s.

use std::fmt::{Display, Formatter, Result};

use super::operand::{CurrencyOf, IndexTerm, Pick, PointDistance, Statistic};
use super::operator::{Operator, StringMeasure};
use crate::query::dense_vector::{VectorMeasure, VectorSide};
use crate::query::tree::{Function, PayloadOf};
use crate::schema::class::FieldClass;
use crate::value::{Value, java_double, java_float};

impl Display for Function {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Function::Constant(Value::Str(text)) => write!(out, "literal({text})"),
            Function::Constant(value) => write!(out, "const({})", value.to_text()),
            Function::Field { field, class, pick } => of_field(out, field, *class, *pick),
            Function::Ordinal { field, reversed: false } => write!(out, "ord({field})"),
            Function::Ordinal { field, reversed: true } => write!(out, "rord({field})"),
            Function::Score { missing, label, .. } => {
                write!(out, "query({label},def={})", java_float(*missing))
            }
            Function::TermFrequency(term) => of_term(out, "termfreq", term),
            Function::Statistic(Statistic::DocFrequency(term)) => of_term(out, "docfreq", term),
            Function::Statistic(Statistic::TotalTermFrequency(term)) => of_term(out, "totaltermfreq", term),
            Function::Statistic(Statistic::SumTotalTermFrequency { field }) => {
                write!(out, "sumtotaltermfreq({field})")
            }
            Function::Statistic(Statistic::Living) => out.write_str("numdocs()"),
            Function::Statistic(Statistic::All) => out.write_str("maxdoc()"),
            Function::JoinFrequency { field, among } => write!(out, "joindf({field}:({among}))"),
            Function::PointDistance(PointDistance { field, from, per_metre, detail: None }) => {
                let (x, y) = (java_double(from.longitude), java_double(from.latitude));
                write!(out, "distSort({field}, Pt(x={x},y={y}), mult:{})", java_double(*per_metre))
            }
            // Lucene's text has the address of an object in it.
            Function::PointDistance(PointDistance { field, from, .. }) => {
                let (x, y) = (java_double(from.longitude), java_double(from.latitude));
                write!(out, "ShapeFieldCacheDistanceValueSource({field}, Pt(x={x},y={y}))")
            }
            Function::VectorSimilarity(similarity) => {
                let [one, other] = similarity.sides.each_ref().map(of_vector);
                let measure = similarity.measure;
                let names = VectorMeasure::NAMES.iter();
                let name = names.clone().find(|(_, known)| *known == measure).map_or("", |(name, _)| *name);
                write!(out, "FloatVectorSimilarityFunction({name}, {one}, {other})")
            }
            Function::Payload(payload) => {
                let PayloadOf { term, missing, .. } = &**payload;
                write!(out, "payload({},{},{missing})", term.field, term.text)
            }
            Function::Currency(money) => {
                let CurrencyOf { field, target, shown, .. } = &**money;
                match shown {
                    None => write!(out, "rawcurrency({field},target={target})"),
                    Some((shown, _)) => write!(out, "currency({field},{shown})"),
                }
            }
            Function::Call { operator, arguments } => {
                let arguments: Vec<_> = arguments.iter().map(Function::to_string).collect();
                out.write_str(&operator.describe(&arguments))
            }
        }
    }
}

fn of_field(out: &mut Formatter<'_>, field: &str, class: FieldClass, pick: Option<Pick>) -> Result {
    let sorted = class == FieldClass::SortableText;
    let picked = if pick == Some(Pick::Max) { "MAX" } else { "MIN" };
    match (field_name(class), pick) {
        ("str", Some(_)) => write!(out, "sortedset({field},selector={picked})"),
        ("str", None) if sorted => write!(out, "sortedset({field},selector={picked})"),
        (name, Some(_)) => write!(out, "{name}({field},{picked})"),
        (name, None) => write!(out, "{name}({field})"),
    }
}

fn of_vector(side: &VectorSide) -> String {
    match side {
        VectorSide::Field(field) => format!("vector({field})"),
        VectorSide::Constant(values) => {
            let shown: Vec<_> = values.iter().map(|value| java_float(*value)).collect();
            format!("[{}]", shown.join(", "))
        }
    }
}

fn of_term(out: &mut Formatter<'_>, name: &str, term: &IndexTerm) -> Result {
    write!(out, "{name}({},{})", term.field, term.text)
}

fn field_name(class: FieldClass) -> &'static str {
    match class {
        FieldClass::Int => "int",
        FieldClass::Enum => "enum",
        FieldClass::Long => "long",
        FieldClass::Float => "float",
        FieldClass::Double => "double",
        FieldClass::Date => "date",
        FieldClass::Bool => "bool",
        _ => "str",
    }
}

impl Operator {
    /// The call in Lucene's words, given those of its arguments.
    pub fn describe(&self, arguments: &[String]) -> String {
        let argument = |at: usize| arguments.get(at).map_or("null", String::as_str);
        let (first, all) = (argument(0), arguments.join(","));
        match self {
            Operator::Linear { slope, intercept } => {
                format!("{}*float({first})+{}", java_float(*slope), java_float(*intercept))
            }
            Operator::Reciprocal { m, a, b } => {
                format!("{}/({}*float({first})+{})", java_float(*a), java_float(*m), java_float(*b))
            }
            Operator::Scale { min, max } => {
                format!("scale({first},{},{})", java_float(*min), java_float(*max))
            }
            Operator::Map { min, max } => {
                let (min, max) = (java_float(*min), java_float(*max));
                format!("map({first},{min},{max},{},{})", argument(1), argument(2))
            }
            Operator::StringDistance(measure) => {
                format!("strdist({all}, dist=org.apache.lucene.search.spell.{})", measure.class())
            }
            Operator::Distance { order } => format!("dist({},{all})", java_float(*order)),
            Operator::SquaredDistance => format!("sqedist(-1.0,{all})"),
            Operator::GeoDistance { latitude, longitude } => {
                format!("geodist({first},{},{})", java_double(*latitude), java_double(*longitude))
            }
            other => format!("{}({all})", other.name()),
        }
    }
}

impl StringMeasure {
    fn class(self) -> &'static str {
        match self {
            StringMeasure::JaroWinkler => "JaroWinklerDistance",
            StringMeasure::Levenshtein => "LevenshteinDistance",
            StringMeasure::NGram(_) => "NGramDistance",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Solr 9.10.1.
    #[test]
    fn functions_read_as_lucenes() {
        let check = |function: Function, expected: &str| assert_eq!(function.to_string(), expected);
        let pages = || Function::Field { field: "pages_i".into(), class: FieldClass::Int, pick: None };
        let one = || Function::Constant(Value::Long(1));
        let call = |operator, arguments| Function::call(operator, arguments);
        check(call(Operator::Sum, vec![pages(), one()]), "sum(int(pages_i),const(1))");
        check(Function::Constant(Value::Double(1e3)), "const(1000.0)");
        let linear = Operator::Linear { slope: 2.0, intercept: 1.0 };
        check(call(linear, vec![pages()]), "2.0*float(int(pages_i))+1.0");
        let map = Operator::Map { min: 1.0, max: 2.0 };
        check(call(map, vec![pages(), one()]), "map(int(pages_i),1.0,2.0,const(1),null)");
    }
}
