//! Suggesters over a snapshot.
