//! Thresher: optimal sparse models over feature spaces too large to write down, with a
//! proof of optimality.
//!
//! A fitted convex model carries its duality gap over **all** candidates (10^11 or 10^30 rules,
//! item-sets, subsequences, subgraphs), not over those that some heuristic generated.
//!
//! ```
//! use thresher::data::dataset::Dataset;
//! use thresher::data::table::{Column, Table};
//! use thresher::families::rules::{Alpha, Params, RuleModel, fit, verify};
//! use thresher::{Control, thread_pool};
//!
//! // Two columns, and a response that jumps where both are large.
//! let a: Vec<f64> = (0..80).map(|i| f64::from(i % 9)).collect();
//! let b: Vec<f64> = (0..80).map(|i| f64::from(i % 7)).collect();
//! let y = [a.iter().zip(&b).map(|(a, b)| if *a > 4.0 && *b > 3.0 { 2.0 } else { 0.0 }).collect()];
//! let names = vec!["a".into(), "b".into()];
//! let table = Table::new(names, vec![Column::Numeric(a), Column::Numeric(b)], 80)?;
//! let data = Dataset::new(&table, &y);
//!
//! // Fit in a pool of two threads, for at most ten seconds.
//! let params = Params { alpha: Alpha::Value { value: 0.02 }, ..Params::default() };
//! let control = Control::new(Some(std::time::Duration::from_secs(10)), None);
//! let fitted = thread_pool(2)?.install(|| fit(&data, params.clone(), &control))?;
//!
//! // Read the rules.
//! for rule in fitted.model.terms(0)? {
//!     println!("{:+.3} if {:?} ({} rows)", rule.coef, rule.pattern.conditions(), rule.n_rows);
//! }
//!
//! // The model is optimal among all rules, as an independent enumeration confirms.
//! let points = fitted.model.selected_points();
//! let certificates = verify(&fitted.model, &data, &points, &params, &Control::default())?;
//! assert!(certificates[0].relative_gap <= 1e-6);
//!
//! // A model written and read back predicts the same.
//! let back = RuleModel::from_json(&fitted.model.to_json(false))?;
//! assert_eq!(back.predict(&table)?, fitted.model.predict(&table)?);
//! # Ok::<(), thresher::Error>(())
//! ```
//!
//! # Families
//!
//! | module | a row is | terms | needs |
//! |---|---|---|---|
//! | [`families::rules`] | a row of a [`Table`](data::table::Table) | conjunctions of conditions on columns, linear terms | a loss, `alpha` or folds |
//! | [`families::itemsets`] | a set of items | sets of items that are there (or not) | an alphabet, a loss, `alpha` or folds |
//! | [`families::sequences`] | a sequence of events | subsequences, with a limit on gaps if wanted | the same |
//! | [`families::graphs`] | a labelled graph | connected subgraphs, with wildcards if wanted | two alphabets, a loss, `alpha` or folds |
//! | [`families::hierarchy`] | a row of a table | conjunctions whose parts are selected too | a loss, a strength or folds |
//! | [`families::subset`] | a row of a numeric table | columns | a loss, `lambda0`, `lambda2` or folds |
//! | [`families::additive`] | a row of a table | step functions of one column | the same |
//! | [`families::factorization`] | a row of a table or sparse matrix | products of columns | an order, a rank, strengths |
//!
//! Every family has a function `fit` that takes a [`Dataset`](data::dataset::Dataset), the
//! family's `Params` and a [`Control`] (budgets, progress, cancellation) and returns a
//! [`Fit`](families::Fit). Models are [`Model`](document::Model)s of one JSON format.
//!
//! # Threads
//!
//! Fits, questions and verifications run on the rayon pool of the caller and recurse as deep as
//! a pattern is long: call them within [`thread_pool`], whose threads have the stacks that they need.
//! Results are the same to the last bit for any number of threads.
//!
//! # Extension
//!
//! Another crate adds a kind of patterns over records of numbered labels with a
//! [`PatternSpace`](space::PatternSpace) and a [`LabelledFamily`](families::convex::LabelledFamily). New losses, and
//! kinds of patterns over other rows ([`Family`](families::convex::Family)), need changes of this crate: parameters hold
//! a closed list of losses, and the types of a family's verification are private.

pub mod control;
pub mod data;
pub mod document;
pub mod error;
pub mod families;
mod journal;
mod linalg;
pub mod loss;
mod penalty;
pub mod search;
mod select;
mod shares;
mod solve;
pub mod space;
mod threads;
mod verify;
mod workers;

pub use control::{Control, Progress};
pub use error::{Error, Result};
pub use journal::Journal;
pub use threads::thread_pool;
pub use verify::Certificate;
pub use workers::{Job, Workers};
