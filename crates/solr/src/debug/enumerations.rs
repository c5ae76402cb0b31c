//! Terms and ranges of enumerations as Solr shows them: names where classes are named, else the bytes of the
//! places as its index has them, or their numbers where only a column does.

use std::ops::Bound;

use plan::{EnumValue, FieldClass, Range, Value};

use super::{Form, QueryPrinter};

impl QueryPrinter<'_> {
    pub(super) fn is_enumeration(&self, field: &str) -> bool {
        self.schema.field(field).is_some_and(|spec| spec.class() == FieldClass::Enum)
    }

    pub(super) fn enum_term(&self, field: &str, value: &EnumValue, form: Form) -> String {
        if self.only_column(field) {
            let ordinal = value.ordinal;
            return format!("ConstantScore({field}:[{ordinal} TO {ordinal}])");
        }
        format!("{field}:{}", shown(value, form))
    }

    /// The range of an enumeration; ends that are none are open.
    pub(super) fn enum_range(&self, range: &Range, form: Form) -> String {
        let Range { field, lower, upper } = range;
        if self.only_column(field) {
            let (low, high) = (ordinal(lower, 1, i32::MIN), ordinal(upper, -1, i32::MAX));
            return format!("ConstantScore({field}:[{low} TO {high}])");
        }
        let text = |bound: &Bound<Value>| match bound {
            Bound::Included(Value::Enum(value)) | Bound::Excluded(Value::Enum(value)) => shown(value, form),
            _ => "*".to_owned(),
        };
        let open = if matches!(lower, Bound::Excluded(_)) { '{' } else { '[' };
        let close = if matches!(upper, Bound::Excluded(_)) { '}' } else { ']' };
        format!("{field}:{open}{} TO {}{close}", text(lower), text(upper))
    }
}

fn ordinal(bound: &Bound<Value>, step: i32, open: i32) -> i32 {
    match bound {
        Bound::Included(Value::Enum(value)) => value.ordinal,
        Bound::Excluded(Value::Enum(value)) => value.ordinal.saturating_add(step),
        _ => open,
    }
}

fn shown(value: &EnumValue, form: Form) -> String {
    if form == Form::Classes {
        return value.name.to_string();
    }
    // The sign turned round, so that bytes sort as the numbers do.
    let [first, second, third, last] = (value.ordinal.cast_unsigned() ^ 1 << 31).to_be_bytes();
    format!("[{first:x} {second:x} {third:x} {last:x}]")
}
