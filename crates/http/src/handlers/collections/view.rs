//! What of the node clients of SolrCloud read in ZooKeeper: the same facts as `CLUSTERSTATUS`, as paths and
//! bytes. The layout is SolrCloud's (`ZkStateReader` of Solr 9 reads it). Who writes the nodes there is the
//! binary's business.

use cluster::Node;
use solr::admin::{leader_document, live_node_document, state_document};
use solr::response::{Entries, JsonStyle, write_json};

use super::status::{described, is_of_state, scheme};
use super::{aliases, roles};
use crate::configsets::Configsets;

/// A node of the tree; those above it come with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewNode {
    /// Begins with `/`.
    pub path: String,
    pub bytes: Vec<u8>,
    /// Whether it goes when this member of the cluster does.
    pub while_alive: bool,
}

/// All of them, in no order that matters. Waits for nobody.
pub fn cluster_view(node: &Node, configsets: &Configsets) -> Vec<ViewNode> {
    let state = node.state();
    let (name, scheme) = (node.name(), scheme(&state));
    let mut view = View::default();
    for folder in ["/collections", "/configs", "/live_nodes", "/node_roles"] {
        view.put(folder, Vec::new());
    }
    view.put("/clusterprops.json", json(&named(state.properties.clone())));
    view.put("/aliases.json", json(&aliases::document(&state)));
    let own = node.member();
    for collection in node.descriptions() {
        let facts = described(&collection);
        let path = format!("/collections/{}", facts.name);
        view.put(&path, json(&vec![("configName".into(), facts.configset.clone().into())]));
        view.put(&format!("{path}/state.json"), json(&state_document(scheme, &facts)));
        let beside = collection.properties().iter().filter(|(name, _)| !is_of_state(name));
        let beside = named(beside.map(|(name, value)| (name.clone(), value.clone())));
        if !beside.is_empty() {
            view.put(&format!("{path}/collectionprops.json"), json(&beside));
        }
        for shard in &facts.shards {
            let leaders = format!("{path}/leaders/{}", shard.name);
            view.put(&leaders, Vec::new());
            // Another's goes with that one's session.
            let is_own = collection.shard_owner(&shard.name).is_some_and(|owner| owner.id == own.id);
            if let Some(leader) = shard.replicas.first().filter(|_| is_own) {
                view.put_while_alive(&format!("{leaders}/leader"), json(&leader_document(scheme, leader)));
            }
        }
    }
    for configset in configsets.names() {
        let files = configsets.find(configset).map(|found| found.files.clone());
        view.put_configset(configset, &files.unwrap_or_default());
    }
    for configset in node.configset_names() {
        view.put_configset(&configset, &node.configset(&configset).unwrap_or_default());
    }
    // Not before it is known what this node says of itself: it would stand in another place until then.
    if let Some(own) = node.living_self() {
        let (folders, places) = roles::paths(&own);
        folders.iter().for_each(|folder| view.put(folder, Vec::new()));
        places.iter().for_each(|place| view.put_while_alive(place, Vec::new()));
    }
    view.put_while_alive(&format!("/live_nodes/{name}"), json(&live_node_document(name)));
    view.0
}

#[derive(Default)]
struct View(Vec<ViewNode>);

impl View {
    fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.push(ViewNode { path: path.to_owned(), bytes, while_alive: false });
    }

    fn put_while_alive(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.push(ViewNode { path: path.to_owned(), bytes, while_alive: true });
    }

    fn put_configset(&mut self, name: &str, files: &plan::Resources) {
        let path = format!("/configs/{name}");
        self.put(&path, Vec::new());
        files.iter().for_each(|(file, text)| self.put(&format!("{path}/{file}"), text.as_bytes().to_vec()));
    }
}

fn named(texts: impl IntoIterator<Item = (String, String)>) -> Entries {
    texts.into_iter().map(|(name, text)| (name.into(), text.into())).collect()
}

fn json(entries: &Entries) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_json(entries, &JsonStyle::default(), &mut bytes);
    bytes
}
