//! Whether functions find in their arguments what they compute with: numbers, vectors of as many dimensions.
//! Solr finds out document by document.
//!
//! Solr differs: a text where a number belongs is an error 500 there; here what cannot be computed is the
//! client's (`compat/query/function_syntax.yaml`).

use plan::{Error, Function, Kind, Operator as O, Result};

/// That the values are numbers, or truths, which count as 0 and 1.
pub(crate) fn check_number(function: &Function) -> Result<()> {
    if function.is_number() {
        return Ok(());
    }
    Err(Error::bad_request(format!(
        "`{function}` is no number; use it in `strdist`, `concat`, `eq` or `if`, or use a field of numbers"
    )))
}

/// The same for everything that a function is made of.
pub(super) fn check_arguments(function: &Function) -> Result<()> {
    let Function::Call { operator, arguments } = function else { return Ok(()) };
    for argument in arguments {
        match operator {
            O::Distance { .. } | O::SquaredDistance | O::Haversine { .. } | O::GeoDistance { .. } => {}
            // These take texts as well as numbers, only not several values at once.
            O::StringDistance(_) | O::Concatenate | O::Equal | O::GeohashDistance { .. } => {
                check_single(argument)?;
            }
            O::Exists | O::Not | O::And | O::Or | O::ExclusiveOr | O::If | O::Default => {
                check_single(argument)?;
            }
            _ => check_number(argument)?,
        }
        check_arguments(argument)?;
    }
    Ok(())
}

fn check_single(function: &Function) -> Result<()> {
    if function.kind() != Kind::Vector {
        return Ok(());
    }
    Err(Error::bad_request(format!("`{function}` has several values; use it in `dist`, `sqedist` or `hsin`")))
}
