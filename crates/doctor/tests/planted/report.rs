//! The field report of 2012 replayed whole (Leonard, "Troubleshooting stuck processes"): a nightly batch has hung since the
//! evening. Its log is silent, it writes to a file on a mount, its parent waits for it, and a database owes it an answer. An
//! afternoon with ps, strace, lsof and /proc/net/tcp found that; here it is one sentence.

use std::fs::File;
use std::net::TcpListener;
use std::time::{Duration, Instant, SystemTime};

use doctor::verdict::{Cause, Standing};

use super::planting::{Planted, eventually, look};

#[test]
#[allow(clippy::disallowed_methods, reason = "the log is made sixteen hours old by the clock of the machine")]
fn the_report_is_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let (log, out) = (folder.path().join("batch.log"), folder.path().join("out.csv"));
    File::create(&out).unwrap();
    let silent = File::create(&log).unwrap();
    silent.set_modified(SystemTime::now() - Duration::from_secs(16 * 3600)).unwrap();
    let database = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = database.local_addr().unwrap();

    let what = format!("ask-with-log:{address},{},{}", log.display(), out.display());
    let parent = Planted::start("parent", &what);
    let _owes_an_answer = database.accept().unwrap();
    let batch = parent.eventually(Cause::ChildWait).verdict.blames.expect("it waits for its child").pid;
    eventually(batch, Cause::AnswerOwed);

    let began = Instant::now();
    let found = look(parent.pid());
    // The bound is of the product (two seconds); what is measured here is some 0.2.
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());

    assert_eq!((found.verdict.cause, found.verdict.standing), (Cause::ChildWait, Standing::Stuck));
    let reason = found.verdict.reason.as_ref().expect("the child was looked at");
    assert_eq!((reason.cause, reason.process.pid), (Cause::AnswerOwed, batch));
    let words = [
        "for its child doctor-plant",
        &format!("for {address} (fd"),
        "ESTABLISHED, nothing queued",
        "the peer owes an answer",
    ];
    for word in words {
        assert!(found.verdict.sentence.contains(word), "`{word}` is not in `{}`", found.verdict.sentence);
    }
    let silence = format!("{} has been silent for 16 h", log.display());
    assert!(reason.evidence.contains(&silence), "{:?}", reason.evidence);
    assert_eq!(look(batch).facts.parent.map(|label| label.pid), Some(parent.pid()));
}
