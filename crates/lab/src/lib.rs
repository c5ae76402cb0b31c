//! The benchmark lab: workloads with known answers, load over plain HTTP, percentiles and ratios. An outside client: it
//! knows a URL and Solr's API, nothing else, so that it cannot bend what it measures.

mod closed_loop;
mod connection;
mod error;
mod fruit;
mod fruit_data;
mod report;

pub use error::Error;
pub use fruit::{FruitOptions, Side, index, measure, verify};
pub use fruit_data::{Fruit, FruitQuery, QUERIES};
pub use report::{FruitReport, IndexFigures, LoadFigures, QueryRow};
