//! Functions of one field that read their arguments their own way: one of many values, amounts in a currency,
//! places among all values. Messages are Solr's, recorded from 9.10.1. In: a `FunctionSource` behind the
//! opening parenthesis; out: a `plan::Function`. What a bare field's name is worth is `field_value.rs`.

use plan::{Error, FieldClass, Function, Pick};

use super::failure::Failure;
use super::field_value::{check_class, check_column, value_of};
use super::parse::FunctionSource;

/// `field(name)`, `field(name,min)`, `field(name,max)`.
pub(super) fn field(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let name = source.text("a field")?;
    if !source.cursor.has_more() {
        return Ok(value_of(source.context, &name)?);
    }
    let field = source.context.field_quoted(&name)?;
    let selector = source.text("`min` or `max`")?;
    let pick = match selector.to_ascii_lowercase().as_str() {
        "min" => Pick::Min,
        "max" => Pick::Max,
        _ => {
            let message = format!("Multi-Valued field selector '{selector}' not supported");
            return Err(Error::bad_request(message).into());
        }
    };
    if !field.spec.properties.multi_valued {
        return Ok(value_of(source.context, &name)?);
    }
    if matches!(field.spec.class(), FieldClass::Bool | FieldClass::Text) {
        let kind = &field.spec.field_type.name;
        return Err(Error::bad_request(format!(
            "Selecting a single value from a multivalued field is not supported for this field: {name} (type: {kind})"
        ))
        .into());
    }
    check_class(&field)?;
    check_column(&field)?;
    // One of several dates is no date any more in Solr, but its milliseconds.
    let class = match field.spec.class() {
        FieldClass::Date => FieldClass::Long,
        class => class,
    };
    Ok(Function::Field { field: field.name, class, pick: Some(pick) })
}

/// `currency(name,CODE)`: amounts in that currency, by default the field's own.
pub(super) fn currency(source: &mut FunctionSource<'_>) -> Result<Function, Failure> {
    let name = source.text("a field")?;
    let target = if source.cursor.has_more() { Some(source.text("a currency")?) } else { None };
    let field = source.context.field_quoted(&name)?;
    if field.spec.class() != FieldClass::Currency {
        let message = format!("Currency function input must be the name of a CurrencyFieldType: {name}");
        return Err(Error::bad_request(message).into());
    }
    Ok(source.context.currency(&field, target.as_deref())?)
}

/// `ord(name)` and `rord(name)`.
pub(super) fn ordinal(source: &mut FunctionSource<'_>, reversed: bool) -> Result<Function, Failure> {
    let name = source.name()?;
    let field = source.context.field_quoted(&name)?;
    if field.spec.class().has_number_column() {
        let function = if reversed { "rord" } else { "ord" };
        let message = format!("{function}() is not supported over Points based field {name}");
        return Err(Error::bad_request(message).into());
    }
    check_class(&field)?;
    check_column(&field)?;
    Ok(Function::Ordinal { field: field.name, reversed })
}
