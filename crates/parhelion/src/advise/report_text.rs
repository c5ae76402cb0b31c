//! Tables and figures of the report, for eyes. In: verdicts and rows in the order in which they are to stand;
//! out: tables and short texts. What is said around them is `report`'s.

use comfy_table::{CellAlignment, Table};

use super::verdict::FieldVerdict;
use crate::output;
use crate::queries::tally::QueryRow;

/// Fields with what they take, what may go, and what asks for them.
pub fn field_table(fields: &[&FieldVerdict]) -> Table {
    let mut table = output::table();
    table.set_header(["field", "index", "docValues", "stored", "indexing", "may go", "saves", "searches"]);
    for it in fields {
        let of = |bytes: fn(&super::server_facts::BytesOfField) -> u64| {
            it.bytes.as_ref().map(|all| bytes_text(bytes(all))).unwrap_or_default()
        };
        let uses: Vec<String> =
            it.uses.iter().map(|(role, count)| format!("{} {count}", role.name())).collect();
        table.add_row([
            it.field.clone(),
            of(|it| it.index()),
            of(|it| it.doc_values),
            of(|it| it.stored),
            it.indexing_percent.map(|percent| format!("{percent:.1} %")).unwrap_or_default(),
            it.may_go.join(" "),
            if it.may_go.is_empty() { String::new() } else { bytes_text(it.saves) },
            uses.join(", "),
        ]);
    }
    for column in [1, 2, 3, 4, 6] {
        table.column_mut(column).into_iter().for_each(|it| {
            it.set_cell_alignment(CellAlignment::Right);
        });
    }
    table
}

pub fn query_table(rows: &[QueryRow]) -> Table {
    let mut table = output::table();
    table.set_header(["count", "no hits", "mean ms", "query"]);
    for row in rows {
        let figures = [row.count.to_string(), row.zero_hits.to_string(), format!("{:.1}", row.mean_ms)];
        table.add_row(figures.into_iter().chain([row.shown_query()]));
    }
    table.column_iter_mut().take(3).for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    table
}

/// Bytes as people read them, to three digits.
pub fn bytes_text(bytes: u64) -> String {
    // Thousands, as disks are sold and `df -H` counts.
    let mut rest = bytes as f64;
    for unit in ["B", "KB", "MB", "GB"] {
        if rest < 999.5 {
            let digits = if rest < 9.995 && unit != "B" { 1 } else { 0 };
            return format!("{rest:.digits$} {unit}");
        }
        rest /= 1000.0;
    }
    format!("{rest:.1} TB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_short() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_500, "1.5 KB"),
            (12_345, "12 KB"),
            (999_600, "1.0 MB"),
            (7_000_000_000_000, "7.0 TB"),
        ] {
            assert_eq!(bytes_text(bytes), expected);
        }
    }
}
