//! The servers behind a relay: a list that is balanced over, and where they are a cluster its state, by which
//! reads go to replicas of their collection and updates to leaders. Made anew when the configuration changes;
//! requests under way keep the one they began with.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use client::{
    BalancedClient, CloudClient, Error, HttpClusterState, Request, SolrUrl, StaticEndpoints,
    StreamedResponse, Target,
};
use tokio::task::JoinSet;

use crate::config::UpstreamConfig;
use crate::ids::{Documents, documents};
use crate::route::{Kind, ServerRoute, has_only};
use crate::split::{self, Part};

#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub config: Arc<UpstreamConfig>,
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
        let any = BalancedClient::new(&servers, config.options.clone());
        let state = || HttpClusterState::new(&servers, config.options.clone());
        let cloud =
            config.cloud.then(|| CloudClient::new(state(), config.login.clone(), config.options.clone()));
        Self { any, cloud, config: Arc::new(config) }
    }

    /// Of both clients, for Prometheus.
    pub fn prometheus(&self) -> String {
        let any = self.any.metrics().prometheus("parhelion_relay_upstream_");
        let cloud = self.cloud.as_ref().map(|cloud| cloud.metrics().prometheus("parhelion_relay_cloud_"));
        any + &cloud.unwrap_or_default()
    }

    /// `content` is what an update's body may be read by: its type, where it is not packed.
    pub async fn send(
        &self,
        route: &ServerRoute,
        request: Request,
        content: Option<(&str, &Bytes)>,
    ) -> Result<Answered, Error> {
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
