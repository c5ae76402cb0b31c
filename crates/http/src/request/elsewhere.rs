//! Collections that another member serves: their requests go there as they came, and the answer comes back as
//! it is, as in SolrCloud any node serves any collection. A request that was sent on already stays where it
//! is: whoever sent it knows less than who got it, and asks again.
//!
//! In: a request whose path names such a collection; out: the reply of whoever leads it, or has a part of it
//! where the lead cannot be reached, or 503 while there is none.

use std::sync::Arc;

use cluster::{Collection, Description, Member};
use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use plan::{Error, ErrorKind, Result};

use crate::members::{FORWARDED_BY, Forward, Forwarded, ForwardedAnswer, while_alive, while_answering};
use crate::request::body::Upload;
use crate::request::reply::Reply;
use crate::request::serving::Serving;
use crate::server::Server;

/// What each side says for itself.
const OF_ONE_CONNECTION: [HeaderName; 10] = [
    // How the answer is packed is agreed with the client alone.
    ACCEPT_ENCODING,
    CONNECTION,
    // Bodies are unpacked by whoever reads them first.
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    EXPECT,
    HOST,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// What whoever leads a collection answers alone.
const LEADS: [&str; 2] = ["/schema/apply", "/schema/undo"];

/// The collections that a path names, where all that count are served here, or by several members; else who
/// serves the request instead. `None`: the name is nothing's.
pub(crate) fn place(
    server: &Server,
    name: &str,
    path: &str,
) -> Option<std::result::Result<Vec<Arc<Collection>>, Serving>> {
    let mut described = server.node.resolve_described(name).ok()?;
    // These go to the first of several. By Solr's paths: what a configuration calls them its owner knows.
    if path.starts_with("/update") || path == "/admin/ping" {
        described.truncate(1);
    }
    // A rebuild is its lead's, which alone knows how far it is.
    let is_leads = LEADS.contains(&path);
    let own = |it: &Description| {
        server.node.find_own(it.name()).filter(|own| !is_leads || own.lead_elsewhere().is_none())
    };
    let here: Vec<Arc<Collection>> = described.iter().filter_map(own).collect();
    if here.len() == described.len() {
        return Some(Ok(here));
    }
    let mut owners = described.iter().map(Description::owner);
    let first = owners.next()?;
    if here.is_empty() && owners.all(|owner| owner == first) {
        let members = described.first().map(Description::members).unwrap_or_default();
        return Some(Err(Serving::Elsewhere(name.to_owned(), members.into_iter().cloned().collect())));
    }
    // Several members have them: whoever was asked gathers what they answer.
    let all = described.iter().map(|it| server.node.described_to_read(it)).collect::<Result<_>>();
    Some(all.map_err(|error| Serving::Unread(name.to_owned(), error)))
}

/// Sends it to the first of those that serve the collection, or to the next where that one cannot be reached.
pub(crate) async fn forward(
    server: &Arc<Server>,
    request: Request<Incoming>,
    (name, members): (&str, &[Member]),
) -> Result<Reply> {
    if request.headers().contains_key(FORWARDED_BY) {
        // Two members that each take the other for the owner would send it round for ever.
        return Err(unavailable(format!("`{name}` is no longer, or not yet, served here; try again")));
    }
    let method = request.method().to_string();
    let target = request.uri().path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let is_search = only_reads(&method, request.uri().path());
    let living = members.iter().filter(|member| server.node.is_alive(member));
    // Those that said nothing a moment ago are asked last, where another will do.
    let (silent, answering): (Vec<_>, Vec<_>) =
        living.partition(|member| is_search && members.len() > 1 && server.node.is_silent(member));
    let mut members = answering.into_iter().chain(silent);
    let (forward, mut member) = reachable(server, name, members.next())?;
    let headers = passed_on(server, request.headers());
    // Whole, so that nothing of it was sent where its sender breaks off; its room counts until the answer.
    let (body, _room) = Upload::new(server, request, server.config.body_bytes_max)?.whole().await?;
    let body = (!body.is_empty()).then_some(body);
    let mut forwarded = Forwarded { url: member.url.clone(), method, target, headers, body, is_safe: false };
    loop {
        let (next, sent) = (members.next(), forward.forward(forwarded.clone()));
        let answered = match is_search && next.is_some() {
            true => while_answering(&server.node, (forward, member), sent).await,
            false => while_alive(&server.node, member, sent).await,
        };
        match (answered, next) {
            (Ok(answer), _) => {
                let ForwardedAnswer { status, content_type, retry_after_s, body } = answer;
                let content_type = content_type.into();
                return Ok(Reply { status, content_type, retry_after_s, body, ..Reply::default() });
            }
            // It was not reached; or what it did is of no account.
            (Err(error), Some(next)) if error.kind == ErrorKind::Unavailable || is_search => {
                next.url.clone_into(&mut forwarded.url);
                member = next;
            }
            (Err(error), _) => return Err(error),
        }
    }
}

/// Whether a request may be asked of one member, left, and asked of another. By Solr's paths: what a
/// configuration calls them its owner knows.
fn only_reads(method: &str, path: &str) -> bool {
    let is_read = |path: &str| ["select", "query", "get", "terms", "mlt", "spell"].contains(&path);
    match method {
        "GET" | "HEAD" => !path.contains("/update"),
        "POST" => path.rsplit('/').next().is_some_and(is_read),
        _ => false,
    }
}

/// What sends requests to the owner of `name`. Errors: `Unavailable` where nobody serves it at the moment.
pub(crate) fn reachable<'a>(
    server: &'a Server,
    name: &str,
    owner: Option<&'a Member>,
) -> Result<(&'a dyn Forward, &'a Member)> {
    let node = &server.node;
    let gone =
        || unavailable(format!("nobody serves `{name}` at the moment; it is being taken over, try again"));
    let owner = owner.filter(|owner| node.is_alive(owner)).ok_or_else(gone)?;
    if owner.id == node.member().id {
        return Err(unavailable(format!("`{name}` is being opened; try again")));
    }
    let forward =
        server.config.forward.as_deref().ok_or_else(|| Error::internal("nothing sends requests on"))?;
    Ok((forward, owner))
}

fn passed_on(server: &Server, headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    let passes = |name: &HeaderName| {
        !OF_ONE_CONNECTION.contains(name) && name != "keep-alive" && name != "http2-settings"
    };
    let passed = headers.iter().filter(|(name, _)| passes(name));
    let mut passed: Vec<_> =
        passed.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec())).collect();
    passed.push((FORWARDED_BY.to_owned(), server.node.member().id.into_bytes()));
    passed
}

fn unavailable(message: String) -> Error {
    Error::new(ErrorKind::Unavailable, message)
}
