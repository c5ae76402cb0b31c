//! What members do in a rebuild of `rebuild_shards`: whoever runs it, whoever ends it instead, and whoever
//! opens shards behind it. In: a state; out: the next, or nothing where the step cannot be taken.

use super::*;

impl RebuildShards {
    pub(super) fn claim(&self, next: &mut State, at: u8) -> Option<()> {
        let (member, owners) = (&mut next.members[usize::from(at)], &mut next.owners);
        let is_busy = member.rebuild.is_some() || member.ending.is_some();
        if owners.lead != at || owners.rebuilding.is_some() || is_busy || next.rebuilds == self.rebuilds {
            return None;
        }
        next.rebuilds += 1;
        owners.version += 1;
        owners.rebuilding = Some(owners.shards.clone());
        owners.shards.fill(at);
        let rebuild = Rebuild {
            from: next.schema.1,
            to: next.rebuilds,
            owners: owners.version,
            before: None,
            is_lead_checked: false,
            stage: Stage::Claimed,
        };
        member.rebuild = Some(rebuild);
        Some(())
    }

    /// A step of a member's own rebuild.
    pub(super) fn step(&self, next: &mut State, action: &Action) -> Option<()> {
        match *action {
            Action::OpenOld(at) => self.open_old(next, at),
            Action::CheckOpened(at) => self.check_opened(next, at),
            Action::ReadBefore(at) => self.read_before(next, at),
            Action::CheckLead(at) => self.check_lead(next, at),
            Action::CopyRest(at) => self.copy_rest(next, at),
            Action::SendSchema(at) => {
                let rebuild = next.members[usize::from(at)].at_stage(Stage::Copied)?;
                rebuild.stage = Stage::Sent;
                next.sent[usize::from(rebuild.to)] = rebuild.before;
                Some(())
            }
            Action::Hear(at) => next.members[usize::from(at)].hear(),
            Action::TimeOut(at) => self.time_out(next, at),
            Action::GiveBack(at) => {
                let upon = next.members[usize::from(at)].at_stage(Stage::Ended)?.owners;
                next.owners.give_back(upon, self.rules.owners_by_compare_and_set);
                next.members[usize::from(at)].rebuild = None;
                Some(())
            }
            _ => None,
        }
    }

    fn open_old(&self, next: &mut State, at: u8) -> Option<()> {
        let member = &mut next.members[usize::from(at)];
        let rebuild = member.at_stage(Stage::Claimed)?;
        let (from, version) = (rebuild.from, rebuild.owners);
        let checks = self.rules.owners_are_checked_behind_the_fence;
        rebuild.stage = if checks { Stage::Fenced } else { Stage::Opened };
        member.shards.fill(if checks { Serving::Fenced(from, version) } else { Serving::Open(from) });
        next.homes[usize::from(from)].iter_mut().for_each(|home| home.owner = Some(at));
        Some(())
    }

    fn check_opened(&self, next: &mut State, at: u8) -> Option<()> {
        let member = &mut next.members[usize::from(at)];
        let rebuild = member.at_stage(Stage::Fenced)?;
        let by_version = self.rules.owners_are_checked_by_version;
        let is_own = next.owners.is_as(rebuild.owners, by_version, |it| it.lead == at);
        rebuild.stage = if is_own { Stage::Opened } else { Stage::Ended };
        let serving = if is_own { Serving::Open(rebuild.from) } else { Serving::Closed };
        member.shards.fill(serving);
        Some(())
    }

    fn read_before(&self, next: &mut State, at: u8) -> Option<()> {
        let rebuild = next.members[usize::from(at)].at_stage(Stage::Opened)?;
        let comes_behind = self.rules.the_lead_is_checked_before_the_copy
            && !self.rules.before_is_read_ahead_of_the_check
            && !rebuild.is_lead_checked;
        if rebuild.before.is_some() || comes_behind {
            return None;
        }
        rebuild.before = Some(next.schema.0);
        Some(())
    }

    fn check_lead(&self, next: &mut State, at: u8) -> Option<()> {
        let rebuild = next.members[usize::from(at)].at_stage(Stage::Opened)?;
        let is_early = rebuild.before.is_none() && self.rules.before_is_read_ahead_of_the_check;
        if rebuild.is_lead_checked || is_early {
            return None;
        }
        let by_version = self.rules.the_lead_is_checked_by_version;
        let is_lead = |it: &Owners| it.lead == at && it.rebuilding.is_some();
        if next.owners.is_as(rebuild.owners, by_version, is_lead) {
            (rebuild.is_lead_checked, rebuild.owners) = (true, next.owners.version);
        } else {
            rebuild.stage = Stage::Ended;
        }
        Some(())
    }

    fn copy_rest(&self, next: &mut State, at: u8) -> Option<()> {
        let rebuild = next.members[usize::from(at)].at_stage(Stage::Opened)?;
        let is_early = !rebuild.is_lead_checked && self.rules.the_lead_is_checked_before_the_copy;
        if rebuild.before.is_none() || is_early {
            return None;
        }
        rebuild.stage = Stage::Copied;
        let copied = |old: &Home| Home { owner: Some(at), has: old.has };
        next.homes[usize::from(rebuild.to)] =
            next.homes[usize::from(rebuild.from)].iter().map(copied).collect();
        Some(())
    }

    /// The answer to the claim does not come, or the one to the change of the schema.
    fn time_out(&self, next: &mut State, at: u8) -> Option<()> {
        next.faults += 1;
        let member = &mut next.members[usize::from(at)];
        let rebuild = member.rebuild.as_mut()?;
        match rebuild.stage {
            Stage::Claimed => member.rebuild = None,
            Stage::Sent | Stage::Answered(_) => {
                rebuild.stage = Stage::Ended;
                if self.rules.who_does_not_know_leaves_it_to_be_ended {
                    member.rebuild = None;
                }
                if self.rules.who_does_not_know_closes {
                    member.shards.fill(Serving::Closed);
                }
            }
            _ => return None,
        }
        Some(())
    }

    pub(super) fn arrive(&self, next: &mut State, edition: Edition) -> Option<()> {
        let before = next.sent[usize::from(edition)].take()?;
        let is_accepted = next.schema.0 == before || !self.rules.schema_by_compare_and_set;
        if is_accepted {
            next.schema = (next.schema.0 + 1, edition);
        }
        let rebuilds = next.members.iter_mut().filter_map(|member| member.rebuild.as_mut());
        for rebuild in rebuilds.filter(|it| it.to == edition && it.stage == Stage::Sent) {
            rebuild.stage = Stage::Answered(is_accepted);
        }
        Some(())
    }

    pub(super) fn find_begun(&self, next: &mut State, at: u8) -> Option<()> {
        let member = &mut next.members[usize::from(at)];
        let is_own = member.rebuild.is_some() && self.rules.who_runs_it_does_not_end_it;
        let is_begun = next.owners.lead == at && next.owners.rebuilding.is_some();
        if is_own || !is_begun || member.ending.is_some() || !self.rules.the_lead_ends_what_it_does_not_run {
            return None;
        }
        member.ending = Some(Ending { owners: next.owners.version, is_touched: false });
        Some(())
    }

    pub(super) fn end(&self, next: &mut State, at: u8) -> Option<()> {
        let ending = &mut next.members[usize::from(at)].ending;
        let touches = self.rules.whoever_takes_over_touches_the_schema;
        if !ending.as_ref()?.is_touched && touches && self.rules.the_touch_comes_before_anything_opens {
            return None;
        }
        let upon = ending.take()?.owners;
        next.owners.give_back(upon, self.rules.owners_by_compare_and_set);
        Some(())
    }

    /// Where there is anything to open.
    pub(super) fn read_owners(&self, next: &mut State, at: u8) -> Option<()> {
        let owners = &next.owners;
        let member = &mut next.members[usize::from(at)];
        let lacks = |(owner, it): (&u8, &Serving)| *owner == at && *it != Serving::Open(next.schema.1);
        let is_unended = owners.rebuilding.is_some() && self.rules.the_touch_comes_before_anything_opens;
        let is_current = member.look.named.is_none_or(|named| named == next.schema.1);
        let is_known = is_current && member.look.owners.as_ref() == Some(owners);
        if is_known || is_unended || !owners.shards.iter().zip(&member.shards).any(lacks) {
            return None;
        }
        member.look.owners = Some(owners.clone());
        if self.rules.schema_is_read_behind_the_owners {
            member.look.named = None;
        }
        Some(())
    }

    pub(super) fn open(&self, next: &mut State, at: u8, shard: u8) -> Option<()> {
        let member = &mut next.members[usize::from(at)];
        let (owners, named) = (member.look.owners.as_ref()?, member.look.named?);
        let shard = usize::from(shard);
        let is_barred = member.rebuild.is_some() && self.rules.who_runs_it_opens_nothing_else;
        let is_unended = owners.rebuilding.is_some() && self.rules.the_touch_comes_before_anything_opens;
        let has = match member.shards[shard] {
            Serving::Closed => None,
            Serving::Fenced(edition, _) | Serving::Open(edition) => Some(edition),
        };
        if owners.shards[shard] != at || is_barred || is_unended || has == Some(named) {
            return None;
        }
        next.homes[usize::from(named)][shard].owner = Some(at);
        member.shards[shard] = if self.rules.owners_are_checked_behind_the_fence {
            Serving::Fenced(named, owners.version)
        } else {
            Serving::Open(named)
        };
        Some(())
    }

    pub(super) fn check(&self, next: &mut State, at: u8, shard: u8) -> Option<()> {
        let member = &mut next.members[usize::from(at)];
        let it = &mut member.shards[usize::from(shard)];
        let Serving::Fenced(edition, version) = *it else { return None };
        if member.rebuild.is_some_and(|rebuild| rebuild.stage == Stage::Fenced) {
            return None;
        }
        let by_version = self.rules.owners_are_checked_by_version;
        let is_own = next.owners.is_as(version, by_version, |it| it.shards[usize::from(shard)] == at);
        *it = if is_own { Serving::Open(edition) } else { Serving::Closed };
        let lacks = |(owner, it): (&u8, &Serving)| *owner == at && !matches!(it, Serving::Open(_));
        let is_short = |look: &Owners| look.shards.iter().zip(&member.shards).any(lacks);
        if !is_own || !member.look.owners.as_ref().is_some_and(is_short) {
            member.look = Look::default();
        }
        Some(())
    }

    pub(super) fn write(&self, next: &mut State, at: u8, shard: u8) -> Option<()> {
        let member = &mut next.members[usize::from(at)];
        let shard = usize::from(shard);
        let Serving::Open(edition) = member.shards[shard] else { return None };
        let home = &mut next.homes[usize::from(edition)][shard];
        if home.owner != Some(at) {
            member.shards[shard] = Serving::Closed;
            member.look = Look::default();
            return Some(());
        }
        let is_held = member.holds() && self.rules.updates_are_held_up_for_the_rest;
        if is_held || next.acknowledged[shard] == self.updates {
            return None;
        }
        home.has |= 1 << next.acknowledged[shard];
        next.acknowledged[shard] += 1;
        next.is_astray |= edition != next.schema.1;
        Some(())
    }
}

impl Owners {
    /// Whether it is of this version, or says what it is asked for.
    fn is_as(&self, version: Version, by_version: bool, says: impl Fn(&Self) -> bool) -> bool {
        if by_version { self.version == version } else { says(self) }
    }

    fn give_back(&mut self, upon: Version, by_compare_and_set: bool) {
        if self.version != upon && by_compare_and_set {
            return;
        }
        if let Some(shards) = self.rebuilding.take() {
            self.version += 1;
            self.shards = shards;
        }
    }
}

impl Member {
    /// Its rebuild, if that is as far as this.
    fn at_stage(&mut self, stage: Stage) -> Option<&mut Rebuild> {
        self.rebuild.as_mut().filter(|rebuild| rebuild.stage == stage)
    }

    /// Whether its rebuild holds up updates.
    fn holds(&self) -> bool {
        self.rebuild.is_some_and(|it| matches!(it.stage, Stage::Copied | Stage::Sent | Stage::Answered(_)))
    }

    fn hear(&mut self) -> Option<()> {
        let rebuild = self.rebuild.as_mut()?;
        let Stage::Answered(is_accepted) = rebuild.stage else { return None };
        rebuild.stage = Stage::Ended;
        if is_accepted {
            self.shards.fill(Serving::Open(rebuild.to));
        }
        Some(())
    }

    pub(super) fn new(shards: u8) -> Self {
        let shards = vec![Serving::Closed; usize::from(shards)];
        Self { look: Look::default(), shards, rebuild: None, ending: None }
    }
}

impl State {
    pub(super) fn take_over(&mut self, at: u8) -> Option<()> {
        let owners = &mut self.owners;
        if owners.lead == at {
            return None;
        }
        self.takeovers += 1;
        owners.version += 1;
        let gone = std::mem::replace(&mut owners.lead, at);
        owners.shards.iter_mut().filter(|owner| **owner == gone).for_each(|owner| *owner = at);
        Some(())
    }
}
