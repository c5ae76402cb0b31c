//! What a collection's `HighlightComponent` declares for the older methods of marking: parts by which a
//! request may have a text cut, marked and written, by name, each with parameters of its own. What a request
//! then makes of them is `highlight.rs`. Classes and what holds without a declaration are Solr's.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HighlightParts {
    pub parts: Vec<HighlightPart>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HighlightPart {
    pub name: String,
    /// Whether it is used where a request names none of its kind.
    pub usual: bool,
    pub work: PartWork,
    /// Parameters that hold where a request does not send them.
    pub presets: Vec<(String, String)>,
}

/// For what a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartKind {
    /// Cuts a text, by the `original` method.
    Fragmenter,
    /// Marks, by the `original` method.
    Formatter,
    /// Writes what stands between the marks.
    Encoder,
    /// Makes matches fragments, by the `fastVector` method.
    FragmentList,
    /// Makes fragments snippets, by the `fastVector` method.
    Fragments,
    /// Finds the ends of fragments, by the `fastVector` method.
    BoundaryScanner,
}

/// What a part does: each is of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PartWork {
    CutByLength,
    CutByPattern,
    Tag,
    WriteAsIs,
    WriteHtml,
    ListSimple,
    ListSingle,
    ListWeighted,
    BestFirst,
    ScanCharacters,
    ScanBreaks,
}

impl PartWork {
    pub fn kind(self) -> PartKind {
        match self {
            PartWork::CutByLength | PartWork::CutByPattern => PartKind::Fragmenter,
            PartWork::Tag => PartKind::Formatter,
            PartWork::WriteAsIs | PartWork::WriteHtml => PartKind::Encoder,
            PartWork::ListSimple | PartWork::ListSingle | PartWork::ListWeighted => PartKind::FragmentList,
            PartWork::BestFirst => PartKind::Fragments,
            PartWork::ScanCharacters | PartWork::ScanBreaks => PartKind::BoundaryScanner,
        }
    }
}

impl PartKind {
    /// What is done where nothing is declared.
    fn usual(self) -> PartWork {
        match self {
            PartKind::Fragmenter => PartWork::CutByLength,
            PartKind::Formatter => PartWork::Tag,
            PartKind::Encoder => PartWork::WriteAsIs,
            PartKind::FragmentList => PartWork::ListSimple,
            PartKind::Fragments => PartWork::BestFirst,
            PartKind::BoundaryScanner => PartWork::ScanCharacters,
        }
    }
}

impl HighlightParts {
    /// What the part of this name does, with its presets; that of no name is the usual one.
    pub fn find(&self, kind: PartKind, name: &str) -> Option<(PartWork, &[(String, String)])> {
        let wanted = |part: &&HighlightPart| match name {
            "" => part.usual,
            name => part.name == name,
        };
        let found = self.parts.iter().filter(|part| part.work.kind() == kind).find(wanted);
        match found {
            Some(part) => Some((part.work, part.presets.as_slice())),
            None if name.is_empty() => Some((kind.usual(), &[])),
            None => None,
        }
    }
}
