//! `/terms`: what the dictionaries of fields hold, as an answer of its own. `select/listed_terms.rs` lists
//! them.

use std::sync::Arc;

use cluster::Collection;
use plan::Result;
use solr::Params;
use solr::params::shards;
use solr::params::unsupported::refuse_unsupported;
use solr::terms::TermsRequest;

use super::missing::Missing;
use super::permit::Permit;
use super::select::{asked, list_terms, selected};
use crate::request::call::{Answer, Call, Failure};

pub(super) async fn run(
    call: &Call<'_>,
    collection: &Arc<Collection>,
    (params, permit): (&Params, &Permit),
) -> Result<Answer, Failure> {
    refuse_unsupported(params)?;
    let together = asked(call, collection, params)?;
    let shards = selected(together.collections(), &shards::choice(params)?, call.core)?;
    let missing = Missing::of(together.collections(), &shards);
    let together = together.of_shards(shards);
    let read = |it: &Arc<Collection>| TermsRequest::parse(params, &it.schema());
    let requests = together.collections().iter().map(read).collect::<Result<Vec<_>, _>>();
    let requests = requests.map_err(|(error, before)| Failure { before, ..Failure::from(error) })?;
    Ok(missing.mark(permit, list_terms(&together, &requests).await?.into()))
}
