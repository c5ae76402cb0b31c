//! What a field is worth in a function, and what it may be asked: kinds by class, one of many values, places
//! among values. Messages are Solr's, recorded from 9.10.1.

use plan::{Error, FieldClass, Function, Pick, Result};

use super::Failure;
use super::parse::FunctionSource;
use crate::query::{Field, QueryContext};

/// A field by its name.
pub(super) fn value_of(context: &QueryContext<'_>, name: &str) -> Result<Function> {
    let field = context.field_quoted(name)?;
    let properties = &field.spec.properties;
    if field.spec.class() == FieldClass::Currency {
        return context.currency_raw(&field);
    }
    check_class(&field)?;
    if properties.multi_valued {
        return Err(Error::bad_request(format!("can not use FieldCache on multivalued field: {name}")));
    }
    check_column(&field)?;
    let class = field.spec.class();
    Ok(Function::Field { field: field.name, class, pick: None })
}

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
    if field.spec.class().is_point() {
        let function = if reversed { "rord" } else { "ord" };
        let message = format!("{function}() is not supported over Points based field {name}");
        return Err(Error::bad_request(message).into());
    }
    check_class(&field)?;
    check_column(&field)?;
    Ok(Function::Ordinal { field: field.name, reversed })
}

/// Solr differs: a text field is an error 500 there; here what cannot be answered is the client's
/// (`compat/query/functions.yaml`).
fn check_class(field: &Field) -> Result<()> {
    let name = &field.name;
    let message = match field.spec.class() {
        FieldClass::Int | FieldClass::Long | FieldClass::Float | FieldClass::Double => return Ok(()),
        FieldClass::Date | FieldClass::Bool | FieldClass::Str | FieldClass::Uuid => return Ok(()),
        FieldClass::SortableText | FieldClass::Rank => return Ok(()),
        FieldClass::LatLon => "A ValueSource isn't directly available from this field. Instead try a query \
                               using the distance as the score."
            .to_owned(),
        FieldClass::Text => format!(
            "unexpected docvalues type NONE for field '{name}' (expected one of [SORTED, SORTED_SET]). \
             Re-index with correct docvalues type."
        ),
        _ => format!(
            "functions of field `{name}` of type `{}` are not supported yet; use a number, date, string or boolean",
            field.spec.field_type.name
        ),
    };
    Err(Error::bad_request(message))
}

fn check_column(field: &Field) -> Result<()> {
    let properties = &field.spec.properties;
    let uninverts = properties.indexed && properties.uninvertible && !properties.multi_valued;
    if properties.doc_values || uninverts {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "can not use FieldCache on a field w/o docValues unless it is indexed uninvertible=true and the type supports Uninversion: {}",
        field.name
    )))
}
