//! The servers behind a relay: a list that is balanced over, and where they are a cluster its state, by which
//! reads go to replicas of their collection and updates to leaders. Made anew when the configuration changes;
//! requests under way keep the one they began with.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use client::{
    BalancedClient, CloudClient, Error, HttpClusterState, Request, Response, SolrUrl, StaticEndpoints,
    StreamedResponse, Target,
};
use percent_encoding::utf8_percent_encode;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::cache::Cache;
use crate::config::UpstreamConfig;
use crate::ids::{Documents, documents};
use crate::route::{Kind, ServerRoute, has_only};
use crate::split::{self, Part};
use crate::writes::{ESCAPED, Need, Writes};

#[derive(Debug)]
pub(crate) struct Upstream {
    pub config: Arc<UpstreamConfig>,
    /// Made anew with it: what was shown by other servers says nothing of these.
    pub writes: Writes,
    pub cache: Option<Cache>,
    any: BalancedClient,
    cloud: Option<CloudClient>,
}

/// What an update came to that went to several leaders.
#[derive(Debug)]
pub(crate) struct SplitAnswers {
    /// In the order of the parts.
    pub answers: Vec<Result<WholeAnswer, Error>>,
}

/// An answer that has been read to its end.
#[derive(Debug)]
pub(crate) struct WholeAnswer {
    pub head: StreamedResponse,
    pub body: Bytes,
}

#[derive(Debug)]
pub(crate) enum Answered {
    One(Box<StreamedResponse>),
    Split(SplitAnswers),
}

fn one(answer: StreamedResponse) -> Answered {
    Answered::One(Box::new(answer))
}

impl Upstream {
    pub fn new(config: UpstreamConfig) -> Self {
        let with_login = |mut server: client::Endpoint| {
            server.url = server.url.with_login(config.login.clone());
            server
        };
        let servers = StaticEndpoints::new(config.servers.iter().cloned().map(with_login));
        let (login, options) = (config.login.clone(), config.options.clone());
        let (any, cloud) = match &config.zookeeper {
            Some(zookeeper) => {
                let zookeeper = zookeeper.with_login(login.clone());
                let any = BalancedClient::new(&zookeeper, options.clone());
                (any, Some(CloudClient::with_endpoints(zookeeper, config.zoned.clone(), login, options)))
            }
            None => {
                let state = || HttpClusterState::new(&servers, options.clone());
                let zoned = config.zoned.clone();
                let cloud =
                    config.cloud.then(|| CloudClient::with_endpoints(state(), zoned, login, options.clone()));
                (BalancedClient::new(&servers, options.clone()), cloud)
            }
        };
        let writes = Writes::new(config.instance, config.shows_own_writes);
        let cache = config.cache.map(Cache::new);
        Self { any, cloud, writes, cache, config: Arc::new(config) }
    }

    /// Of both clients, for Prometheus.
    pub fn prometheus(&self) -> String {
        let any = self.any.metrics().prometheus("parhelion_relay_upstream_");
        let cloud = self.cloud.as_ref().map(|cloud| cloud.metrics().prometheus("parhelion_relay_cloud_"));
        any + &cloud.unwrap_or_default()
    }

    /// Returns once what a read needs is searchable where reads `from_leaders` go. `prepare` adds to the
    /// commits the headers of the read that say who asks. Errors: a commit that is refused or does
    /// not end in time, but for that of a collection that is not there, which the read itself will be told.
    pub async fn show(
        &self,
        needs: &[Need],
        prepare: impl Fn(Request) -> Result<Request, Error>,
    ) -> Result<(), Error> {
        let patience = self.config.options.timeout;
        for need in needs {
            let shown = self.writes.show(need, async || {
                let name = utf8_percent_encode(&need.collection, &ESCAPED);
                let target = format!("{name}/update?softCommit=true&waitSearcher=true&wt=json");
                // Twice is as once.
                let commit = Request::relayed("POST", &target)?.body(Some("application/json"), "[]").safe();
                let answer = self.commit(&need.collection, &prepare(commit)?).await?;
                let is_there = answer.status != 404;
                if is_there { answer.ok().map(drop) } else { Ok(()) }
            });
            // Others' commits come first, each as long as it may be.
            timeout(patience, shown).await.unwrap_or_else(|_| {
                let (url, seconds) = (need.collection.clone(), patience.as_secs());
                Err(Error::Timeout { url, seconds, sent: false })
            })?;
        }
        Ok(())
    }

    async fn commit(&self, collection: &str, request: &Request) -> Result<Response, Error> {
        match &self.cloud {
            Some(cloud) if cloud.has(collection).await? => {
                cloud.send(Target::Leader(collection, None), request).await
            }
            _ => self.any.send(request).await,
        }
    }

    /// `content` is what an update's body may be read by: its type, where it is not packed.
    pub async fn send(
        &self,
        route: &ServerRoute,
        request: Request,
        content: Option<(&str, &Bytes)>,
    ) -> Result<Answered, Error> {
        if let (Some(cloud), Some(_), None) = (&self.cloud, &self.config.zookeeper, &route.collection) {
            cloud.learn().await?;
        }
        let known = match (&self.cloud, &route.collection) {
            (Some(cloud), Some(collection)) if cloud.has(collection).await? => Some((cloud, collection)),
            // A core's name, or a collection that is new: every node finds those.
            _ => None,
        };
        match (known, route.kind) {
            (None, _) => self.any.open(&request).await.map(one),
            (Some((cloud, collection)), Kind::Update) => {
                self.update(cloud, collection, route, request, content).await
            }
            // Followers take over what leaders have committed, but later.
            (Some((cloud, collection)), Kind::Read) if route.is_from_leaders => {
                cloud.open(Target::Leader(collection, None), &request).await.map(one)
            }
            (Some((cloud, collection)), Kind::Read) => {
                cloud.open(Target::Replicas(collection), &request).await.map(one)
            }
            // The schema, the configuration: any node of the collection.
            (Some((cloud, collection)), Kind::Other) => {
                cloud.open(Target::Leader(collection, None), &request).await.map(one)
            }
        }
    }

    async fn update(
        &self,
        cloud: &CloudClient,
        collection: &str,
        route: &ServerRoute,
        request: Request,
        content: Option<(&str, &Bytes)>,
    ) -> Result<Answered, Error> {
        let documents = content.and_then(|(kind, body)| documents(kind, body, &self.config.id_field));
        let to = async |id| cloud.open(Target::Leader(collection, id), &request).await.map(one);
        let Some(documents) = documents else { return to(None).await };
        let ids = documents.ids();
        let leaders = cloud.leaders(collection, &ids).await?;
        let Some(leaders) = leaders.into_iter().collect::<Option<Vec<SolrUrl>>>() else {
            return to(None).await;
        };
        if leaders.windows(2).all(|pair| pair[0] == pair[1]) {
            return to(ids.first().copied()).await;
        }
        let query = route.target.split_once('?').map(|(_, query)| query);
        match (&documents, content) {
            (Documents::Separable(documents), Some((kind, _))) if has_only(query, &split::PARAMS) => {
                let parts = split::by_leader(documents, &leaders);
                Ok(Answered::Split(send_parts(cloud, collection, &request, kind, parts).await))
            }
            _ => to(None).await,
        }
    }
}

/// All at once.
async fn send_parts(
    cloud: &CloudClient,
    collection: &str,
    request: &Request,
    content_type: &str,
    parts: Vec<Part>,
) -> SplitAnswers {
    let mut sending = JoinSet::new();
    let count = parts.len();
    for (at, Part { id, body }) in parts.into_iter().enumerate() {
        let (cloud, collection) = (cloud.clone(), collection.to_owned());
        let request = request.clone().body(Some(content_type), body);
        sending.spawn(async move {
            let answer = cloud.open(Target::Leader(&collection, Some(&id)), &request).await;
            let answer = match answer {
                Ok(answer) => read(answer).await,
                Err(error) => Err(error),
            };
            (at, answer)
        });
    }
    let mut answers: Vec<Option<Result<WholeAnswer, Error>>> = (0..count).map(|_| None).collect();
    while let Some(sent) = sending.join_next().await {
        let Ok((at, answer)) = sent else { continue };
        if let Some(place) = answers.get_mut(at) {
            *place = Some(answer);
        }
    }
    let lost = || Err(Error::Broken { url: collection.to_owned(), reason: "its task ended".to_owned() });
    SplitAnswers { answers: answers.into_iter().map(|answer| answer.unwrap_or_else(lost)).collect() }
}

async fn read(mut head: StreamedResponse) -> Result<WholeAnswer, Error> {
    let mut body = BytesMut::new();
    while let Some(piece) = head.piece().await? {
        body.extend_from_slice(&piece);
    }
    Ok(WholeAnswer { head, body: body.freeze() })
}
