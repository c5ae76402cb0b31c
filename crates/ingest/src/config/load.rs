//! Reads an ingest file. Every refusal says where in the file, what, and what to write instead.
//!
//! In: a path or a text in TOML; out: a configuration that `validate` has nothing against, with its name, its
//! state folder and its paths filled in. Whether sources and target are there is asked later (`preview`).

use std::fs;
use std::path::Path;

use super::IngestConfig;
use super::suggest::with_suggestion;
use super::validate::validate;

/// Why a file is no good. The words are whole: they name the file's line or key, and the next step.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read `{path}`: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("{place}: {message}")]
    Syntax { place: String, message: String },
    /// One line each.
    #[error("{}", .0.join("\n"))]
    Invalid(Vec<String>),
}

/// The file at `path`; its name and state folder follow from the path where the file does not say them, and
/// relative paths in it are taken from its own folder.
pub fn load(path: &Path) -> Result<IngestConfig, ConfigError> {
    let unreadable = |error: std::io::Error| ConfigError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut config = parse(&text, &stem)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let state = format!("{}.state", config.name);
    config.state.dir = Some(folder.join(config.state.dir.take().unwrap_or_else(|| state.into())));
    for source in &mut config.sources {
        let paths = [
            source.csv.as_mut().map(|csv| &mut csv.path),
            source.jsonl.as_mut().map(|jsonl| &mut jsonl.path),
            source.folder.as_mut().map(|folder| &mut folder.path),
        ];
        for path in paths.into_iter().flatten() {
            *path = folder.join(&path);
        }
    }
    Ok(config)
}

/// The text of a file; `stem` is its name where it does not say one.
pub fn parse(text: &str, stem: &str) -> Result<IngestConfig, ConfigError> {
    let mut config: IngestConfig = toml::from_str(text).map_err(|error| syntax(text, &error))?;
    if config.name.is_empty() {
        config.name = stem.to_lowercase().replace(['-', '.', ' '], "_");
    }
    let findings = validate(&config);
    if findings.is_empty() { Ok(config) } else { Err(ConfigError::Invalid(findings)) }
}

fn syntax(text: &str, error: &toml::de::Error) -> ConfigError {
    let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let place = line.map_or_else(|| "the file".to_owned(), |line| format!("line {line}"));
    ConfigError::Syntax { place, message: with_suggestion(error.message()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINIMAL: &str = "[target]\nurl = \"h:1\"\ncollection = \"films\"\n\
        [[source]]\nname = \"film\"\nkey = \"id\"\n[source.csv]\npath = \"films.csv\"\n";

    fn check(text: &str, expected: &str) {
        let message = parse(text, "films").err().map(|error| error.to_string()).unwrap_or_default();
        if expected.is_empty() {
            assert_eq!(message, "", "{text}");
        } else {
            assert!(message.contains(expected), "`{message}` lacks `{expected}`");
        }
    }

    #[test]
    fn files_are_read_and_refused_with_the_next_step() {
        check(MINIMAL, "");
        check(
            &MINIMAL.replace("collection", "colection"),
            "line 3: unknown key `colection`; did you mean `collection`?",
        );
        check(&MINIMAL.replace("[source.csv]", "[source.cvs]"), "did you mean `csv`?");
        check(&MINIMAL.replace("key = \"id\"", "key = 7"), "line 6");
        check(&MINIMAL.replace("key = \"id\"\n", ""), "`source.film`: name its `key`");
        check(&MINIMAL.replace("[source.csv]\npath = \"films.csv\"\n", ""), "name one of");
        check(&format!("{MINIMAL}[source.jsonl]\npath = \"x\"\n"), "name one of");
        check(&format!("{MINIMAL}[[source.field]]\nname = \"a\"\n"), "field `a`");
        check(
            &format!(
                "{MINIMAL}[[source.field]]\nname = \"a\"\ncolumn = \"b\"\ntransform = [{{ trimm = 1 }}]\n"
            ),
            "did you mean `trim`?",
        );
        check(
            &format!(
                "{MINIMAL}[[source.field]]\nname = \"a\"\ncolumn = \"b\"\ntransform = [{{ extract = \"(\" }}]\n"
            ),
            "is not a regular expression",
        );
        check(
            &format!("{MINIMAL}[[source.field]]\nname = \"a\"\ncolumn = \"b\"\nzone = \"Europe/Londn\"\n"),
            "time zone `Europe/Londn`",
        );
        check(&format!("name = \"../x\"\n{MINIMAL}"), "`name`");
        check(
            &format!(
                "{MINIMAL}[[publish.rule]]\nname = \"r\"\nfrom = {{ column = \"d\", calendar = \"uk\" }}\n"
            ),
            "calendar `uk`",
        );
        check("[target", "line 1");
        let field = |name: &str| format!("[[source.field]]\nname = \"{name}\"\ncolumn = \"b\"\n");
        check(&format!("{MINIMAL}{}{}", field("a"), field("a")), "two fields are named `a`");
        check(&format!("{MINIMAL}{}", field("")), "a field has no `name`");
    }

    #[test]
    fn queries_that_cut_their_rows_off_are_refused() {
        let postgres = "[source.postgres]\nurl = \"postgresql://h/d\"\nquery = \"QUERY\"\n";
        let text = MINIMAL.replace("[source.csv]\npath = \"films.csv\"\n", postgres);
        for (query, word) in [
            ("SELECT id FROM film LIMIT 10", "`query` has `LIMIT`"),
            ("SELECT id FROM film\\noffset 3;", "`query` has `offset`"),
            ("SELECT id, 'no limit ' AS x, limit_of FROM film", ""),
            ("SELECT * FROM (SELECT id FROM film ORDER BY id LIMIT 10) AS first", ""),
        ] {
            check(&text.replace("QUERY", query), word);
        }
    }

    #[test]
    fn paths_are_taken_from_the_files_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my-films.toml");
        std::fs::write(&path, MINIMAL).unwrap();
        let config = load(&path).unwrap();
        assert_eq!(config.name, "my_films");
        assert_eq!(config.state.dir.unwrap(), folder.path().join("my_films.state"));
        assert_eq!(config.sources[0].csv.as_ref().unwrap().path, folder.path().join("films.csv"));
        assert!(load(&folder.path().join("none.toml")).unwrap_err().to_string().starts_with("cannot read"));
    }
}
