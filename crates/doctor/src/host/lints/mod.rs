//! From facts of a host to findings. Pure: each lint is one function of the facts, silent where its fact is
//! absent. A finding says what was measured, why it matters, and the command that mends it. Facts are
//! gathered beside (`host/`), printed by `render`.

use super::facts::{
    HostFacts, JavaProcess, LimitKind, NearLimit, ParhelionProcess, ServerState, SyncTimes, ZooKeeperFacts,
};
use super::{HostFinding, Sure, finding};
use crate::verdict::words::{bytes, duration};

/// All that there is to say, the surest first.
pub fn lint(facts: &HostFacts) -> Vec<HostFinding> {
    let single: [fn(&HostFacts) -> Option<HostFinding>; 15] = [
        swap,
        open_files,
        memory_maps,
        threads,
        huge_pages,
        clock,
        clock_skew,
        entropy,
        keepalive,
        ports,
        disk,
        group_memory,
        numa,
        address_families,
        close_wait,
    ];
    let mut found: Vec<HostFinding> = single.iter().filter_map(|lint| lint(facts)).collect();
    found.extend(facts.near_limits.iter().map(near_limit));
    found.extend(facts.java.iter().filter_map(heap));
    found.extend(facts.parhelion.iter().filter_map(own_memory));
    found.extend(facts.zookeeper.iter().flat_map(|server| zookeeper(server, facts)));
    found.extend(zookeeper_processes(facts));
    found.sort_by_key(|finding| finding.sure);
    found
}

fn swap(facts: &HostFacts) -> Option<HostFinding> {
    let (size, used) = (facts.swap_bytes.filter(|size| *size > 0)?, facts.swap_used_bytes.unwrap_or(0));
    let swappiness = facts.swappiness.unwrap_or(60);
    let measured = format!("{} of {} swap in use, swappiness {swappiness}", bytes(used), bytes(size));
    let why = "a heap or an index that is swapped out answers in seconds instead of milliseconds";
    let mend = "sysctl -w vm.swappiness=1   # or: swapoff -a";
    match (used, swappiness) {
        (1.., _) => Some(finding("swap-used", Sure::Certain, measured, why, mend)),
        (0, 11..) => Some(finding("swappiness", Sure::Hint, measured, why, mend)),
        _ => None,
    }
}

fn open_files(facts: &HostFacts) -> Option<HostFinding> {
    let (soft, hard) = facts.files_max.filter(|(soft, _)| *soft < 65_536)?;
    let why = "each connection and each index file is an open file; at the limit accepts and merges fail";
    let mend = "ulimit -n 65536   # for good: LimitNOFILE=65536 in the unit, or /etc/security/limits.conf";
    Some(finding("open-files", Sure::Likely, format!("at most {soft} open files ({hard} hard)"), why, mend))
}

fn memory_maps(facts: &HostFacts) -> Option<HostFinding> {
    let maps = facts.maps_max.filter(|maps| *maps < 262_144)?;
    let why = "index files are mapped into memory; with many segments mappings run out and opening fails";
    let mend = "sysctl -w vm.max_map_count=262144";
    Some(finding("memory-maps", Sure::Hint, format!("vm.max_map_count is {maps}"), why, mend))
}

fn near_limit(near: &NearLimit) -> HostFinding {
    let NearLimit { process, kind, used, most } = near;
    let (name, what, why, mend) = match kind {
        LimitKind::OpenFiles => (
            "open-files",
            "open files",
            "at the limit accepts, logs and merges fail with `Too many open files`",
            format!(
                "prlimit --pid {} --nofile=65536   # for good: LimitNOFILE=65536 in the unit; ls -l /proc/{0}/fd says what they are",
                process.pid
            ),
        ),
        LimitKind::MemoryMaps => (
            "memory-maps",
            "mappings of memory",
            "at the limit opening an index file fails, and a JVM ends with OutOfMemoryError: Map failed",
            "sysctl -w vm.max_map_count=262144".to_owned(),
        ),
    };
    finding(name, Sure::Certain, format!("{process} has {used} of {most} {what}"), why, &mend)
}

fn threads(facts: &HostFacts) -> Option<HostFinding> {
    let machine =
        facts.threads.zip(facts.threads_max).map(|(now, most)| (now, most, "", "kernel.threads-max"));
    let group =
        facts.cgroup_threads.map(|(now, most)| (now, most, " of this cgroup", "the group's pids.max"));
    let limits = [group, machine].into_iter().flatten();
    let near = limits.filter(|(threads, most, ..)| threads.saturating_mul(10) > most.saturating_mul(8));
    near.take(1).next().map(|(threads, most, whose, limit)| {
        let why = "at the limit no process can start a thread: JVMs die with OutOfMemoryError";
        let mend = format!(
            "ps -eLf | awk '{{print $2}}' | sort | uniq -c | sort -n | tail   # who has them; then {limit}"
        );
        finding("threads", Sure::Certain, format!("{threads} of {most} threads{whose}"), why, &mend)
    })
}

fn huge_pages(facts: &HostFacts) -> Option<HostFinding> {
    let chosen = facts.huge_pages.as_deref().filter(|chosen| *chosen == "always")?;
    let why = "memory grows by 2 MiB at a touch, and its compaction stops threads now and then";
    let mend = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    Some(finding("huge-pages", Sure::Hint, format!("transparent huge pages: {chosen}"), why, mend))
}

fn clock(facts: &HostFacts) -> Option<HostFinding> {
    let (source, nanos) = (facts.clock_source.as_deref()?, facts.clock_read_ns?);
    (nanos > 500).then(|| {
        let why = "servers read the clock several times a request; without the vDSO each is a system call";
        let mend = "cat /sys/devices/system/clocksource/clocksource0/available_clocksource   # choose tsc or kvm-clock";
        finding("clock", Sure::Certain, format!("one reading of the clock ({source}) takes {nanos} ns"), why, mend)
    })
}

/// A tenth of a second confuses logs that are read side by side; a second is more than any synchronized clock
/// is off.
fn clock_skew(facts: &HostFacts) -> Option<HostFinding> {
    let offset = facts.clock_offset.as_ref()?;
    let certain_ms = offset.ahead_ms.unsigned_abs().saturating_sub(offset.delay_ms / 2);
    let sure = match certain_ms {
        1000.. => Sure::Certain,
        100.. => Sure::Likely,
        _ => return None,
    };
    let direction = if offset.ahead_ms > 0 { "ahead of" } else { "behind" };
    let measured = format!(
        "the clock is {} {direction} that of {} (asked in {} ms)",
        duration(offset.ahead_ms.unsigned_abs()),
        offset.server,
        offset.delay_ms
    );
    let why = "Solr's nodes refuse one another's signed requests when their clocks differ by seconds (pkiauth.ttl); NOW in \
               queries, expiry of documents, certificates and logs go by it";
    let mend = "timedatectl set-ntp true   # or: chronyc makestep; in a virtual machine, its host's clock";
    Some(finding("clock-skew", sure, measured, why, mend))
}

/// Since 5.18 the pool is never empty once it was filled, and the figure is always 256.
fn entropy(facts: &HostFacts) -> Option<HostFinding> {
    let bits = facts.entropy_bits.filter(|bits| *bits < 200)?;
    facts.kernel.filter(|kernel| *kernel < (5, 18))?;
    let why = "Java's SecureRandom and TLS handshakes wait for /dev/random on kernels before 5.18";
    Some(finding(
        "entropy",
        Sure::Likely,
        format!("{bits} bits of entropy"),
        why,
        "apt-get install rng-tools5",
    ))
}

fn keepalive(facts: &HostFacts) -> Option<HostFinding> {
    let seconds = facts.keepalive_seconds.filter(|seconds| *seconds > 350)?;
    let measured =
        format!("the first TCP keepalive probe goes out after {}", duration(seconds.saturating_mul(1000)));
    let why = "load balancers and firewalls forget idle connections sooner (350 s and 60 s are common): who then waits for \
               an answer waits for ever";
    Some(finding("keepalive", Sure::Hint, measured, why, "sysctl -w net.ipv4.tcp_keepalive_time=50"))
}

fn ports(facts: &HostFacts) -> Option<HostFinding> {
    let (low, high) = facts.ports?;
    let all = u64::from(high.saturating_sub(low)) + 1;
    let (used, peer) = facts.ports_used.as_ref()?;
    (used.saturating_mul(10) > all * 7).then(|| {
        let why = "each connection to one peer takes a local port, also for a minute after its end: then connects fail";
        let mend = "keep connections alive in the client; sysctl -w net.ipv4.ip_local_port_range='10240 65535'";
        finding("ports", Sure::Certain, format!("{used} of {all} local ports are in use towards {peer}"), why, mend)
    })
}

fn close_wait(facts: &HostFacts) -> Option<HostFinding> {
    let (process, before, after) =
        facts.close_wait.iter().max_by_key(|(_, before, after)| (after > before, *after))?;
    let sure = match (after > before, *after) {
        (true, 10..) => Sure::Certain,
        (_, 100..) => Sure::Likely,
        _ => return None,
    };
    let measured = format!("{process} has {after} connections in CLOSE_WAIT, {before} a moment before");
    let why = "the peer hung up and the process does not close: a pool that does not look at idle connections leaks until its \
               files run out";
    Some(finding(
        "close-wait",
        sure,
        measured,
        why,
        "ss -tnp state close-wait   # then mend the client's pool: idle time-out below the server's",
    ))
}

fn address_families(facts: &HostFacts) -> Option<HostFinding> {
    let (port, family) = facts.family_mismatches.first()?;
    let measured =
        format!("port {port} listens on {family} only, and `localhost` means the other family first");
    let why =
        "clients try the other family first, wait or fail, and some (old Java, ZooKeeper's) try nothing else";
    let mend = "name 127.0.0.1 or ::1 in the client, or start Java with -Djava.net.preferIPv4Stack=true";
    Some(finding("address-family", Sure::Likely, measured, why, mend))
}

fn disk(facts: &HostFacts) -> Option<HostFinding> {
    let sync = facts.sync.as_ref().filter(|sync| sync.p99_us > 20_000)?;
    let why = "every acknowledged update waits for such a sync, and so does ZooKeeper for each of its writes";
    let mend = "iostat -x 1   # who else writes? then a local SSD, or a volume with more IOPS";
    Some(finding("disk-sync", Sure::Certain, sync_words(sync), why, mend))
}

fn sync_words(sync: &SyncTimes) -> String {
    let millis = |us: u64| us as f64 / 1e3;
    format!(
        "a sync in {} takes {:.1} ms (p50), {:.1} ms (p99), {:.1} ms at most, of {}",
        sync.folder,
        millis(sync.p50_us),
        millis(sync.p99_us),
        millis(sync.max_us),
        sync.count
    )
}

fn group_memory(facts: &HostFacts) -> Option<HostFinding> {
    let (group, machine) = (facts.cgroup_memory_bytes?, facts.memory_bytes?);
    (group < machine).then(|| {
        let measured = format!("this cgroup may have {} of the machine's {}", bytes(group), bytes(machine));
        let why =
            "caches and heaps that are sized by the machine end in the OOM killer; the page cache counts too";
        finding(
            "cgroup-memory",
            Sure::Hint,
            measured,
            why,
            "size heaps and `serve --memory-max` by the group's limit",
        )
    })
}

fn heap(java: &JavaProcess) -> Option<HostFinding> {
    let (heap, group) = (java.heap_max_bytes?, java.cgroup_memory_bytes?);
    // A JVM needs memory beside its heap: stacks, code, buffers.
    (heap.saturating_mul(10) > group.saturating_mul(8)).then(|| {
        let measured = format!(
            "{} (pid {}) may grow its heap to {} in a group of {}",
            java.name,
            java.pid,
            bytes(heap),
            bytes(group)
        );
        let why =
            "beside its heap a JVM needs a quarter more: the OOM killer ends it without a word in its log";
        finding(
            "java-heap",
            Sure::Likely,
            measured,
            why,
            "lower -Xmx to 75 % of the group's limit, or raise the limit",
        )
    })
}

/// What a server of ours may take by its own option against what its group lets it have.
fn own_memory(server: &ParhelionProcess) -> Option<HostFinding> {
    let (most, group) = (server.memory_max_bytes?, server.cgroup_memory_bytes?);
    (most > group).then(|| {
        let measured = format!(
            "parhelion (pid {}) refuses work from {} of memory on, in a group of {}",
            server.pid,
            bytes(most),
            bytes(group)
        );
        let why = "the OOM killer comes before its own limit: it ends instead of answering 429";
        let mend = "leave --memory-max out (it then goes by the group), or set it below the group's limit";
        finding("parhelion-memory", Sure::Likely, measured, why, mend)
    })
}

fn numa(facts: &HostFacts) -> Option<HostFinding> {
    let nodes = facts.numa_nodes.filter(|nodes| *nodes > 1)?;
    let reclaim = facts.zone_reclaim.filter(|mode| *mode > 0)?;
    let measured = format!("{nodes} NUMA nodes, vm.zone_reclaim_mode {reclaim}");
    let why = "the page cache of one node is thrown away while another has memory free";
    Some(finding("numa", Sure::Likely, measured, why, "sysctl -w vm.zone_reclaim_mode=0"))
}

fn zookeeper(server: &ZooKeeperFacts, facts: &HostFacts) -> Vec<HostFinding> {
    [followers(server, facts), quorum(server), connections(server), purge(server), session(server)]
        .into_iter()
        .flatten()
        .collect()
}

/// Each process once, however many servers were asked; none where nobody asked about ZooKeeper.
fn zookeeper_processes(facts: &HostFacts) -> Vec<HostFinding> {
    let is_server = |java: &&JavaProcess| {
        java.name.contains("QuorumPeerMain") || java.name.contains("ZooKeeperServerMain")
    };
    let servers = facts.java.iter().filter(|_| !facts.zookeeper.is_empty()).filter(is_server);
    servers.flat_map(server_process).collect()
}

/// The field report of a quorum lost to slow followers: four seconds were allowed, sixty would have done.
fn followers(server: &ZooKeeperFacts, facts: &HostFacts) -> Option<HostFinding> {
    // One server alone has no followers, whatever its file says.
    if server.state == Some(ServerState::Standalone) {
        return None;
    }
    let (tick, limit) = (server.tick_ms?, server.sync_limit?);
    let allowed = tick.saturating_mul(limit);
    let from_log = server.slow_syncs.map(|(_, longest)| (longest, "of its disk".to_owned()));
    // Its own disk need not be the one that was measured: the folder is named.
    let from_disk = facts.sync.as_ref().map(|sync| (sync.max_us / 1000, format!("in {}", sync.folder)));
    let (measured, place) = from_disk.into_iter().chain(from_log).max_by_key(|(ms, _)| *ms)?;
    let lost = server.not_enough_followers;
    if lost == 0 && measured.saturating_mul(2) < allowed {
        return None;
    }
    let fails = if lost > 0 {
        format!("; {lost} times its log says `Not sufficient followers synced`")
    } else {
        String::new()
    };
    let words = format!(
        "a follower may lag tickTime x syncLimit = {tick} ms x {limit} = {}, and a sync {place} took up to {}{fails}",
        duration(allowed),
        duration(measured)
    );
    let sure = if lost > 0 { Sure::Certain } else { Sure::Likely };
    let needed = measured.saturating_mul(4).max(60_000).div_ceil(tick.max(1));
    let mend = format!(
        "syncLimit={needed} and initLimit={needed} in zoo.cfg of {} (one server after the other), and a disk of its own for dataLogDir",
        server.server
    );
    let why = "a leader that loses its followers for longer gives up: no quorum, no updates, though nothing is down";
    Some(finding("zookeeper-sync-limit", sure, words, why, &mend))
}

fn quorum(server: &ZooKeeperFacts) -> Option<HostFinding> {
    let voters = server.voters.filter(|voters| voters % 2 == 0)?;
    let why = "an even number bears no more failures than one less, and one more must agree";
    let mend = "add a server, or make one an observer (`:observer`)";
    Some(finding("zookeeper-even", Sure::Certain, format!("{voters} servers vote"), why, mend))
}

fn connections(server: &ZooKeeperFacts) -> Option<HostFinding> {
    let most = server.client_connections_max.filter(|most| *most > 0)?;
    let now = server.connections.unwrap_or(0);
    (most < 60 || now.saturating_mul(10) > most.saturating_mul(8)).then(|| {
        let why = "the limit is for each client address: several nodes, and all clients behind one address, share it";
        let measured = format!("maxClientCnxns is {most}, {now} connections are open at {}", server.server);
        finding("zookeeper-connections", Sure::Likely, measured, why, "maxClientCnxns=200 in zoo.cfg")
    })
}

fn purge(server: &ZooKeeperFacts) -> Option<HostFinding> {
    server.purge_interval_hours.filter(|hours| *hours == 0)?;
    let why = "snapshots and logs are kept for ever: the disk fills up, and with it the quorum goes";
    let mend = "autopurge.purgeInterval=24 and autopurge.snapRetainCount=5 in zoo.cfg";
    Some(finding("zookeeper-purge", Sure::Certain, "autopurge.purgeInterval is 0".to_owned(), why, mend))
}

fn session(server: &ZooKeeperFacts) -> Option<HostFinding> {
    let (_, longest) = server.latency_ms?;
    let smallest = server.session_min_ms.or(server.tick_ms?.checked_mul(2))?;
    (longest.saturating_mul(2) > smallest).then(|| {
        let measured = format!(
            "a request took up to {} at {}, and sessions may be as short as {}",
            duration(longest),
            server.server,
            duration(smallest)
        );
        let why = "a client that hears nothing for its session's time has lost its locks and its liveness";
        finding(
            "zookeeper-sessions",
            Sure::Likely,
            measured,
            why,
            "raise the clients' session time-out (zkClientTimeout) to 30 s and more",
        )
    })
}

fn server_process(java: &JavaProcess) -> Vec<HostFinding> {
    let mut found = Vec::new();
    let who = format!("ZooKeeper (pid {})", java.pid);
    if java.heap_max_bytes.is_none() {
        let why = "without -Xmx the heap grows to a quarter of the machine, and a ZooKeeper that swaps loses its sessions";
        let measured = format!("{who} has no explicit heap");
        found.push(finding("zookeeper-heap", Sure::Likely, measured, why, "SERVER_JVMFLAGS=-Xmx1g"));
    }
    if !java.prefers_ipv4 {
        let why = "on hosts with both families its ports may be bound to the one that the others do not call";
        let measured = format!("{who} runs without -Djava.net.preferIPv4Stack=true");
        found.push(finding(
            "zookeeper-ipv4",
            Sure::Hint,
            measured,
            why,
            "SERVER_JVMFLAGS=\"-Djava.net.preferIPv4Stack=true\"",
        ));
    }
    found
}

#[cfg(test)]
mod tests;
