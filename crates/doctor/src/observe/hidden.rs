//! What of a machine's processes is hidden from whoever looks: those outside of a container, and other users'
//! where `/proc` is mounted so. A list of processes that stand still says nothing of those. For `doctor stuck
//! --all`, the one question whose answer ("nobody is stuck") would otherwise be believed of what was never
//! seen.

use std::fs::{read_link, read_to_string};

/// The process namespace that a machine starts with has this number in every kernel (`PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// One line each, with how to see them.
pub fn hidden_processes() -> Vec<String> {
    let namespace = read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    // Nothing is hidden from root by a mount.
    let is_root = rustix::process::geteuid().is_root();
    let mounts =
        if is_root { String::new() } else { read_to_string("/proc/self/mountinfo").unwrap_or_default() };
    in_words(namespace.ok().as_deref(), &mounts)
}

fn in_words(namespace: Option<&str>, mounts: &str) -> Vec<String> {
    let mut hidden = Vec::new();
    if namespace.is_some_and(|namespace| namespace != FIRST_NAMESPACE) {
        hidden.push(
            "processes outside of this container, peers among them; run it on the host, or the container with \
             --pid=host",
        );
    }
    if mounts.lines().any(hides) {
        hidden.push("other users' processes: /proc is mounted with hidepid; run as root");
    }
    hidden.into_iter().map(str::to_owned).collect()
}

/// `24 1 0:22 / /proc rw - proc proc rw,hidepid=2`.
fn hides(mount: &str) -> bool {
    let options = mount.split_once(" - proc ").and_then(|(_, rest)| rest.split_once(' ')).map(|(_, it)| it);
    let hidden = options.and_then(|options| options.split(',').find_map(|it| it.strip_prefix("hidepid=")));
    hidden.is_some_and(|how| !matches!(how, "0" | "off"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_and_mounts_that_hide_are_told() {
        let count = |namespace: &str, mounts: &str| in_words(Some(namespace), mounts).len();
        let open = "24 1 0:22 / /proc rw - proc proc rw\n25 1 0:5 / /dev rw - devtmpfs hidepid=2 rw\n";
        assert_eq!(count(FIRST_NAMESPACE, open), 0);
        assert_eq!(count("pid:[4026532290]", open), 1);
        for (option, expected) in
            [("hidepid=2", 1), ("hidepid=invisible", 1), ("hidepid=off", 0), ("gid=7", 0)]
        {
            let mounts = format!("24 1 0:22 / /proc rw - proc proc rw,{option}\n");
            assert_eq!(count(FIRST_NAMESPACE, &mounts), expected, "{option}");
        }
        assert_eq!(in_words(None, "x - proc \n - proc"), [""; 0]);
    }
}
