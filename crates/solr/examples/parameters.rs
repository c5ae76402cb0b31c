//! Prints the reference page of search parameters, for `cargo xtask docs`.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    print!("{}", solr::params::reference_page());
}
