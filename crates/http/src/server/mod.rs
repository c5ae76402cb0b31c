//! What requests share: the node, the limits, who may do what, what is kept and counted between requests.
//! What handlers need is here; accepting connections is `connection`'s. Made once, when a node begins to
//! serve, and shared by all connections; a handler gets it with its call and keeps nothing of its own between
//! requests.

pub(crate) mod answers;
pub(crate) mod tasks;

use std::sync::Arc;

use cluster::Node;

use crate::admission::Admission;
use crate::config::ServeConfig;
use crate::observe::slow_log::SlowLog;
use crate::observe::tally::Tallies;
use crate::request::between_members::{MemberCarrier, MemberDesk, MemberKey};
use crate::security::Guard;
use answers::Answers;
use tasks::Tasks;

/// What every request sees.
pub(crate) struct Server {
    pub node: Arc<Node>,
    pub config: ServeConfig,
    pub answers: Answers,
    pub admission: Admission,
    /// Who may do what.
    pub guard: Guard,
    /// What requests to the collections' and to the cores' administration left to be done beside.
    pub collection_tasks: Tasks,
    pub core_tasks: Tasks,
    pub slow: SlowLog,
    /// What is counted of the node's own handlers.
    pub tallies: Tallies,
    /// What answers the other members of the cluster.
    pub desk: Option<MemberDesk>,
}

impl Server {
    pub fn new(node: Arc<Node>, config: ServeConfig) -> Self {
        let guard = Guard::new(node.clone(), config.security.clone(), config.log_in_failures_max);
        if let (Some(forward), Some(secret)) = (&config.forward, node.member_secret()) {
            node.set_carrier(Arc::new(MemberCarrier {
                forward: forward.clone(),
                node: Arc::downgrade(&node),
                key: MemberKey::new(secret),
                clock: node.clock().clone(),
            }));
        }
        Self {
            desk: MemberDesk::of(&node),
            node,
            guard,
            answers: Answers::new(config.answer_bytes_max),
            admission: Admission::new(&config),
            collection_tasks: Tasks::default(),
            core_tasks: Tasks::default(),
            slow: SlowLog::default(),
            tallies: Tallies::default(),
            config,
        }
    }
}
