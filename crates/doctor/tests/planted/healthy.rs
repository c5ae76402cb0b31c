//! Fifty healthy processes of ten kinds, most of them real programs, with no patience at all: none may be
//! called stuck.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use doctor::verdict::Standing;
use doctor::{Diagnosis, Machine, diagnose_all};

use super::planting::{Planted, options};

const EACH: usize = 5;

/// Programs that every system has, at rest.
struct Program(Child);

impl Program {
    fn start(program: &str, arguments: &[&str]) -> Self {
        let command = &mut Command::new(program);
        let child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        Self(child.expect("every system has it"))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn no_healthy_process_is_called_stuck() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    std::fs::write(&log, "line\n").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (mut planted, mut programs, mut peers) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..EACH {
        let socket = folder.path().join(format!("socket{at}"));
        planted.extend(["sleep", "server", "pool", "busy"].map(|kind| Planted::start(kind, "")));
        planted.push(Planted::start("unix-server", socket.to_str().unwrap()));
        let listening = Planted::start_unready("listen-to", &address);
        let (mut peer, _) = listener.accept().unwrap();
        peer.read_exact(&mut [0; 10]).unwrap();
        peer.write_all(b"!").unwrap();
        peers.push(peer);
        planted.push(listening);
        programs.push(Program::start("sleep", &["3600"]));
        programs.push(Program::start("tail", &["-f", log.to_str().unwrap()]));
        // A filter whose writer has nothing to say, and a shell that waits for it.
        programs.push(Program::start("cat", &[]));
        programs.push(Program::start("sh", &["-c", "cat | cat; true"]));
    }
    let mut pids: Vec<i32> = planted.iter().map(Planted::pid).collect();
    pids.extend(programs.iter().map(|program| program.0.id().cast_signed()));
    assert_eq!(pids.len(), 50);

    let found = diagnose_all(&Machine::observe().unwrap(), &options());
    let ours: Vec<&Diagnosis> = found.iter().filter(|one| pids.contains(&one.facts.label.pid)).collect();
    assert_eq!(ours.len(), 50, "all were seen");
    let wrong = |one: &&&Diagnosis| one.verdict.standing == Standing::Stuck;
    let wrong: Vec<&str> = ours.iter().filter(wrong).map(|one| one.verdict.sentence.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
