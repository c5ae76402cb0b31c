//! What is configured for a column that a row does not have: alike for fields, templates and the keys of
//! sources. The name that was probably meant is `config`'s to find.

use crate::config::nearest;

/// The column is not there (any more): it may never have been, or the source has changed.
pub fn unknown_column(column: &str, columns: &[String]) -> String {
    let meant = nearest(column, columns.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    format!("the source has no column `{column}`{meant}")
}
