//! One cause a test: the process is in trouble, and the sentence says in which.

use doctor::verdict::{Cause, Standing};
use rustix::process::Signal;

use super::fixtures;
use super::planting::Planted;

fn check_sentence(sentence: &str, words: &[&str]) {
    for word in words {
        assert!(sentence.contains(word), "`{word}` is not in `{sentence}`");
    }
}

fn own_pid() -> i32 {
    std::process::id().cast_signed()
}

#[test]
fn a_pipe_that_nobody_can_write_to() {
    let found = fixtures::pipe_own().eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    check_sentence(&found.verdict.sentence, &["nobody will ever write"]);
}

#[test]
fn a_pipe_whose_writer_is_silent() {
    let fixture = fixtures::pipe_silent();
    let found = fixture.eventually();
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(own_pid()));
    check_sentence(&found.verdict.sentence, &["(fd 0)", &format!("(pid {})", own_pid()), "does not write"]);
}

#[test]
fn a_pipe_whose_reader_is_silent() {
    let fixture = fixtures::pipe_full();
    check_sentence(&fixture.eventually().verdict.sentence, &["(fd 1)", "does not read"]);
}

fn a_third_holds(kind: &str, words: &str) {
    let fixture = fixtures::file_lock(kind);
    let holder = fixture.held[0].downcast_ref::<Planted>().expect("its holder").pid();
    let found = fixture.eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(holder));
    let words = [words, &fixture.place, &format!("(pid {holder}) has it")];
    check_sentence(&found.verdict.sentence, &words);
}

#[test]
fn a_lock_that_a_third_holds() {
    a_third_holds("lock", "exclusive flock lock on");
    a_third_holds("record-lock", "exclusive fcntl lock on");
}

#[test]
fn a_peer_that_owes_an_answer() {
    let fixture = fixtures::answer_owed();
    let found = fixture.eventually();
    let connection = format!("for {} (fd ", fixture.place);
    // Which number, depends on what whoever runs the tests has open.
    let words = [connection.as_str(), ", ESTABLISHED, nothing queued", "the peer owes an answer"];
    check_sentence(&found.verdict.sentence, &words);
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(own_pid()));
}

#[test]
fn a_peer_that_spoke_last() {
    let fixture = fixtures::next_message();
    assert_eq!(fixture.eventually().verdict.standing, Standing::Fine);
}

#[test]
fn a_peer_that_does_not_read() {
    let fixture = fixtures::send_blocked();
    let found = fixture.eventually();
    check_sentence(&found.verdict.sentence, &["room to send to", "MiB to send", "the peer does not read"]);
}

#[test]
fn a_unix_peer_that_owes_an_answer() {
    let fixture = fixtures::local_answer();
    let found = fixture.eventually();
    assert_eq!(found.verdict.blames.as_ref().map(|label| label.pid), Some(own_pid()));
    check_sentence(&found.verdict.sentence, &[&fixture.place]);
}

#[test]
fn threads_that_wait_for_one_another() {
    let found = fixtures::deadlock().eventually();
    assert_eq!(found.verdict.standing, Standing::Stuck);
    check_sentence(&found.verdict.sentence, &["2 threads owe one another", "nobody is left to wake them"]);
}

#[test]
fn mutexes_that_name_their_owners() {
    let fixture = fixtures::mutexes();
    let main = format!("{0} (mutexes) → ", fixture.planted.pid());
    check_sentence(&fixture.eventually().verdict.sentence, &["they wait for one another", &main]);
}

#[test]
fn a_stopped_process_goes_on_when_told() {
    let fixture = fixtures::stopped();
    assert_eq!(fixture.eventually().verdict.standing, Standing::Stuck);
    fixture.planted.signal(Signal::CONT);
    assert_eq!(fixture.planted.eventually(Cause::Sleeps).verdict.standing, Standing::Fine);
}

#[test]
fn a_busy_loop_is_not_stuck() {
    let found = Planted::start("busy", "").eventually(Cause::Busy);
    assert_eq!(found.verdict.standing, Standing::Fine);
    check_sentence(&found.verdict.sentence, &["is not stuck: it works"]);
}

#[test]
fn a_parent_in_state_d() {
    let found = fixtures::vfork().eventually();
    assert_eq!(found.facts.threads[0].state, doctor::facts::ThreadState::Uninterruptible);
}

#[test]
fn a_dead_child_is_its_parents_affair() {
    fixtures::dead().eventually();
}
