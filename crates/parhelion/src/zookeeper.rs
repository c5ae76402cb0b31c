//! `serve --zk`: this node's collections as clients of SolrCloud find them, in ZooKeeper. Flags, and the
//! wires between the node, which knows what there is, `http`, which says it in SolrCloud's words, and
//! `membership`, which keeps it there.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use cluster::{LivingMember, Node, NodeRoles};
use http::{Configsets, PublicView};
use membership::{Member, Publisher, Shown, Source, TreeError, View, ZooKeeperPlace};
use plan::{Error, ErrorKind};
use tokio::runtime::Handle;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::members::Caretaker;
use crate::output;

/// For what was changed to be seen in ZooKeeper.
const PATIENCE: Duration = Duration::from_secs(15);

/// For who lives to be read, before anything is taken from one that seems to be gone.
const CENSUS: Duration = Duration::from_secs(5);

/// For clients to hear that it is there: they keep aliases and properties until their watch tells them. Solr
/// waits as long behind a change of aliases.
const HEARD_AFTER: Duration = Duration::from_millis(100);

/// Where clients find the node without knowing it.
#[derive(Clone, Debug, Default, Args)]
pub struct ZooKeeperArgs {
    /// Show this node and its collections in ZooKeeper as SolrCloud does, for clients that look there
    /// (SolrJ's CloudSolrClient, pysolr's SolrCloud): `HOST:PORT[,HOST:PORT…][/chroot]`. The chroot is this
    /// cluster's alone, and made when missing.
    #[arg(long, value_name = "WHERE", conflicts_with = "read_only", env = "PARHELION_ZK")]
    pub zk: Option<ZooKeeperPlace>,
    /// With --zk: a file with USER:PASSWORD for ZooKeeper (its scheme `digest`). What is shown is then
    /// changed by this user alone; anybody reads it.
    #[arg(long, value_name = "FILE", requires = "zk", env = "PARHELION_ZK_CREDENTIALS")]
    pub zk_credentials: Option<PathBuf>,
    /// How others reach this node, `HOST[:PORT]`; by default the first address that it listens on. Its name
    /// in the cluster, and in the URLs that clients are given.
    #[arg(long, value_name = "HOST[:PORT]", env = "PARHELION_ADVERTISE")]
    pub advertise: Option<String>,
    /// With --zk: how long a node may be silent before the others take it for gone, as Solr's
    /// zkClientTimeout. ZooKeeper bounds it by its tickTime.
    #[arg(long, value_name = "SECONDS", requires = "zk", default_value_t = 30, env = "PARHELION_ZK_SESSION", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub zk_session: u64,
    /// With --zk and a shared --store: how long a node may be gone before others follow in the place of its
    /// replicas; 0 is for ever.
    #[arg(long, value_name = "SECONDS", requires = "zk", default_value_t = 600, env = "PARHELION_REPLACE_AFTER", value_parser = clap::value_parser!(u64).range(0..=31_536_000))]
    pub replace_after: u64,
    /// With --zk: what this node is there for, as Solr's `solr.node.roles`: `data:off` for one that is given
    /// no replicas unless a request names it, `coordinator:on` for one that is to be asked. Every node
    /// answers searches and updates of all collections, whatever its roles.
    #[arg(long, value_name = "ROLE:MODE,…", requires = "zk", default_value = "data:on", env = "PARHELION_NODE_ROLES", value_parser = read_roles)]
    pub node_roles: NodeRoles,
    /// With --zk: what fails together with this node, by a name: a rack, a site. Replicas of a shard are put
    /// in as many zones as there are, and `shards.preference=zone:NAME` asks those of one first.
    #[arg(long, value_name = "NAME", requires = "zk", env = "PARHELION_ZONE", value_parser = read_zone)]
    pub zone: Option<String>,
}

const DATA: &str = "data";
const COORDINATOR: &str = "coordinator";
const ZONE: &str = "zone";

/// As Solr writes them; what is not said is as it is without the flag. Errors: what is no role or mode.
fn read_roles(text: &str) -> Result<NodeRoles, String> {
    let mut roles = NodeRoles::default();
    for said in text.split(',').map(str::trim).filter(|said| !said.is_empty()) {
        let is_on = match said.split_once(':').map(|(role, mode)| (role.trim(), mode.trim())) {
            Some((DATA | COORDINATOR, "on")) => true,
            Some((DATA | COORDINATOR, "off")) => false,
            Some(("overseer", _)) => {
                return Err("there is no overseer here, and so no role of one; leave it out".to_owned());
            }
            _ => {
                return Err(format!("`{said}` is no role; use `data:on|off` and `coordinator:on|off`"));
            }
        };
        match said.starts_with(DATA) {
            true => roles.data = is_on,
            false => roles.coordinator = is_on,
        }
    }
    Ok(roles)
}

/// It stands between commas and behind colons in requests. Errors: what could not.
fn read_zone(text: &str) -> Result<String, String> {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    match !text.is_empty() && text.chars().all(fits) {
        true => Ok(text.to_owned()),
        false => Err("a zone is called by letters, digits, `-`, `_` and `.`".to_owned()),
    }
}

impl ZooKeeperArgs {
    /// How long a node may be gone before its replicas are replaced; `None`: for ever.
    pub fn replace_after_ms(&self) -> Option<i64> {
        let ms = i64::try_from(self.replace_after.saturating_mul(1_000)).ok();
        ms.filter(|ms| *ms > 0)
    }

    /// What the node says of itself to the other members.
    pub fn facts(&self) -> BTreeMap<String, String> {
        let mode = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
        let roles = [(DATA, mode(self.node_roles.data)), (COORDINATOR, mode(self.node_roles.coordinator))];
        let zone = self.zone.clone().map(|zone| (ZONE, zone));
        roles.into_iter().chain(zone).map(|(name, said)| (name.to_owned(), said)).collect()
    }

    /// Where the node is to be shown, if it is. Errors: credentials that cannot be read.
    pub fn place(&self) -> anyhow::Result<Option<ZooKeeperPlace>> {
        let Some(place) = self.zk.clone() else { return Ok(None) };
        let place = place.with_session(Duration::from_secs(self.zk_session));
        let Some(file) = &self.zk_credentials else { return Ok(Some(place)) };
        let unread = || format!("cannot take ZooKeeper's credentials from `{}`", file.display());
        let text = std::fs::read_to_string(file).with_context(unread)?;
        place.with_digest(text.trim()).map(Some).map_err(anyhow::Error::msg).with_context(unread)
    }

    /// The node's address as it is shown; `bound` is the one that it listens on.
    pub fn address(&self, bound: &str) -> String {
        let port = bound.rsplit_once(':').map_or("8983", |(_, port)| port);
        match &self.advertise {
            // What ends in a bracket is an IPv6 address without a port.
            Some(host) if !host.contains(':') || host.ends_with(']') => format!("{host}:{port}"),
            Some(address) => address.clone(),
            None => bound.to_owned(),
        }
    }
}

/// Keeps the view, and the node's part of the cluster, until it is dropped.
pub struct ShownNode {
    publisher: Arc<Publisher>,
    caretaker: Mutex<Option<Caretaker>>,
    place: ZooKeeperPlace,
}

impl ShownNode {
    /// Begins to keep the view of the node's cluster, and to serve what is the node's.
    pub async fn start(
        (place, facts): (ZooKeeperPlace, BTreeMap<String, String>),
        node: &Arc<Node>,
        configsets: Configsets,
    ) -> anyhow::Result<Arc<Self>> {
        let (opener, new_cluster) = (node.clone(), Uuid::new_v4().to_string());
        let cluster = tokio::task::spawn_blocking(move || opener.cluster_id(&new_cluster)).await??;
        let cluster::Member { mut id, name, url } = node.member();
        if id.is_empty() {
            // It shares nothing, so that nobody has to know it again.
            id = Uuid::new_v4().to_string();
        }
        let stirred = Arc::new(Notify::new());
        let source = Arc::new(NodeView { node: Arc::downgrade(node), configsets, stirred: stirred.clone() });
        let publisher =
            Arc::new(Publisher::start(place.clone(), cluster, Member { id, name, url, facts }, source));
        node.set_census(census(&publisher));
        let hinted = Arc::downgrade(&publisher);
        let hint = move || hinted.upgrade().iter().for_each(|publisher| publisher.hint());
        let caretaker = node.is_member().then(|| Caretaker::start(node, stirred, hint));
        Ok(Arc::new(Self { publisher, caretaker: Mutex::new(caretaker), place }))
    }

    /// Waits until clients find the node there. Where ZooKeeper does not answer the node serves without, and
    /// it goes on trying. Errors: what no trying mends.
    pub async fn appear(&self) -> anyhow::Result<()> {
        match self.publisher.published(PATIENCE).await {
            Ok(()) => Ok(()),
            Err(
                lost @ (TreeError::Lost(_) | TreeError::Changed | TreeError::Unread(_) | TreeError::Taken(_)),
            ) => {
                output::note(&format!("{lost}; clients that look there do not find this node until it does"));
                Ok(())
            }
            Err(refused) => Err(refused).with_context(|| format!("cannot use ZooKeeper at `{}`", self.place)),
        }
    }

    /// Takes over nothing any more.
    pub async fn rest(&self) {
        let caretaker = self.caretaker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(caretaker) = caretaker {
            caretaker.stop().await;
        }
    }

    /// Leaves the live nodes. Waits for ZooKeeper's answer no longer than it takes.
    pub async fn stop(&self) {
        self.rest().await;
        self.publisher.stop().await;
    }

    fn lift(&self, error: &TreeError) -> Error {
        Error::new(ErrorKind::Unavailable, format!("`{}` would not show it: {error}", self.place))
    }
}

impl PublicView for ShownNode {
    fn check(&self) -> plan::Result<()> {
        let unmade =
            |error: Error| Error::new(error.kind, format!("nothing was changed, since {}", error.message));
        self.publisher.check().map_err(|error| unmade(self.lift(&error)))
    }

    fn published(&self) -> std::pin::Pin<Box<dyn Future<Output = plan::Result<()>> + Send + '_>> {
        Box::pin(async {
            self.publisher.published(PATIENCE).await.map_err(|error| self.lift(&error))?;
            tokio::time::sleep(HEARD_AFTER).await;
            Ok(())
        })
    }
}

/// As another member says it of itself. What it does not say is as of one that was told nothing, and so is
/// what this release does not know.
fn living_member(Member { id, name, url, facts }: Member) -> LivingMember {
    // By the word that is other than the default: a member of a release before says neither.
    let is = |role: &str, mode: &str| facts.get(role).is_some_and(|said| said == mode);
    let roles = NodeRoles { data: !is(DATA, "off"), coordinator: is(COORDINATOR, "on") };
    let zone = facts.get(ZONE).cloned();
    LivingMember { member: cluster::Member { id, name, url }, roles, zone }
}

/// What is shown is compared behind a reading of who lives, which is told first.
fn census(publisher: &Arc<Publisher>) -> cluster::Census {
    let (publisher, runtime) = (Arc::downgrade(publisher), Handle::current());
    let unknown = |why: &str| Error::new(ErrorKind::Unavailable, format!("who lives is not known: {why}"));
    Box::new(move || {
        let publisher = publisher.upgrade().ok_or_else(|| unknown("this node leaves"))?;
        // At once where ZooKeeper is known to be away: what is this node's own goes on meanwhile.
        let shown = publisher.check().and_then(|()| runtime.block_on(publisher.published(CENSUS)));
        shown.map_err(|error| unknown(&error.to_string()))
    })
}

/// Weak: the node ends before whoever shows it does.
struct NodeView {
    node: Weak<Node>,
    configsets: Configsets,
    /// Told when members may have come or gone.
    stirred: Arc<Notify>,
}

impl Source for NodeView {
    async fn refresh(&self) -> Result<(), String> {
        let Some(node) = self.node.upgrade() else { return Ok(()) };
        node.refreshed().await.map_err(|error| error.to_string())
    }

    fn view(&self) -> View {
        let mut view = View::default();
        let Some(node) = self.node.upgrade() else { return view };
        for node in http::cluster_view(&node, &self.configsets) {
            match node.while_alive {
                true => view.put_while_alive(&node.path, node.bytes),
                false => view.put(&node.path, node.bytes),
            }
        }
        view
    }

    /// Clients that read a collection's state there say which version they have.
    fn shown(&self, shown: &Shown) {
        for path in &shown.left_out {
            tracing::warn!(path, "too large for ZooKeeper, and not shown there");
        }
        let version = |(path, version): (&String, &i32)| {
            let name = path.strip_prefix("/collections/")?.strip_suffix("/state.json")?;
            Some((name.to_owned(), u32::try_from(*version).ok()?))
        };
        let versions: BTreeMap<String, u32> = shown.versions.iter().filter_map(version).collect();
        self.node.upgrade().iter().for_each(|node| node.show_as(&versions));
    }

    fn living(&self, members: Vec<Member>) {
        let Some(node) = self.node.upgrade() else { return };
        node.set_living(members.into_iter().map(living_member));
        // Also where they are the same: another may have changed whose a collection is.
        self.stirred.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_and_told() {
        let read = |text: &str| read_roles(text).map(|it| (it.data, it.coordinator));
        assert_eq!(read("data:off,coordinator:on"), Ok((false, true)));
        assert_eq!(read(" coordinator:on "), Ok((true, true)));
        assert_eq!(read(""), Ok((true, false)));
        assert!(read("overseer:allowed").unwrap_err().contains("no overseer"));
        assert!(read("data:maybe").unwrap_err().contains("`data:maybe` is no role"));
        assert!(read("data").is_err() && read_zone("a,b").is_err() && read_zone("").is_err());
        let args = ZooKeeperArgs {
            node_roles: NodeRoles { data: false, coordinator: true },
            zone: Some("west".to_owned()),
            ..ZooKeeperArgs::default()
        };
        let told = Member { id: "1".into(), name: "a".into(), url: "b".into(), facts: args.facts() };
        let heard = living_member(told);
        assert_eq!((heard.roles, heard.zone.as_deref()), (args.node_roles, Some("west")));
        // One of a release that says nothing.
        let silent = Member { id: "1".into(), name: "a".into(), url: "b".into(), facts: BTreeMap::default() };
        assert_eq!(living_member(silent).roles, NodeRoles::default());
    }

    #[test]
    fn addresses_that_are_shown() {
        let shown = |advertise: Option<&str>| {
            let args = ZooKeeperArgs { advertise: advertise.map(str::to_owned), ..ZooKeeperArgs::default() };
            args.address("127.0.0.1:8983")
        };
        assert_eq!(shown(None), "127.0.0.1:8983");
        assert_eq!(shown(Some("search-1")), "search-1:8983");
        assert_eq!(shown(Some("search-1:80")), "search-1:80");
        assert_eq!(shown(Some("[::1]")), "[::1]:8983");
        assert_eq!(shown(Some("[::1]:80")), "[::1]:80");
    }
}
