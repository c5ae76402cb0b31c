//! Where the time of one request went: phase by phase, how long it took, how much of that it waited, and what
//! the threads that worked on it used. Made where the request comes in, passed along beside its plan, shown
//! by whoever works on it; the figures are plain data when they are asked for. One that nobody asked for
//! costs a branch.
//!
//! Reading a thread's usage costs a few system calls, about 2 µs on Linux. A slow log has to read before it
//! knows, so its traces allow readings to be a little old (`grain_ns`): what a thread did within that time
//! may be told of a neighbouring phase, or of another request. A trace that was asked for
//! ([`Trace::be_exact`]) reads at each step.
//!
//! Each stretch that ends passes a static probe (`parhelion:phase`, docs/probes.md), for whoever looks at
//! the process from outside; while nobody does it is a call that does nothing.

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::Clock;
use crate::usage::Usage;

/// A stretch of the way of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The client sends its request.
    Read,
    /// Its turn has not come: too many others are worked for.
    Admission,
    /// Parameters and body are made into a plan or a batch.
    Prepare,
    /// No thread has taken it up yet.
    Thread,
    /// Matching, scoring, sorting, grouping.
    Query,
    /// Counting over all hits.
    Facet,
    /// The same for trees of facets.
    FacetModule,
    Stats,
    /// Loading what the page shows, explaining it.
    Fetch,
    Highlight,
    Spell,
    Suggest,
    /// Documents of an update are analysed and encoded.
    Analyse,
    /// They are checked, given to the log, and indexed.
    Index,
    /// The log is being made durable.
    Sync,
    /// A refresh or flush that the request asked for, or that was due.
    Commit,
    /// What an administrative request asks for is done, or waited for.
    Admin,
    /// The answer is written and packed.
    Write,
}

impl Phase {
    /// As debug output and the slow log name it.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Read => "read",
            Phase::Admission => "admission",
            Phase::Prepare => "prepare",
            Phase::Thread => "thread",
            Phase::Query => "query",
            Phase::Facet => "facet",
            Phase::FacetModule => "facet_module",
            Phase::Stats => "stats",
            Phase::Fetch => "fetch",
            Phase::Highlight => "highlight",
            Phase::Spell => "spellcheck",
            Phase::Suggest => "suggest",
            Phase::Analyse => "analyse",
            Phase::Index => "index",
            Phase::Sync => "sync",
            Phase::Commit => "commit",
            Phase::Admin => "admin",
            Phase::Write => "write",
        }
    }
}

/// What a phase took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseFigures {
    pub wall_ns: u64,
    /// Of it, the time in queues and for locks.
    pub wait_ns: u64,
    /// Of the threads that worked on it.
    pub usage: Usage,
}

/// What is known of a request at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traced {
    /// Since it came in.
    pub wall_ns: u64,
    /// In the order in which they began.
    pub phases: Vec<(Phase, PhaseFigures)>,
    /// Documents found, of a search.
    pub hits: Option<u64>,
    /// Operations of an update.
    pub operations: Option<u64>,
    /// Of the time between phases, that in which the thread that went on with it could run and no processor
    /// was free.
    pub between_queue_ns: u64,
    /// How long the object store took for what an update waited for, the longest of its waits; `None` where
    /// the log lies on a disk of this machine.
    pub store_ns: Option<u64>,
}

impl Traced {
    /// All phases together.
    pub fn total(&self) -> PhaseFigures {
        self.phases.iter().fold(PhaseFigures::default(), |sum, (_, one)| PhaseFigures {
            wall_ns: sum.wall_ns + one.wall_ns,
            wait_ns: sum.wait_ns + one.wait_ns,
            usage: sum.usage.plus(&one.usage),
        })
    }

    /// Time that no phase accounts for: the way between threads, mostly.
    pub fn between_ns(&self) -> u64 {
        self.wall_ns.saturating_sub(self.total().wall_ns)
    }
}

/// The account of one request. Clones share it; the default keeps none.
#[derive(Clone, Default)]
pub struct Trace(Option<Arc<Recorder>>);

/// A search passes seven.
const PHASES_EXPECTED: usize = 8;

struct Recorder {
    clock: Arc<dyn Clock>,
    began_ns: u64,
    /// How old a reading of a thread's usage may be.
    grain_ns: AtomicU64,
    account: Mutex<Account>,
}

/// One thread at a time works on a request, so that there is one place that it is at.
#[derive(Default)]
struct Account {
    traced: Traced,
    now_in: Option<Phase>,
    /// When `now_in` was entered, or gone on with; where that is none, when the last phase or wait ended.
    at_ns: u64,
    /// Of the thread that did.
    usage: Option<Usage>,
}

impl Trace {
    /// Begins now. `grain_ns` is how old a reading of usage may be.
    pub fn new(clock: Arc<dyn Clock>, grain_ns: u64) -> Self {
        let began_ns = clock.now_ns();
        let traced = Traced { phases: Vec::with_capacity(PHASES_EXPECTED), ..Traced::default() };
        let account = Mutex::new(Account { traced, at_ns: began_ns, ..Account::default() });
        let grain_ns = AtomicU64::new(grain_ns);
        Self(Some(Arc::new(Recorder { clock, began_ns, grain_ns, account })))
    }

    /// Whether anything is kept.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// From now on each step reads anew.
    pub fn be_exact(&self) {
        if let Some(recorder) = &self.0 {
            recorder.grain_ns.store(0, Ordering::Relaxed);
        }
    }

    /// Work of a phase on the thread at hand, until what is returned is dropped, which must be on the same
    /// thread. A phase within another interrupts it.
    #[inline]
    pub fn enter(&self, phase: Phase) -> Span<'_> {
        let within = self.0.as_deref().map(|recorder| (recorder, recorder.switch(Some(phase))));
        Span { within, here: PhantomData }
    }

    /// A wait that may begin on one thread and end on another: when what is returned is dropped.
    #[inline]
    pub fn wait(&self, phase: Phase) -> Wait {
        Wait(self.0.as_ref().map(|recorder| (recorder.clone(), phase, recorder.clock.now_ns())))
    }

    /// Work of a phase that gives its thread back whenever it has to wait, and may go on upon another. While
    /// it has none, the phase waits; no other may be entered then.
    pub async fn during<T>(&self, phase: Phase, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        let mut waiting = None;
        poll_fn(|context| {
            drop(waiting.take());
            let polled = {
                let _working = self.enter(phase);
                work.as_mut().poll(context)
            };
            waiting = polled.is_pending().then(|| self.wait(phase));
            polled
        })
        .await
    }

    /// Waits for something, a lock mostly, within the phase that the request is in.
    #[inline]
    pub fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        let Some(recorder) = &self.0 else { return wait() };
        let began_ns = recorder.clock.now_ns();
        let gained = wait();
        let waited_ns = recorder.clock.now_ns().saturating_sub(began_ns);
        let mut account = recorder.account();
        if let Some(phase) = account.now_in {
            account.traced.figures(phase).wait_ns += waited_ns;
        }
        gained
    }

    /// How many hits there were. What a search asks after the first is only in its service.
    pub fn found(&self, hits: u64) {
        self.tell(|traced| traced.hits = traced.hits.or(Some(hits)));
    }

    /// Documents found so far by a search; `None` where there was none, or nothing is kept.
    pub fn hits(&self) -> Option<u64> {
        self.0.as_ref()?.account().traced.hits
    }

    /// An update has this many operations more: a long body comes in pieces.
    pub fn takes(&self, operations: usize) {
        self.tell(|traced| {
            traced.operations = Some(traced.operations.unwrap_or(0).saturating_add(operations as u64));
        });
    }

    /// The log that was waited for lies in an object store, which took this long.
    pub fn store_took(&self, ns: u64) {
        self.tell(|traced| traced.store_ns = traced.store_ns.max(Some(ns)));
    }

    /// Nanoseconds since the request came in; `None` where nothing is kept.
    pub fn elapsed_ns(&self) -> Option<u64> {
        self.0.as_ref().map(|recorder| recorder.elapsed_ns())
    }

    /// What is known so far, phases that have not ended left out.
    pub fn traced(&self) -> Option<Traced> {
        let recorder = self.0.as_ref()?;
        Some(Traced { wall_ns: recorder.elapsed_ns(), ..recorder.account().traced.clone() })
    }

    fn tell(&self, tell: impl FnOnce(&mut Traced)) {
        if let Some(recorder) = &self.0 {
            tell(&mut recorder.account().traced);
        }
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Trace").field(&self.is_on()).finish()
    }
}

/// See [`Trace::enter`]. Stays on its thread.
#[must_use = "the phase lasts as long as this lives"]
pub struct Span<'a> {
    /// With the phase that goes on afterwards.
    within: Option<(&'a Recorder, Option<Phase>)>,
    here: PhantomData<*const ()>,
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        if let Some((recorder, before)) = self.within {
            recorder.switch(before);
        }
    }
}

/// See [`Trace::wait`].
#[must_use = "the wait lasts as long as this lives"]
pub struct Wait(Option<(Arc<Recorder>, Phase, u64)>);

impl Drop for Wait {
    fn drop(&mut self) {
        let Some((recorder, phase, began_ns)) = &self.0 else { return };
        let now_ns = recorder.clock.now_ns();
        let waited_ns = now_ns.saturating_sub(*began_ns);
        // What a client or a disk is waited for is theirs, whatever this thread did meanwhile.
        let queued_ns = if *phase == Phase::Thread { recorder.queued_ns(waited_ns) } else { None };
        let mut account = recorder.account();
        let figures = account.traced.figures(*phase);
        figures.wall_ns += waited_ns;
        figures.wait_ns += waited_ns - queued_ns.unwrap_or(0);
        figures.usage = figures.usage.plus(&Usage { run_queue_ns: queued_ns, ..Usage::default() });
        if account.now_in.is_none() {
            account.at_ns = now_ns;
        }
        drop(account);
        probe_phase(recorder, *phase, waited_ns);
    }
}

impl Recorder {
    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn elapsed_ns(&self) -> u64 {
        self.clock.now_ns().saturating_sub(self.began_ns)
    }

    /// Of a stretch that ends on the thread at hand, which was not at work on the request: how long that
    /// thread waited for a processor. It may have waited before the stretch began, for work that nobody
    /// traced: the stretch is the bound. What is shorter than readings may be old is not looked at.
    fn queued_ns(&self, stretch_ns: u64) -> Option<u64> {
        if stretch_ns < self.grain_ns.load(Ordering::Relaxed).max(1) {
            return None;
        }
        self.clock.thread_queued_ns().map(|ns| ns.min(stretch_ns))
    }

    /// Ends the stretch of the phase at hand and begins one of `next`; gives the phase that was at hand.
    fn switch(&self, next: Option<Phase>) -> Option<Phase> {
        let mut account = self.account();
        let Account { traced, now_in, at_ns: then_ns, usage: used } = &mut *account;
        let come_ns = self.clock.now_ns();
        if now_in.is_none() {
            // Before the reading below, which would be the last one.
            traced.between_queue_ns += self.queued_ns(come_ns.saturating_sub(*then_ns)).unwrap_or(0);
        }
        let not_before_ns = come_ns.saturating_sub(self.grain_ns.load(Ordering::Relaxed));
        let usage = self.clock.thread_usage(not_before_ns);
        // Afterwards: a thread that loses its processor mostly does so in a system call, such as those of the
        // reading.
        let at_ns = self.clock.now_ns();
        if let Some(phase) = *now_in {
            let wall_ns = at_ns.saturating_sub(*then_ns);
            probe_phase(self, phase, wall_ns);
            let figures = traced.figures(phase);
            figures.wall_ns += wall_ns;
            if let (Some(now), Some(then)) = (&usage, &*used) {
                figures.usage = figures.usage.plus(&now.since(then));
            }
        }
        (*then_ns, *used) = (at_ns, usage);
        std::mem::replace(now_in, next)
    }
}

/// The request is known by where its account lies, which is nobody else's as long as it lives. Not in
/// line: of copies that the linker throws away notes of probes at no address would stay.
#[inline(never)]
fn probe_phase(request: &Recorder, phase: Phase, wall_ns: u64) {
    let name = phase.name();
    let request: *const Recorder = request;
    probe::probe!(parhelion, phase, name.as_ptr(), name.len(), wall_ns, request);
}

impl Traced {
    fn figures(&mut self, phase: Phase) -> &mut PhaseFigures {
        let at = self.phases.iter().position(|(known, _)| *known == phase);
        let at = at.unwrap_or_else(|| {
            self.phases.push((phase, PhaseFigures::default()));
            self.phases.len() - 1
        });
        &mut self.phases[at].1
    }
}

#[cfg(test)]
mod tests;
