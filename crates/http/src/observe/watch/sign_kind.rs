//! What may be wrong with a shard, by name, and the next step of whoever reads of it. One list for all who
//! show signs, so that a name means the same for each; what makes a sign is `standstill.rs` and `disk.rs`. A
//! name stands in the log, in a metric and in `docs/doctor.md`, and has to be the same in all of them.

/// What may be wrong with a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SignKind {
    FlushStuck,
    MergeStalled,
    LockHeld,
    LogStuck,
    DiskSlow,
    FileDamaged,
    IndexWrong,
}

impl SignKind {
    pub const ALL: [Self; 7] = [
        Self::FlushStuck,
        Self::MergeStalled,
        Self::LockHeld,
        Self::LogStuck,
        Self::DiskSlow,
        Self::FileDamaged,
        Self::IndexWrong,
    ];

    /// For programs: in answers and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::FlushStuck => "flush-stuck",
            Self::MergeStalled => "merge-stalled",
            Self::LockHeld => "lock-held",
            Self::LogStuck => "log-stuck",
            Self::DiskSlow => "disk-slow",
            Self::FileDamaged => "file-damaged",
            Self::IndexWrong => "index-wrong",
        }
    }

    /// Of its figure in `/admin/metrics`.
    pub fn metric(self) -> &'static str {
        match self {
            Self::FlushStuck => "flushesStuck",
            Self::MergeStalled => "mergesStalled",
            Self::LockHeld => "locksHeld",
            Self::LogStuck => "logsStuck",
            Self::DiskSlow => "disksSlow",
            Self::FileDamaged => "filesDamaged",
            Self::IndexWrong => "indexesWrong",
        }
    }

    pub fn next_step(self) -> &'static str {
        match self {
            Self::FlushStuck | Self::LogStuck => {
                "`dmesg`, `iostat -x 1`, `df`: does the data folder's disk answer? `parhelion doctor stuck` says who waits for it"
            }
            Self::MergeStalled => {
                "`parhelion doctor slow` on this process: has it a processor, does its disk answer?"
            }
            Self::LockHeld => {
                "`parhelion doctor stuck --full` on this process; report it with what that says"
            }
            Self::DiskSlow => {
                "`iostat -x 1`: who else writes? `parhelion doctor host --data-dir DIR` measures the disk"
            }
            Self::FileDamaged => {
                "the log names the files; back up what can be read, then restore the collection from an earlier backup (`action=RESTORE`) or index it anew"
            }
            Self::IndexWrong => {
                "the log names segment, field and document; `parhelion store verify --sample` looks for more, and `parhelion store rebuild` makes the index anew of the documents"
            }
        }
    }
}

/// A kind of sign, how long it has lasted, and what was seen.
pub(super) type Seen = (SignKind, u64, String);

pub(super) fn seconds(ms: u64) -> String {
    if ms < 60_000 { format!("{:.1} s", ms as f64 / 1e3) } else { format!("{} min", ms / 60_000) }
}
