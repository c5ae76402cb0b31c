//! The tree of production: a session with a ZooKeeper, through the `zookeeper-client` crate, which finds
//! another server of the quorum while the session lives. A session that is over is for the publisher to make
//! anew.

use std::str::FromStr;
use std::time::Duration;

use tokio::sync::Mutex;
use zookeeper_client::{
    Acl, Acls, AddWatchMode, Client, CreateMode, CreateOptions, Error, EventType, MultiWriteError,
    Permission, PersistentWatcher, SessionState, StateWatcher,
};

use crate::claim::CLAIM;
use crate::tree::{Change, Lifetime, Present, Tree, TreeError, TreeEvent, Trees};

/// Solr's `zkClientTimeout` by default.
const SESSION: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(10);

/// Where a cluster's nodes lie: `HOST[:PORT][,…][/chroot]`, as Solr's `zkHost`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZooKeeperPlace {
    servers: String,
    /// With its slash; `/` where there is none.
    chroot: String,
    /// Without it everybody may change what is shown.
    digest: Option<Digest>,
    session: Duration,
}

/// `USER:PASSWORD`, not to be printed.
#[derive(Clone, PartialEq, Eq)]
struct Digest(String);

impl std::fmt::Debug for Digest {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        to.write_str("Digest")
    }
}

impl ZooKeeperPlace {
    /// The same, with a name for ZooKeeper's scheme `digest`: only who has it changes what is shown; anybody
    /// reads it. Errors: text that is not `USER:PASSWORD`.
    pub fn with_digest(self, digest: &str) -> Result<Self, String> {
        match digest.split_once(':') {
            Some((user, password)) if !user.is_empty() && !password.is_empty() => {
                Ok(Self { digest: Some(Digest(digest.to_owned())), ..self })
            }
            _ => Err("ZooKeeper's credentials are not USER:PASSWORD".to_owned()),
        }
    }

    /// The same, with another time that a node may be silent before the others take it for gone.
    #[must_use]
    pub fn with_session(self, session: Duration) -> Self {
        Self { session, ..self }
    }

    fn acls(&self) -> Acls<'static> {
        if self.digest.is_some() { Acls::new(&OWN) } else { Acls::anyone_all() }
    }
}

/// Whoever made a node changes it, anybody reads it: `creator_all` with `anyone_read`.
static OWN: [Acl; 2] =
    [Acl::new_const(Permission::ALL, "auth", ""), Acl::new_const(Permission::READ, "world", "anyone")];

impl FromStr for ZooKeeperPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` names no ZooKeeper; write it as HOST:PORT[,HOST:PORT…][/chroot], such as zk1:2181,zk2:2181/solr"
            )
        };
        let (servers, chroot) = text.find('/').map_or((text, ""), |at| text.split_at(at));
        let chroot = chroot.trim_end_matches('/');
        let is_server = |server: &str| {
            let (host, port) = server.rsplit_once(':').unwrap_or((server, "2181"));
            !host.is_empty()
                && !host.contains(char::is_whitespace)
                && port.parse::<u16>().is_ok_and(|it| it > 0)
        };
        let is_path = chroot.is_empty() || chroot.split('/').skip(1).all(|part| !part.is_empty());
        if !is_path || !servers.split(',').all(is_server) {
            return Err(wrong());
        }
        let with_port =
            |server: &str| if server.contains(':') { server.to_owned() } else { format!("{server}:2181") };
        let servers = servers.split(',').map(with_port).collect::<Vec<_>>().join(",");
        Ok(Self {
            servers,
            chroot: if chroot.is_empty() { "/".to_owned() } else { chroot.to_owned() },
            digest: None,
            session: SESSION,
        })
    }
}

impl std::fmt::Display for ZooKeeperPlace {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{}{}", self.servers, if self.chroot == "/" { "" } else { &self.chroot })
    }
}

impl Trees for ZooKeeperPlace {
    type Tree = ZooKeeper;

    async fn connect(&self) -> Result<ZooKeeper, TreeError> {
        let mut connector =
            Client::connector().with_session_timeout(self.session).with_connection_timeout(CONNECT);
        if let Some(Digest(digest)) = &self.digest {
            connector = connector.with_auth("digest", digest.as_bytes());
        }
        let client = connector.connect(&self.servers).await.map_err(|error| self.explained(&error))?;
        if self.chroot != "/" {
            // Open until it is this cluster's.
            let lasting = CreateMode::Persistent.with_acls(Acls::anyone_all());
            match client.mkdir(&self.chroot, &lasting).await {
                Ok(()) | Err(Error::NodeExists) => {}
                Err(error) => return Err(self.explained(&error)),
            }
        }
        let refused = |_| TreeError::Refused(format!("`{}` is no chroot that ZooKeeper takes", self.chroot));
        let client = client.chroot(self.chroot.clone()).map_err(refused)?;
        let members = match client.watch(CLAIM, AddWatchMode::PersistentRecursive).await {
            Ok(watcher) => Some(watcher),
            // A server before 3.6: what others do is seen by looking.
            Err(Error::Unimplemented) => None,
            Err(error) => return Err(self.explained(&error)),
        };
        let watchers = Mutex::new((client.state_watcher(), members));
        Ok(ZooKeeper { client, watchers, acls: self.acls() })
    }
}

impl ZooKeeperPlace {
    fn explained(&self, error: &Error) -> TreeError {
        match of_error(error) {
            TreeError::Lost(why) => TreeError::Lost(format!("{self}: {why}")),
            other => other,
        }
    }
}

/// A session. It ends when this is dropped.
pub struct ZooKeeper {
    client: Client,
    /// Of the session, and of the claim with the members below it.
    watchers: Mutex<(StateWatcher, Option<PersistentWatcher>)>,
    acls: Acls<'static>,
}

impl Tree for ZooKeeper {
    fn session(&self) -> i64 {
        self.client.session_id().0
    }

    async fn read(&self, path: &str) -> Result<Option<Present>, TreeError> {
        match self.client.get_data(path).await {
            Ok((bytes, stat)) => {
                Ok(Some(Present { bytes, version: stat.version, session: stat.ephemeral_owner }))
            }
            Err(Error::NoNode) => Ok(None),
            Err(error) => Err(of_error(&error)),
        }
    }

    async fn children(&self, path: &str) -> Result<Vec<String>, TreeError> {
        match self.client.list_children(path).await {
            Ok(names) => Ok(names),
            Err(Error::NoNode) => Ok(Vec::new()),
            Err(error) => Err(of_error(&error)),
        }
    }

    async fn write(&self, changes: &[Change]) -> Result<(), TreeError> {
        let mut writer = self.client.new_multi_writer();
        for change in changes {
            let added = match change {
                Change::Check { path, version } => writer.add_check_version(path, *version),
                Change::Create { path, bytes, lifetime } => {
                    writer.add_create(path, bytes, &options(*lifetime, self.acls))
                }
                Change::Set { path, bytes, version } => writer.add_set_data(path, bytes, Some(*version)),
                Change::Delete { path, version } => writer.add_delete(path, Some(*version)),
            };
            added.map_err(|error| of_error(&error))?;
        }
        match writer.commit().await {
            Ok(_) => Ok(()),
            Err(
                MultiWriteError::RequestFailed { source } | MultiWriteError::OperationFailed { source, .. },
            ) => Err(of_error(&source)),
        }
    }

    async fn protect(&self, paths: &[&str]) -> Result<(), TreeError> {
        if *self.acls == *Acls::anyone_all() {
            return Ok(());
        }
        // The root of a whole ZooKeeper is others' too.
        let is_own =
            |path: &&&str| **path != "/" || !self.client.path().is_empty() && self.client.path() != "/";
        for path in paths.iter().filter(is_own) {
            match self.client.set_acl(path, &OWN, None).await {
                Ok(_) | Err(Error::NoNode) => {}
                Err(error) => return Err(of_error(&error)),
            }
        }
        Ok(())
    }

    async fn event(&self) -> TreeEvent {
        let (state, members) = &mut *self.watchers.lock().await;
        let stirred = async {
            loop {
                let Some(members) = members.as_mut() else { return std::future::pending().await };
                let event = members.changed().await;
                if event.event_type != EventType::Session {
                    return TreeEvent::Stirred;
                }
                // Nothing follows the end of a session.
                if event.session_state.is_terminated() {
                    return TreeEvent::Over;
                }
            }
        };
        tokio::select! {
            // The session first: what is heard of others counts for nothing once it is over.
            biased;
            state = state.changed() => match state {
                SessionState::SyncConnected => TreeEvent::Back,
                // A server that is cut off from its quorum takes no writes.
                SessionState::Disconnected | SessionState::ConnectedReadOnly => TreeEvent::Lost,
                SessionState::AuthFailed | SessionState::Expired | SessionState::Closed => TreeEvent::Over,
            },
            event = stirred => event,
        }
    }
}

fn options(lifetime: Lifetime, acls: Acls<'static>) -> CreateOptions<'static> {
    let mode = match lifetime {
        Lifetime::Lasting => CreateMode::Persistent,
        Lifetime::Session => CreateMode::Ephemeral,
    };
    mode.with_acls(acls)
}

fn of_error(error: &Error) -> TreeError {
    match error {
        Error::BadVersion | Error::NodeExists | Error::NoNode | Error::NotEmpty => TreeError::Changed,
        Error::NoAuth | Error::AuthFailed => TreeError::Refused(format!(
            "ZooKeeper does not let this node write below its chroot ({error}): give it credentials with the rights there, or a \
             chroot of its own"
        )),
        Error::BadArguments(_) | Error::InvalidAcl => {
            TreeError::Refused(format!("ZooKeeper refuses: {error}"))
        }
        _ => TreeError::Lost(error.to_string()),
    }
}
