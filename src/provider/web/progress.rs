//! The steps of the service, each reported once.

use std::collections::HashSet;

use super::patch::Change;
use super::wire::{PatchOperation, PlanBlock, PlanStep};
use super::workflow::Workflow;
use crate::domain::answer::Step;

/// Collects the steps that are new since they were last taken.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The queries reported so far.
    queries: HashSet<String>,
    /// The largest number of pages reported so far.
    pages: usize,
    thinking_reported: bool,
    writing_reported: bool,
    new: Vec<Step>,
}

impl Progress {
    pub(super) fn take_new(&mut self) -> Vec<Step> {
        std::mem::take(&mut self.new)
    }

    pub(super) fn plan(&mut self, plan: PlanBlock) {
        plan.steps.into_iter().flatten().for_each(|step| self.plan_step(step));
    }

    /// Takes patches of the plan itself or of one step; others are not used.
    pub(super) fn plan_patches(&mut self, patches: &[PatchOperation<'_>]) {
        for patch in patches {
            let Some(value) = patch.value.map(Change::Add) else { continue };
            match patch.path.as_deref() {
                None | Some("") => self.plan(value.value().unwrap_or_default()),
                Some(path) if path.strip_prefix("/steps/").is_some_and(|index| !index.contains('/')) => {
                    self.plan_step(value.value().unwrap_or_default());
                }
                Some(_) => {}
            }
        }
    }

    fn plan_step(&mut self, step: PlanStep) {
        let queries = step.search_web_content.and_then(|search| search.queries).unwrap_or_default();
        self.searching(queries.into_iter().filter_map(|query| query.query));
        self.reading(step.web_results_content.map_or(0, |block| block.len()));
    }

    pub(super) fn workflow(&mut self, workflow: &Workflow) {
        for payload in workflow.payloads() {
            let queries = payload.queries_payload.as_ref().and_then(|payload| payload.queries.as_ref());
            self.searching(queries.into_iter().flatten().cloned());
            let sources = payload.sources_payload.as_ref().and_then(|payload| payload.sources.as_ref());
            self.reading(sources.map_or(0, Vec::len));
        }
    }

    pub(super) fn searching(&mut self, queries: impl Iterator<Item = String>) {
        let new: Vec<_> =
            queries.filter(|query| !query.trim().is_empty() && self.queries.insert(query.clone())).collect();
        if !new.is_empty() {
            self.new.push(Step::Searching(new));
        }
    }

    /// Reports that `pages` pages are being read, if that is more than before.
    pub(super) fn reading(&mut self, pages: usize) {
        if pages > self.pages {
            self.pages = pages;
            self.new.push(Step::Reading(pages));
        }
    }

    pub(super) fn thinking(&mut self) {
        if !std::mem::replace(&mut self.thinking_reported, true) {
            self.new.push(Step::Thinking);
        }
    }

    pub(super) fn writing(&mut self) {
        if !std::mem::replace(&mut self.writing_reported, true) {
            self.new.push(Step::Writing);
        }
    }
}
