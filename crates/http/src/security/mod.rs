//! Who is let in. A request is known by its `Authorization` header before anything else is looked at; what it
//! may is decided by the handler that its path was routed to, never by the path's text (`needs`). Without a
//! `security.json` everybody may do everything. Which one counts is `rules`', what it says is
//! `solr::security`'s business. Who guesses passwords is soon not listened to (`attempts`).

mod attempts;
mod needs;
mod rules;

use std::sync::{Arc, PoisonError, RwLock};

use cluster::{Collection, Node};
use hyper::Request;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use plan::{Error, ErrorKind, Result};
use solr::Params;
use solr::security::{
    self as file, AccessRequest, BadCredentials, EditContext, Edited, Predefined, Principal, Scope, Section,
    Security, Shown, Verdict,
};

use self::attempts::Attempts;
pub(crate) use self::needs::{Needs, names_of};
use self::rules::Rules;
use crate::connection::listener::Peer;
use crate::request::reply::Reply;

/// What of a user's name that failed to log in is logged.
const NAME_CHARS_MAX: usize = 100;
/// How often an edit is made again behind those of other members.
const EDITS_MAX: usize = 20;

/// The file in force, and its edits.
pub(crate) struct Guard {
    /// Knows the newest file.
    node: Arc<Node>,
    rules: RwLock<Rules>,
    attempts: Attempts,
    /// One edit at a time; those of other members are met by versions.
    editing: tokio::sync::Mutex<()>,
}

/// What an edit of the file needs besides its commands.
pub(crate) struct Editor<'a> {
    pub new_uuid: &'a Arc<dyn Fn() -> String + Send + Sync>,
    pub now_ms: i64,
}

impl Guard {
    /// `security` is in force until the node knows of another. `failures_max` is how often one user may fail
    /// to log in from one address within some minutes; 0 is without end.
    pub fn new(node: Arc<Node>, security: Option<Arc<Security>>, failures_max: u32) -> Self {
        Self {
            node,
            rules: RwLock::new(Rules::new(security)),
            attempts: Attempts::new(failures_max),
            editing: tokio::sync::Mutex::new(()),
        }
    }

    /// The file in force; `None` where nothing is guarded.
    pub fn security(&self) -> Option<Arc<Security>> {
        self.with_rules(|rules| rules.in_force().cloned())
    }

    /// Of the newest file that the node knows.
    fn with_rules<T>(&self, read: impl Fn(&Rules) -> T) -> T {
        {
            let rules = self.rules.read().unwrap_or_else(PoisonError::into_inner);
            if rules.is_of(self.node.known_security().as_deref()) {
                return read(&rules);
            }
        }
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        // Asked again behind the lock: another request may have taken a newer one up meanwhile.
        rules.follow(self.node.known_security().as_deref());
        read(&rules)
    }

    /// Who the sender is by what is shown, unless too much was shown that did not hold.
    fn log_in(
        &self,
        security: &Security,
        shown: &Shown,
        peer: Peer,
        now_ms: i64,
    ) -> Result<Principal, Refusal> {
        let user = shown.user();
        // Before the password is looked at: hashing it costs time, and a right guess must not be told from a
        // wrong one meanwhile.
        if let Some(wait_s) = user.and_then(|user| self.attempts.wait_s(peer.address(), user, now_ms)) {
            return Err(Refusal::Wait(wait_s));
        }
        security.log_in(shown, now_ms).map_err(|BadCredentials| {
            if let Some(user) = user {
                let last = self.attempts.failed(peer.address(), user, now_ms);
                let user = user.chars().take(NAME_CHARS_MAX).collect::<String>();
                tracing::warn!(%peer, user, last, "a log-in failed");
            }
            BAD_CREDENTIALS
        })
    }

    /// Applies a body's commands to the newest file there is, whoever made it; kept before it is in force.
    /// Errors: `BadRequest`, `Conflict` where the file that is kept is none, and what keeping it may come to.
    pub async fn edit(&self, editor: &Editor<'_>, section: Section, body: &str) -> Result<Edited> {
        let _editing = self.editing.lock().await;
        let random = || random(editor.new_uuid);
        for _ in 0..EDITS_MAX {
            self.node.refresh_security().await?;
            let (version, security) = self.with_rules(Rules::to_edit)?;
            let missing = || Error::bad_request(format!("No {} plugin configured", section.name()));
            let security = security.ok_or_else(missing)?;
            let mut edited = {
                let context = EditContext { random: &random, now_ms: editor.now_ms };
                file::edit(&security, section, body, &context)?
            };
            let Some(changed) = edited.security.take() else { return Ok(edited) };
            match self.node.change_security(version, changed.to_text()).await {
                Err(error) if error.kind == ErrorKind::Conflict => {}
                kept => return kept.map(|()| edited),
            }
        }
        let message = "`security.json` is being changed by other members again and again; try again";
        Err(Error::new(ErrorKind::Conflict, message))
    }
}

/// 32 bytes that nobody guesses, of two random UUIDs.
fn random(new_uuid: &Arc<dyn Fn() -> String + Send + Sync>) -> [u8; 32] {
    file::digest(&[new_uuid(), new_uuid()].concat())
}

/// What the sender of a request may.
#[derive(Clone)]
pub(crate) enum Access {
    /// Nothing is guarded here.
    Open,
    /// The same of a node that only reads: whoever asks for a change is told so.
    ReadOnly,
    Guarded {
        security: Arc<Security>,
        who: Option<Principal>,
        read_only: bool,
    },
}

/// Why a request is turned away.
pub(crate) enum Refusal {
    /// 401, with what Solr says.
    LogIn(&'static str),
    /// 403.
    Forbidden,
    /// 403 too: of this node, whoever asks.
    ReadOnly,
    /// 429, for this many seconds.
    Wait(u64),
}

const READ_ONLY: &str = "This node only reads what another one owns; send changes to the node that serves the store without --read-only";
const BAD_CREDENTIALS: Refusal = Refusal::LogIn("Bad credentials");

impl Refusal {
    /// The page that Solr's servlet container shows.
    pub fn into_reply(self, path: &str) -> Reply {
        match self {
            Refusal::LogIn(reason) => Reply::page(401, reason, path),
            Refusal::Forbidden => Reply::page(403, "Unauthorized request, Response code: 403", path),
            Refusal::ReadOnly => Reply::page(403, READ_ONLY, path),
            Refusal::Wait(wait_s) => Reply {
                retry_after_s: wait_s,
                ..Reply::page(429, "Too many log-ins have failed; try again later", path)
            },
        }
    }
}

impl Access {
    /// Who sent a request, by its head. A header that says who and is wrong is refused, whatever is asked
    /// for.
    pub fn of<B>(
        (guard, read_only): (&Guard, bool),
        peer: Peer,
        request: &Request<B>,
        now_ms: i64,
    ) -> Result<Self, Refusal> {
        let Some(security) = guard.security() else {
            return Ok(if read_only { Access::ReadOnly } else { Access::Open });
        };
        let shown = shown(request.headers()).map_err(|BadCredentials| BAD_CREDENTIALS)?;
        let who = shown.map(|shown| guard.log_in(&security, &shown, peer, now_ms)).transpose()?;
        if who.is_none() && security.blocks_unknown() {
            return Err(Refusal::LogIn("require authentication"));
        }
        Ok(Access::Guarded { security, who, read_only })
    }

    /// Whether nothing is looked at: no request is refused.
    pub fn is_open(&self) -> bool {
        matches!(self, Access::Open)
    }

    /// The name of the user who sent it, where one logged in.
    pub fn user(&self) -> Option<&str> {
        match self {
            Access::Guarded { who: Some(who), .. } => Some(&who.name),
            _ => None,
        }
    }

    /// Whether everybody may read everything, and an answer to one is one to all.
    pub fn reads_all(&self) -> bool {
        matches!(self, Access::Open | Access::ReadOnly)
    }

    /// Whether a request with these needs is let through.
    pub fn check(&self, needs: Needs, method: &str, params: &Params) -> Result<(), Refusal> {
        let Needs { permission, path, scope } = needs;
        let (security, who) = match self {
            Access::Open => return Ok(()),
            Access::ReadOnly if permission.edits() => return Err(Refusal::ReadOnly),
            Access::ReadOnly => return Ok(()),
            Access::Guarded { security, who, read_only } => {
                if *read_only && permission.edits() {
                    return Err(Refusal::ReadOnly);
                }
                (security, who)
            }
        };
        let asked = AccessRequest { permission, path: &path, method, params, scope };
        match security.judge(&asked, who.as_ref()) {
            Verdict::Permitted => Ok(()),
            Verdict::LogIn => Err(Refusal::LogIn("Authentication failed, Response code: 401")),
            Verdict::Forbidden => Err(Refusal::Forbidden),
        }
    }

    /// Whether the sender may search a collection: one that a request names beside the one it was sent to.
    pub fn reads(&self, collection: &Collection) -> bool {
        let scope = Scope::Collections(vec![names_of(collection)]);
        let needs = Needs { permission: Predefined::Read, path: "/select".to_owned(), scope };
        self.check(needs, "GET", &Params::default()).is_ok()
    }

    /// A collection that a request names beside its own, unless the sender may not search it: it is then as
    /// if it were not there. Errors: another member serves it, and cannot be asked.
    pub fn find(&self, node: &Node, name: &str) -> Result<Option<Arc<Collection>>> {
        let found = node.find_to_read(name)?;
        Ok(found.filter(|collection| self.reads_all() || self.reads(collection)))
    }
}

/// What the one header shows that says who sends the request. Several, or one that is no text, show nothing
/// that holds.
fn shown(headers: &HeaderMap) -> Result<Option<Shown>, BadCredentials> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    match (all.next(), all.next()) {
        (None, _) => Ok(None),
        (Some(header), None) => Shown::read(header.to_str().map_err(|_| BadCredentials)?),
        // A proxy might check one and this server the other.
        (Some(_), Some(_)) => Err(BadCredentials),
    }
}

/// What a refused client is asked to do. Browsers open a dialogue of their own at `Basic`, which pages that
/// log in by script do not want.
pub(crate) fn challenge(guard: &Guard, by_script: bool) -> Option<HeaderValue> {
    let scheme = if by_script { "xBasic" } else { "Basic" };
    HeaderValue::try_from(format!("{scheme} realm=\"{}\"", guard.security()?.realm())).ok()
}

/// Whether a page's script sends the request.
pub(crate) fn is_by_script(headers: &HeaderMap) -> bool {
    headers.get("x-requested-with").is_some_and(|value| value == "XMLHttpRequest")
}
