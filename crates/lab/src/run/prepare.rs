//! Before the clock starts: the questions of each case are asked of both sides and compared. What one side
//! refuses is skipped with its reason; what disagrees is void; the rest is turned into requests. Speed of
//! wrong answers is worth nothing, so nothing is timed before this is done. How two answers are compared, and
//! what may differ, is `compare.rs`'s.

use client::Error as ClientError;
use serde_json::Value;

use super::compare;
use super::options::RunOptions;
use super::record::{Agreement, Skipped};
use crate::error::Error;
use crate::load::Requests;
use crate::side::Side;
use crate::workload::{Case, Order, Question, Workload};

/// Questions of a case that are compared; the rest differ from them in constants only.
const COMPARED_MAX: usize = 8;

/// What the comparison decided about a case.
pub enum Prepared {
    Ready(Box<Ready>),
    Skipped(Skipped),
}

/// A case with its answers compared and its requests built, ours and the peer's.
pub struct Ready {
    pub case: Case,
    pub hits: Option<u64>,
    pub agreement: Agreement,
    pub requests: [Option<Requests>; 2],
}

pub async fn prepare(
    options: &RunOptions,
    workload: &dyn Workload,
    ours: &Side,
    peer: Option<&Side>,
) -> Result<Vec<Prepared>, Error> {
    // Solr scores by the statistics of each shard, so that scores of one shard and of two differ.
    let same_statistics = match peer {
        Some(peer) => ours.shards().await == peer.shards().await,
        None => true,
    };
    let mut prepared = Vec::new();
    for mut case in workload.cases().into_iter().filter(|case| options.wants(&case.name)) {
        if !options.cached {
            case.questions = case.questions.into_iter().map(Question::uncached).collect();
        }
        prepared.push(one(case, ours, peer, same_statistics).await?);
    }
    Ok(prepared)
}

async fn one(case: Case, ours: &Side, peer: Option<&Side>, same_statistics: bool) -> Result<Prepared, Error> {
    let asked = case.questions.len().min(COMPARED_MAX);
    let mut hits = None;
    let order = if same_statistics || case.order != Order::Score { case.order } else { Order::Any };
    let mut agreement = Agreement::Equal { questions: asked, hits: order == case.order };
    for question in &case.questions[..asked] {
        let (our, their) = match both(case.handler, question, ours, peer).await? {
            Ok(answers) => answers,
            Err(reason) => return Ok(Prepared::Skipped(Skipped { case: case.name, reason })),
        };
        hits = hits.or(compare::hits(&our));
        if let Err(reason) = check(question, order, &our, their.as_ref()) {
            agreement = Agreement::Void { reason };
            break;
        }
    }
    let requests = [Some(ours), peer].map(|side| {
        let questions = case.questions.iter().map(|question| question.params.as_slice());
        side.map(|side| {
            Requests::get(side.url(), &format!("{}/{}", side.collection, case.handler), questions)
        })
    });
    Ok(Prepared::Ready(Box::new(Ready { case, hits, agreement, requests })))
}

/// Both answers, or why one side refuses the question: an answer of 400 says that it is not supported there.
async fn both(
    handler: &str,
    question: &Question,
    ours: &Side,
    peer: Option<&Side>,
) -> Result<Result<(Value, Option<Value>), String>, Error> {
    let mut answers = [None, None];
    for (answer, (whose, side)) in answers.iter_mut().zip([("ours", Some(ours)), ("the peer", peer)]) {
        let Some(side) = side else { continue };
        match side.ask(handler, &question.params).await {
            Ok(value) => *answer = Some(value),
            Err(ClientError::Status { status: 400 | 501, message }) => {
                return Ok(Err(format!("{whose} does not answer it: {message}")));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let [ours, peer] = answers;
    Ok(Ok((ours.unwrap_or_default(), peer)))
}

fn check(question: &Question, order: Order, ours: &Value, peer: Option<&Value>) -> Result<(), String> {
    compare::against_generator(question, ours)?;
    let Some(peer) = peer else { return Ok(()) };
    compare::against_generator(question, peer).map_err(|reason| format!("the peer {reason}"))?;
    compare::against_peer(question, order, ours, peer)
}
