//! What nodes are there for (`/api/cluster/node-roles`): Solr's node roles, as each node says them of itself
//! for as long as it lives. In: who lives; out: names of nodes by role and mode, in the form of Solr 9.10,
//! and the same as paths for clients that look in ZooKeeper. There is no overseer, and so no role of one.

use cluster::{LivingMember, NodeRoles};
use plan::{Error, Result};
use solr::params::admin::collections as params;
use solr::response::{Entries, Node};

use crate::request::call::Call;

const ROLES: [&str; 2] = ["coordinator", "data"];
/// Of each role.
const MODES: [&str; 2] = ["off", "on"];

/// Which mode a node has a role in.
fn mode(roles: NodeRoles, role: &str) -> &'static str {
    let is_on = match role {
        "coordinator" => roles.coordinator,
        _ => roles.data,
    };
    if is_on { "on" } else { "off" }
}

pub(super) fn supported() -> Entries {
    let one = |role: &'static str| {
        let modes = Node::Array(MODES.map(Node::str).to_vec());
        (role.into(), Node::Map(vec![("modes".into(), modes)]))
    };
    vec![("supported-roles".into(), Node::Map(ROLES.into_iter().map(one).collect()))]
}

/// Of one node, of one role, of one role's mode, or all. Errors: `NotFound` for a role or mode that there is
/// not, where Solr says 500.
pub(super) fn list(call: &Call<'_>) -> Result<Entries> {
    let living = call.server.node.living();
    if let Some(name) = call.text(&params::ROLES_OF) {
        // Of who does not live nothing is known: Solr answers nothing too.
        let found = living.iter().find(|it| it.member.name == name);
        let of = |it: &LivingMember| {
            let roles = it.roles;
            ROLES.into_iter().map(move |role| (role.into(), mode(roles, role).into())).collect()
        };
        return Ok(found.map(of).unwrap_or_default());
    }
    let (role, mode_asked) = (call.text(&params::ROLE), call.text(&params::ROLE_MODE));
    let asked: Vec<_> = ROLES.into_iter().filter(|name| role.is_none_or(|role| role == *name)).collect();
    let unknown = |what: &str, one_of: String| {
        Error::not_found(format!("there is no such {what} of nodes; use one of {one_of}"))
    };
    if asked.is_empty() {
        return Err(unknown("role", ROLES.join(", ")));
    }
    if mode_asked.is_some_and(|mode| !MODES.contains(&mode)) {
        return Err(unknown("mode", MODES.join(", ")));
    }
    let nodes_in = |role: &str, asked: &str| {
        let in_it = living.iter().filter(|it| mode(it.roles, role) == asked);
        let mut names: Vec<String> = in_it.map(|it| it.member.name.clone()).collect();
        names.sort_unstable();
        Node::Array(names.into_iter().map(Node::from).collect())
    };
    let one = |role: &'static str| {
        let shown = MODES.into_iter().filter(|mode| mode_asked.is_none_or(|asked| asked == *mode));
        (role.into(), Node::Map(shown.map(|mode| (mode.into(), nodes_in(role, mode))).collect()))
    };
    Ok(vec![("node-roles".into(), Node::Map(asked.into_iter().map(one).collect()))])
}

/// The folders that clients list, and this node's place in them.
pub(super) fn paths(own: &LivingMember) -> (Vec<String>, Vec<String>) {
    let folder = |role: &str, mode: &str| format!("/node_roles/{role}/{mode}");
    let folders = ROLES.into_iter().flat_map(|role| MODES.map(|mode| folder(role, mode)));
    let place = |role: &str| format!("{}/{}", folder(role, mode(own.roles, role)), own.member.name);
    (folders.collect(), ROLES.into_iter().map(place).collect())
}
