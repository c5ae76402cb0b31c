//! What a text file is written in, by its name alone.
//!
//! In: a file's name; out: the name of a language or a format, `Text` where the name says nothing. A table,
//! searched by whole name and by extension; no file is opened for it.

/// (extension or whole lower-case name, language), sorted by the first for a binary search.
const LANGUAGES: &[(&str, &str)] = &[
    ("adoc", "AsciiDoc"),
    ("asm", "Assembly"),
    ("bash", "Shell"),
    ("bat", "Batch"),
    ("bzl", "Starlark"),
    ("c", "C"),
    ("cargo.lock", "TOML"),
    ("cc", "C++"),
    ("cfg", "INI"),
    ("clj", "Clojure"),
    ("cmake", "CMake"),
    ("conf", "INI"),
    ("cpp", "C++"),
    ("cs", "C#"),
    ("css", "CSS"),
    ("csv", "CSV"),
    ("cu", "CUDA"),
    ("cxx", "C++"),
    ("dart", "Dart"),
    ("dockerfile", "Dockerfile"),
    ("el", "Emacs Lisp"),
    ("erl", "Erlang"),
    ("ex", "Elixir"),
    ("exs", "Elixir"),
    ("fs", "F#"),
    ("go", "Go"),
    ("gradle", "Gradle"),
    ("groovy", "Groovy"),
    ("h", "C"),
    ("hpp", "C++"),
    ("hs", "Haskell"),
    ("htm", "HTML"),
    ("html", "HTML"),
    ("in", "Text"),
    ("ini", "INI"),
    ("java", "Java"),
    ("js", "JavaScript"),
    ("json", "JSON"),
    ("jsonl", "JSON"),
    ("jsx", "JavaScript"),
    ("kt", "Kotlin"),
    ("lalrpop", "LALRPOP"),
    ("license", "Text"),
    ("ll", "LLVM IR"),
    ("lua", "Lua"),
    ("m", "Objective-C"),
    ("makefile", "Makefile"),
    ("md", "Markdown"),
    ("mjs", "JavaScript"),
    ("mk", "Makefile"),
    ("ml", "OCaml"),
    ("nim", "Nim"),
    ("nix", "Nix"),
    ("pest", "Pest"),
    ("php", "PHP"),
    ("pl", "Perl"),
    ("proto", "Protocol Buffers"),
    ("ps1", "PowerShell"),
    ("py", "Python"),
    ("r", "R"),
    ("rb", "Ruby"),
    ("readme", "Text"),
    ("ron", "RON"),
    ("rs", "Rust"),
    ("rst", "reStructuredText"),
    ("s", "Assembly"),
    ("scala", "Scala"),
    ("scss", "SCSS"),
    ("sh", "Shell"),
    ("sql", "SQL"),
    ("svg", "SVG"),
    ("swift", "Swift"),
    ("tex", "TeX"),
    ("toml", "TOML"),
    ("ts", "TypeScript"),
    ("tsx", "TypeScript"),
    ("txt", "Text"),
    ("vue", "Vue"),
    ("wat", "WebAssembly"),
    ("x", "Text"),
    ("xml", "XML"),
    ("yaml", "YAML"),
    ("yml", "YAML"),
    ("zig", "Zig"),
];

/// The language of a file with this name (no folders); `Text` when the name says nothing.
pub fn language_of(name: &str) -> &'static str {
    let lower = name.to_ascii_lowercase();
    let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
    find(&lower).or_else(|| find(extension)).unwrap_or("Text")
}

fn find(key: &str) -> Option<&'static str> {
    let index = LANGUAGES.binary_search_by(|(known, _)| (*known).cmp(key)).ok()?;
    LANGUAGES.get(index).map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        assert!(LANGUAGES.is_sorted_by(|a, b| a.0 < b.0), "the table is searched by halves");
        for (name, language) in [
            ("lib.rs", "Rust"),
            ("Makefile", "Makefile"),
            ("README.MD", "Markdown"),
            ("LICENSE-MIT", "Text"),
            ("a.b.py", "Python"),
        ] {
            assert_eq!(language_of(name), language, "{name}");
        }
    }
}
