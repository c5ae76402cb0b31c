//! Solr's function syntax, `sum(pages_i,recip(ms(NOW,published_dt),1,2,3))`, to `plan::Function`. `cursor.rs`
//! cuts the text, `parse.rs` reads values and arguments, `names.rs` has a line for each function, `field.rs`,
//! `term.rs`, `date.rs` and `geo.rs` those that read their arguments their own way, `field_value.rs` says
//! what a field is worth, `of_query.rs` what a query is. `whole.rs` is where all begins. Needs a schema,
//! reads no index.

mod check;
mod cursor;
mod date;
mod failure;
mod field;
mod field_value;
mod geo;
mod names;
mod of_query;
mod parse;
mod range;
mod term;
#[cfg(test)]
mod tests;
mod vector;
mod whole;

pub(crate) use check::check_number;
pub(crate) use failure::Failure;
pub(crate) use field_value::{check_class, check_column};
pub(crate) use of_query::{as_factor, parse_function};
pub(crate) use range::function_range;
pub(crate) use whole::{Leading, leading_function, whole_function};
