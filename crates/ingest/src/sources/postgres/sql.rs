//! SQL text around the file's queries. Values reach it only through `literal`, names only through `name`.
//! Asks nothing: the conversations are `query.rs`' and `snapshot.rs`'. There are no bind parameters because
//! the file's own query is pasted in as it is: its types, and so those of a parameter beside it, are known to
//! the database alone, which infers them for a literal.

/// Which rows of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds<'a> {
    /// Keys above this,
    pub after: Option<&'a str>,
    /// up to and including this,
    pub upto: Option<&'a str>,
    /// of these only.
    pub keys: Option<&'a [String]>,
    /// In the order of the keys, this many.
    pub rows_max: Option<usize>,
}

/// The rows of `query` within `bounds`, by its column `key`.
pub fn rows(query: &str, key: &str, bounds: &Bounds<'_>) -> String {
    let key = name(key);
    let mut text = format!("SELECT * FROM {} WHERE TRUE", subquery(query));
    if let Some(after) = bounds.after {
        text.push_str(&format!(" AND q.{key} > {}", literal(after)));
    }
    if let Some(upto) = bounds.upto {
        text.push_str(&format!(" AND q.{key} <= {}", literal(upto)));
    }
    if let Some(keys) = bounds.keys {
        text.push_str(&format!(" AND q.{key} = ANY({})", literal(&array(keys))));
    }
    if let Some(rows_max) = bounds.rows_max {
        text.push_str(&format!(" ORDER BY q.{key} LIMIT {rows_max}"));
    }
    text
}

/// The query in parentheses, named `q`. A line end before the closing one, should the query end in a comment.
pub fn subquery(query: &str) -> String {
    format!("({}\n) AS q", query.trim().trim_end_matches(';'))
}

/// A text as a literal of a type that the database infers.
pub fn literal(text: &str) -> String {
    // No text of PostgreSQL has a NUL: what has one equals nothing.
    format!("'{}'", text.replace('\0', "\u{fffd}").replace('\'', "''"))
}

/// An identifier as it is spelled.
pub fn name(name: &str) -> String {
    format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""))
}

/// `table` or `schema.table`, each part quoted.
pub fn qualified(table: &str) -> String {
    table.split('.').map(name).collect::<Vec<_>>().join(".")
}

/// The text of an array.
pub fn array(values: &[String]) -> String {
    let quoted =
        values.iter().map(|value| format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")));
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_names_stay_what_they_are() {
        assert_eq!(literal("O'Hara\\"), "'O''Hara\\'");
        assert_eq!(name("a\"b"), "\"a\"\"b\"");
        assert_eq!(qualified("public.film"), "\"public\".\"film\"");
        assert_eq!(array(&["a,b".to_owned(), "c\"d\\".to_owned()]), r#"{"a,b","c\"d\\"}"#);
        let bounds = Bounds { after: Some("1"), upto: Some("9"), rows_max: Some(3), keys: None };
        assert_eq!(
            rows("SELECT 1 -- all;\n;", "no", &bounds),
            "SELECT * FROM (SELECT 1 -- all;\n\n) AS q WHERE TRUE AND q.\"no\" > '1' AND q.\"no\" <= '9' \
             ORDER BY q.\"no\" LIMIT 3"
        );
    }
}
