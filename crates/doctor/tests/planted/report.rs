//! The field report of 2012 replayed whole (Leonard, "Troubleshooting stuck processes"): a nightly batch has
//! hung since the evening. Its log is silent, it writes to a file on a mount, its parent waits for it, and a
//! database owes it an answer. An afternoon with ps, strace, lsof and /proc/net/tcp found that; here it is
//! one sentence.

use std::fs::File;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use doctor::facts::{Descriptor, FileSystem, Resource};
use doctor::render::{self, Extent};
use doctor::verdict::{Cause, Standing};

use super::fixtures::Fixture;
use super::fuse::SilentFile;
use super::planting::{Planted, eventually, look};

/// The parent of the batch; the place is the address that owes the batch an answer, the first that is held
/// its log. What it writes to is on a mount whose server is silent by now, where this may mount.
#[allow(clippy::disallowed_methods, reason = "the log is made sixteen hours old by the clock of the machine")]
pub fn plant() -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mount = SilentFile::mount();
    let (log, out) = (folder.path().join("batch.log"), folder.path().join("out.csv"));
    File::create(&out).expect("a file");
    let out = mount.as_ref().map_or(out, |mount| mount.path.clone());
    let silent = File::create(&log).expect("a file");
    silent.set_modified(SystemTime::now() - Duration::from_secs(16 * 3600)).expect("it can be dated");
    let database = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = database.local_addr().expect("it is bound");
    let what = format!("ask-with-log:{address},{},{}", log.display(), out.display());
    let parent = Planted::start_unready("parent", &what);
    let owes_an_answer = database.accept().expect("it connects");
    if let Some(mount) = &mut mount {
        mount.answer_until_opened();
    }
    let fixture = Fixture::new(Cause::ChildWait, parent).at(&address);
    fixture.holding(log).holding(owes_an_answer).upon(mount).upon(folder)
}

#[test]
fn the_report_is_one_sentence() {
    let fixture = plant();
    let log = fixture.held[0].downcast_ref::<PathBuf>().expect("its log");
    let parent = fixture.planted.pid();
    let batch = fixture.eventually().verdict.blames.expect("it waits for its child").pid;
    eventually(batch, Cause::AnswerOwed);

    let began = Instant::now();
    let found = look(parent);
    // The bound is of the product (two seconds); what is measured here is some 0.2.
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());

    assert_eq!((found.verdict.cause, found.verdict.standing), (Cause::ChildWait, Standing::Stuck));
    let reason = found.verdict.reason.as_ref().expect("the child was looked at");
    assert_eq!((reason.cause, reason.process.pid), (Cause::AnswerOwed, batch));
    let words = [
        "for its child doctor-plant",
        &format!("for {} (fd", fixture.place),
        "ESTABLISHED, nothing queued",
        "the peer owes an answer",
    ];
    for word in words {
        assert!(found.verdict.sentence.contains(word), "`{word}` is not in `{}`", found.verdict.sentence);
    }
    let silence = format!("{} has been silent for 16 h", log.display());
    assert!(reason.evidence.contains(&silence), "{:?}", reason.evidence);
    let found = look(batch);
    assert_eq!(found.facts.parent.as_ref().map(|label| label.pid), Some(parent));
    let served = |file: &Descriptor| match &file.resource {
        Resource::File { file_system, .. } => file_system.as_ref().is_some_and(FileSystem::is_served),
        _ => false,
    };
    if fixture.ground.iter().any(|ground| matches!(ground.downcast_ref(), Some(None::<SilentFile>))) {
        return eprintln!("not tested: the file on a mount, for mounting FUSE needs root and /dev/fuse");
    }
    assert!(found.facts.files.iter().any(served), "{:?}", found.facts.files);
    let text = render::diagnosis(&found, Extent::Full);
    assert!(text.contains("on fuse.nfslike from filer:/export"), "{text}");
    // When that was written only its server knows, which is silent.
    let silences = found.verdict.evidence.iter().filter(|words| words.contains("has been silent"));
    assert_eq!(silences.collect::<Vec<_>>(), [&silence]);
}
