//! The configset that new collections get: the files of `configsets/_default`, inside the program. Put there
//! by `crates/solr/build.rs`; those of the user are files elsewhere, which `cluster` and the binary read. It
//! is inside so that a server with an empty data directory can make a collection. `load.rs` reads it as it
//! reads any other.

/// A configset that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Configset {
    files: &'static [(&'static str, &'static str)],
}

/// The built-in configset of this name. There is one: `_default`.
pub fn builtin(name: &str) -> Option<Configset> {
    (name == "_default").then_some(Configset { files: DEFAULT })
}

const DEFAULT: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/builtin_default.rs"));

impl Configset {
    /// A file by its name below the configset, such as `lang/stopwords_en.txt`.
    pub fn file(&self, name: &str) -> Option<&'static str> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
    }

    /// All files, in the order of their names: (name, text).
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.files.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    #[test]
    fn the_default_schema_is_whole() {
        let default = builtin("_default").unwrap();
        let xml = default.file("managed-schema.xml").unwrap();
        let source = schema::parse(xml, &|name| default.file(name).map(str::to_owned)).unwrap();
        assert_eq!(source.unique_key.as_deref(), Some("id"));
        assert!(source.types.len() > 60);
        plan::Schema::build(source.clone()).unwrap();
        let faults = schema::faults(&source);
        assert!(faults.is_empty(), "{faults:?}");
        assert!(builtin("other").is_none());
    }

    #[test]
    fn files_are_found_by_name() {
        let default = builtin("_default").unwrap();
        assert!(default.file("lang/stopwords_en.txt").is_some_and(|text| text.contains("the")));
        assert!(default.file("../Cargo.toml").is_none());
        assert!(default.files().any(|(name, _)| name == "solrconfig.xml"));
    }
}
