//! `/terms`: what the dictionaries of fields hold, as an answer of its own. `select/listed_terms.rs` lists
//! them.

use std::sync::Arc;

use cluster::Collection;
use plan::Result;
use solr::Params;
use solr::params::unsupported::refuse_unsupported;
use solr::terms::TermsRequest;

use super::select::{check_all_shards, list_terms};
use crate::request::call::{Answer, Failure};

pub(super) async fn run(collection: &Arc<Collection>, params: &Params) -> Result<Answer, Failure> {
    refuse_unsupported(params)?;
    check_all_shards(collection, params, true)?;
    let request = TermsRequest::parse(params, &collection.schema())
        .map_err(|(error, before)| Failure { before, ..Failure::from(error) })?;
    Ok(list_terms(collection, &request).await?.into())
}
