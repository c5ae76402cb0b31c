//! Who serves a request: what a path was resolved to, before anything is done about it. From here follows
//! which gate it passes, and of which core and collections it speaks. In: the route and the node; out:
//! the handler, with the collections that it works on until the answer is written.

use std::sync::Arc;

use cluster::{Collection, Member};
use plan::{Error, Result};

use crate::admission::Load;
use crate::request::node_handler::NodeHandler;
use crate::request::route::Handler;
use crate::request::v2::V2;

/// Who serves a request.
pub(crate) enum Serving {
    Node(NodeHandler),
    /// A handler of a collection, by its path there; where the request names a core, of which shard it is.
    /// `beside` are the others that an alias or a list of names stands for, which are searched with it;
    /// `named` is what the request calls it.
    Collection {
        named: String,
        collection: Arc<Collection>,
        beside: Vec<Arc<Collection>>,
        core: Option<usize>,
        handler: Handler,
        path: String,
    },
    /// Below `/api/configsets`, with the parts of the path there.
    Configsets(Vec<String>),
    V2(V2),
    /// Nobody: the name stands for this many collections, and the handler can ask one alone.
    Several(String, usize),
    /// Other members, which have parts of the collection of this name, its lead first; nobody at the moment
    /// without one.
    Elsewhere(String, Vec<Member>),
    /// Nobody: of the collections of this name, which several members serve, one cannot be read.
    Unread(String, Error),
    /// `/solr/admin/noop`: an empty 200, the floor that measurements compare with.
    Nothing,
    /// What is served, described.
    Description,
}

impl Serving {
    /// The number of the shard whose core the request names.
    pub fn core(&self) -> Option<usize> {
        match self {
            Serving::Collection { core, .. } => *core,
            _ => None,
        }
    }

    /// The collections that are searched with the one that serves.
    pub fn beside(&self) -> &[Arc<Collection>] {
        match self {
            Serving::Collection { beside, .. } => beside,
            _ => &[],
        }
    }

    /// Whether the query log knows its requests.
    pub fn is_logged(&self) -> bool {
        matches!(self, Serving::Collection { handler, .. } if handler.is_logged())
    }

    /// What it asks of the machine: updates, what goes through an index, and the rest.
    pub fn load(&self) -> Load {
        match self {
            Serving::Nothing
            | Serving::Description
            | Serving::Several(..)
            | Serving::Elsewhere(..)
            | Serving::Unread(..)
            | Serving::Node(_)
            | Serving::Configsets(_)
            | Serving::V2(_) => Load::Light,
            Serving::Collection { handler, .. } => match handler {
                Handler::Update => Load::Update,
                Handler::Select | Handler::Get | Handler::Terms | Handler::MoreLike | Handler::WhyNot => {
                    Load::Query
                }
                _ => Load::Light,
            },
        }
    }

    /// Refuses files of one body behind the first where nobody reads them. Solr differs: it passes them
    /// over, or for `/config` does them in turn (`compat/update/multipart.yaml`). Errors: `BadRequest`.
    pub fn check_files(&self, more: usize) -> Result<()> {
        let takes_all = matches!(
            self,
            Serving::Collection {
                handler: Handler::Update | Handler::Select | Handler::Get | Handler::Terms,
                ..
            }
        );
        match self {
            _ if more == 0 || takes_all => Ok(()),
            Serving::Collection { handler: Handler::MoreLike, .. } => {
                Err(Error::bad_request("MoreLikeThis does not support multiple ContentStreams"))
            }
            _ => Err(Error::bad_request("this path takes one file; send each in a request of its own")),
        }
    }
}
