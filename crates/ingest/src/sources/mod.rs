//! Where rows come from: one shape for all kinds. A *snapshot* is cut into key ranges, each read page by page
//! behind a cursor, so that reading goes on where it was broken off; *fetch* reads the present state of some
//! rows, which is all that following changes needs. Owns which kind a file means; the shape is `contract`,
//! each kind is one file or folder.

mod contract;
mod csv;
mod csv_quotes;
mod files;
mod folder;
mod json_object;
mod jsonl;
mod postgres;
mod solr;

use crate::config::SourceConfig;

pub use contract::{KeyRange, Page, Pages, Snapshot, Source, SourceError, SourceErrorKind};
pub use postgres::{PostgresSource, connect_options, database_error, sql};

/// The source that the file describes. Nothing is opened yet.
pub fn open(config: &SourceConfig) -> Result<Box<dyn Source>, SourceError> {
    if let Some(postgres) = &config.postgres {
        return Ok(Box::new(PostgresSource::new(config, postgres)?));
    }
    if let Some(csv) = &config.csv {
        return Ok(Box::new(csv::CsvSource::new(config, csv)));
    }
    if let Some(jsonl) = &config.jsonl {
        return Ok(Box::new(jsonl::JsonLinesSource::new(config, jsonl)));
    }
    if let Some(folder) = &config.folder {
        return Ok(Box::new(folder::FolderSource::new(config, folder)));
    }
    if let Some(solr) = &config.solr {
        return Ok(Box::new(solr::SolrSource::new(config, solr)?));
    }
    Err(SourceError::refused(&config.name, "it has no kind"))
}

#[cfg(test)]
mod tests;
