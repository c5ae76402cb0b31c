//! Prints the description of the API, for `cargo xtask docs`.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    print!("{}", http::openapi_document());
}
