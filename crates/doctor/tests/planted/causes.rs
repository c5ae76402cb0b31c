//! One cause a test: the process is in trouble, and the sentence says in which.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use doctor::verdict::{Cause, Standing};
use rustix::process::Signal;

use super::planting::Planted;

fn check_sentence(sentence: &str, words: &[&str]) {
    for word in words {
        assert!(sentence.contains(word), "`{word}` is not in `{sentence}`");
    }
}

#[test]
fn a_pipe_that_nobody_can_write_to() {
    let found = Planted::start("pipe-own", "").eventually(Cause::PipeOwn);
    assert_eq!(found.verdict.standing, Standing::Stuck);
    check_sentence(&found.verdict.sentence, &["nobody will ever write"]);
}

#[test]
fn a_pipe_whose_writer_is_silent() {
    let planted = Planted::start("read-stdin", "");
    let found = planted.eventually(Cause::PipeSilent);
    let own = std::process::id().cast_signed();
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(own));
    check_sentence(&found.verdict.sentence, &["(fd 0)", &format!("(pid {own})"), "does not write"]);
}

#[test]
fn a_pipe_whose_reader_is_silent() {
    let planted = Planted::start("write-stdout", "");
    let found = planted.eventually(Cause::PipeFull);
    check_sentence(&found.verdict.sentence, &["(fd 1)", "does not read"]);
}

#[test]
fn a_lock_that_a_third_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let path = path.to_str().unwrap();
    let holder = Planted::start("lock", path);
    holder.eventually(Cause::Sleeps);
    let waiter = Planted::start("lock", path);
    let found = waiter.eventually(Cause::FileLock);
    assert_eq!(found.verdict.standing, Standing::Stuck);
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(holder.pid()));
    check_sentence(
        &found.verdict.sentence,
        &["exclusive flock lock on", path, &format!("(pid {}) has it", holder.pid())],
    );
}

#[test]
fn a_peer_that_owes_an_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let planted = Planted::start("ask", &address.to_string());
    let _silent = listener.accept().unwrap();
    let found = planted.eventually(Cause::AnswerOwed);
    let words = [&format!("for {address} (fd 3, ESTABLISHED, nothing queued"), "the peer owes an answer"];
    check_sentence(&found.verdict.sentence, &words.map(|word: &str| word));
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(std::process::id().cast_signed()));
}

#[test]
fn a_peer_that_spoke_last() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let planted = Planted::start_unready("listen-to", &listener.local_addr().unwrap().to_string());
    let (mut peer, _) = listener.accept().unwrap();
    peer.read_exact(&mut [0; 10]).unwrap();
    // The kernel counts in ticks: what falls into one has no order.
    std::thread::sleep(std::time::Duration::from_millis(20));
    peer.write_all(b"!").unwrap();
    let found = planted.eventually(Cause::NextMessage);
    assert_eq!(found.verdict.standing, Standing::Fine);
}

#[test]
fn a_peer_that_does_not_read() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let planted = Planted::start_unready("flood", &listener.local_addr().unwrap().to_string());
    let _silent = listener.accept().unwrap();
    let found = planted.eventually(Cause::SendBlocked);
    check_sentence(&found.verdict.sentence, &["room to send to", "MiB to send", "the peer does not read"]);
}

#[test]
fn a_unix_peer_that_owes_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let planted = Planted::start("ask-unix", path.to_str().unwrap());
    let _silent = listener.accept().unwrap();
    let found = planted.eventually(Cause::LocalAnswer);
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(std::process::id().cast_signed()));
    check_sentence(&found.verdict.sentence, &[path.to_str().unwrap()]);
}

#[test]
fn threads_that_wait_for_one_another() {
    let found = Planted::start("deadlock", "").eventually(Cause::Deadlock);
    assert_eq!(found.verdict.standing, Standing::Stuck);
    check_sentence(&found.verdict.sentence, &["2 threads owe one another", "nobody is left to wake them"]);
}

#[test]
fn mutexes_that_name_their_owners() {
    let planted = Planted::start_c("mutexes");
    let found = planted.eventually(Cause::Deadlock);
    let main = format!("{0} (mutexes) → ", planted.pid());
    check_sentence(&found.verdict.sentence, &["they wait for one another", &main]);
}

#[test]
fn a_stopped_process_goes_on_when_told() {
    let planted = Planted::start("sleep", "");
    planted.signal(Signal::STOP);
    let found = planted.eventually(Cause::Stopped);
    assert_eq!(found.verdict.standing, Standing::Stuck);
    planted.signal(Signal::CONT);
    assert_eq!(planted.eventually(Cause::Sleeps).verdict.standing, Standing::Fine);
}

#[test]
fn a_busy_loop_is_not_stuck() {
    let found = Planted::start("busy", "").eventually(Cause::Busy);
    assert_eq!(found.verdict.standing, Standing::Fine);
    check_sentence(&found.verdict.sentence, &["is not stuck: it works"]);
}

#[test]
fn a_parent_in_state_d() {
    let planted = Planted::start_c("vfork");
    let found = planted.eventually(Cause::ChildWait);
    assert_eq!(found.facts.threads[0].state, doctor::facts::ThreadState::Uninterruptible);
}

#[test]
fn a_dead_child_is_its_parents_affair() {
    let mut planted = Planted::start("read-stdin", "");
    drop(planted.stdin.take());
    planted.eventually(Cause::Dead);
}
