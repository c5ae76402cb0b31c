//! What a field is worth where a function names it, and which fields have no worth: kinds by class, columns,
//! one of many values. Messages are Solr's, recorded from 9.10.1. Functions that take a field by arguments of
//! their own are `field.rs`.

use plan::{Error, FieldClass, Function, Result};

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

/// Solr differs: a text field is an error 500 there; here what cannot be answered is the client's
/// (`compat/query/functions.yaml`).
pub(crate) fn check_class(field: &Field) -> Result<()> {
    let name = &field.name;
    let message = match field.spec.class() {
        FieldClass::Int | FieldClass::Long | FieldClass::Float | FieldClass::Double => return Ok(()),
        FieldClass::Date | FieldClass::Bool | FieldClass::Str | FieldClass::Uuid => return Ok(()),
        FieldClass::SortableText | FieldClass::Rank | FieldClass::Enum => return Ok(()),
        FieldClass::LatLon | FieldClass::DateRange => {
            "A ValueSource isn't directly available from this field. Instead try a query \
                               using the distance as the score."
                .to_owned()
        }
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

/// Refuses a field that has no column and would not have one made of its terms.
pub(crate) fn check_column(field: &Field) -> Result<()> {
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
