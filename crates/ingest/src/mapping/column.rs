//! What is configured for a column that a row does not have: alike for fields, templates and the keys of
//! sources. The name that was probably meant is `config`'s to find.

use crate::config::nearest;

/// The column is not there (any more): it may never have been, or the source has changed.
pub fn unknown_column(column: &str, columns: &[String]) -> String {
    let meant = nearest(column, columns.iter().map(String::as_str));
    let hint = meant.map_or_else(|| all_of(columns), |name| format!("; did you mean `{name}`?"));
    format!("the source has no column `{column}`{hint}")
}

/// Where nothing is near, what there is: a header that was cut at another separator is seen at once.
fn all_of(columns: &[String]) -> String {
    const SHOWN_MAX: usize = 12;
    let shown: Vec<String> = columns.iter().take(SHOWN_MAX).map(|name| format!("`{name}`")).collect();
    let more = if columns.len() > SHOWN_MAX { ", …" } else { "" };
    if shown.is_empty() { String::new() } else { format!("; it has {}{more}", shown.join(", ")) }
}
