//! Functions from their text, and what is no function.
