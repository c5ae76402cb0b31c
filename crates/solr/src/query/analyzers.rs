//! The analyzers that the query parsers ask: those of the schema's types, built and kept by the crate `analysis`.

pub use analysis::SchemaAnalyzers;
