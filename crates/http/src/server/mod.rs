//! What requests share: the node, the limits, who may do what, what is kept and counted between requests.
//! What handlers need is here; accepting connections is `connection`'s. Made once, when a node begins to
//! serve, and shared by all connections; a handler gets it with its call and keeps nothing of its own between
//! requests.

pub(crate) mod answers;
pub(crate) mod tasks;

use std::sync::Arc;

use cluster::{Answering, Node};
use tokio::runtime::Handle;

use crate::admission::Admission;
use crate::config::ServeConfig;
use crate::members::{MemberCarrier, MemberKey};
use crate::observe::slow_log::SlowLog;
use crate::observe::tally::Tallies;
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
    /// What answers the other members of the cluster, and by which they are known.
    pub desk: Option<(Arc<Answering>, MemberKey)>,
}

impl Server {
    pub fn new(node: Arc<Node>, config: ServeConfig) -> Self {
        let guard = Guard::new(node.clone(), config.security.clone(), config.log_in_failures_max);
        let key = node.member_secret().map(MemberKey::new);
        if let (Some(forward), Some(key)) = (&config.forward, &key) {
            let (forward, key, clock) = (forward.clone(), key.clone(), node.clock().clone());
            let (runtime, weak) = (Handle::current(), Arc::downgrade(&node));
            node.set_carrier(Arc::new(MemberCarrier { forward, node: weak, key, clock, runtime }));
        }
        let desk = key.map(|key| (Arc::new(Answering::new(node.clock().clone())), key));
        Self {
            desk,
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
