//! Searches over small snapshots: against answers recorded from Solr, and against a brute-force model.

mod brute_force;
mod build;
mod date_ranges;
mod functions;
mod kept_results;
mod limits;
mod listings;
mod nearest;
mod places;
mod pruning;
mod recorded;
mod recorded_facets;
mod second_looks;
mod shapes;
mod spelling;
mod split_hits;
mod splits;
mod trees;
mod word_splits;
