//! Tests of order stores, tried on right stores and on wrong ones.

use std::sync::Arc;

use engine::Db;
use engine::keys::OrderedKey as _;
use engine::vfs::MemoryVfs;
use kit::tester::watch;
use kit::{Answer, Cast, Exercise, Judged, Show, Tester};

use crate::change_status::Changing;
use crate::find_orders::Queries;
use crate::order::{Change, Order, OrderStore, Page, Status};
use crate::place_order::Place;
use crate::store::open;
use crate::wrong_stores::candidates;
use crate::{mistakes, solutions, stubs};
use ch10_order_store::test_store as learner;

pub(crate) type Remove = dyn Fn(&Db, u32) -> engine::Result<bool> + Send + Sync;

/// Somebody's store: what it does when it is asked.
#[derive(Clone)]
pub(crate) struct Recipe {
    pub(crate) place: Arc<Place>,
    pub(crate) change: Changing,
    pub(crate) remove: Arc<Remove>,
    pub(crate) queries: Queries,
}

pub(crate) fn exercise() -> Box<dyn Judged> {
    Box::new(exercise_of(tester(learner::test)))
}

/// A function of the learner's type, as a tester.
pub(crate) fn tester(
    test: impl Fn(&dyn Fn() -> Box<dyn OrderStore>) + Send + Sync + 'static,
) -> Tester<Recipe> {
    Tester::new(move |recipe: &Recipe| {
        let open_one = || -> Box<dyn OrderStore> { Box::new(Tried::new(recipe)) };
        test(&open_one);
    })
}

/// The exercise with anybody's test in the learner's place.
pub(crate) fn exercise_of(learner: Tester<Recipe>) -> Exercise<Tester<Recipe>> {
    let cast = Cast {
        learner,
        stub: tester(stubs::test_store::test),
        solution: tester(solutions::test_store::test),
    };
    Exercise::new("test-store", "10-order-store", cast)
        .tester("test", |test| test, candidates())
        .mistakes(mistakes::test_store::all())
}

/// A store in memory that a recipe is tried on.
pub(crate) struct Tried {
    recipe: Recipe,
    vfs: MemoryVfs,
    db: Db,
    fail_in: Option<u64>,
}

impl Tried {
    pub(crate) fn new(recipe: &Recipe) -> Self {
        let vfs = MemoryVfs::new().recording();
        Self {
            recipe: recipe.clone(),
            db: open(&vfs),
            vfs,
            fail_in: None,
        }
    }

    /// Makes a call. If the power is to fail in it, opens what the cut leaves.
    fn call<T: Clone + 'static>(
        &mut self,
        name: String,
        call: impl FnOnce(&Recipe, &Db) -> T,
        show: fn(&T) -> Answer,
    ) -> T {
        let begin = self.vfs.operations();
        let result = watch(move || name.clone(), || call(&self.recipe, &self.db), show);
        if let Some(operations) = self.fail_in.take() {
            let end = self.vfs.operations();
            let at = if operations < AFTER_THE_CALL {
                (begin + operations).min(end)
            } else {
                end
            };
            let vfs = self.vfs.state_after(at).crash(0).recording();
            self.db = open(&vfs);
            self.vfs = vfs;
        }
        result
    }

    fn ask<T: Clone + 'static>(
        &self,
        name: String,
        ask: impl FnOnce(&Queries, &Db) -> engine::Result<T>,
        show: fn(&T) -> Answer,
    ) -> T {
        let run = || ask(&self.recipe.queries, &self.db).expect(IN_MEMORY);
        watch(move || name.clone(), run, show)
    }
}

/// From so many file operations on, the power fails when the call has returned, as the task says. A call that compacts
/// has more of them.
const AFTER_THE_CALL: u64 = 20;

const IN_MEMORY: &str = "a store in memory does not fail";

impl OrderStore for Tried {
    fn place(&mut self, order: &Order) -> bool {
        let Order {
            id,
            user,
            at,
            status,
        } = order;
        let name = format!("place({id} {user:?} {at} {status:?})");
        let run = |recipe: &Recipe, db: &Db| (recipe.place)(db, order).expect(IN_MEMORY);
        self.call(name, run, Show::show)
    }

    fn change_status(&mut self, id: u32, to: Status) -> Change {
        let run = |recipe: &Recipe, db: &Db| (recipe.change)(db, id, to).expect(IN_MEMORY);
        self.call(format!("change_status({id}, {to:?})"), run, |change| {
            Answer::text(format!("{change:?}"))
        })
    }

    fn remove(&mut self, id: u32) -> bool {
        let run = |recipe: &Recipe, db: &Db| (recipe.remove)(db, id).expect(IN_MEMORY);
        self.call(format!("remove({id})"), run, Show::show)
    }

    fn get(&self, id: u32) -> Option<Order> {
        self.ask(
            format!("get({id})"),
            |_, db| {
                let value = db.get((b'o', id).to_key())?;
                Ok(value.and_then(|value| Order::read(id, &value)))
            },
            |order| Answer::text(format!("{order:?}")),
        )
    }

    fn of_user(&self, user: &str, limit: usize) -> Vec<u32> {
        self.ask(
            format!("of_user({user:?}, {limit})"),
            |queries, db| (queries.of_user)(db, user, limit),
            |ids| Answer::text(format!("{ids:?}")),
        )
    }

    fn between(&self, from: u64, until: u64, limit: usize) -> Vec<u32> {
        self.ask(
            format!("between({from}, {until}, {limit})"),
            |queries, db| (queries.between)(db, from, until, limit),
            |ids| Answer::text(format!("{ids:?}")),
        )
    }

    fn with_status(&self, status: Status, limit: usize, after: Option<&[u8]>) -> Page {
        let cursor = if after.is_some() { "Some(..)" } else { "None" };
        self.ask(
            format!("with_status({status:?}, {limit}, {cursor})"),
            |queries, db| (queries.with_status)(db, status, limit, after),
            |page| {
                let next = if page.next.is_some() {
                    "and a cursor"
                } else {
                    "and no cursor"
                };
                Answer::text(format!("{:?} {next}", page.ids))
            },
        )
    }

    fn fail_in(&mut self, operations: u64) {
        self.fail_in = Some(operations);
    }
}
