//! The analysis chains that a field type declares, whatever each is for: one place that lists them, for all
//! who look for resources in them.

use plan::{AnalyzerSpec, TypeSource};

/// The chains that a type declares.
pub(super) fn chains(field_type: &TypeSource) -> impl Iterator<Item = &AnalyzerSpec> {
    let TypeSource { analyzer, index_analyzer, query_analyzer, multi_term_analyzer, .. } = field_type;
    [analyzer, index_analyzer, query_analyzer, multi_term_analyzer].into_iter().flatten()
}
