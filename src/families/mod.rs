//! The families of models, one in each module.
//!
//! Four families of convex models share one engine ([`convex`]): [`rules`], [`itemsets`],
//! [`sequences`] and [`graphs`] implement its [`Family`](convex::Family). Beside them stand
//! [`hierarchy`], the best-subset families [`subset`] and [`additive`], and [`factorization`].

pub mod additive;
pub mod convex;
pub mod factorization;
pub mod graphs;
pub mod hierarchy;
pub mod itemsets;
pub mod l0;
pub mod rules;
pub mod sequences;
pub mod subset;

/// The result of a fit.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fit<M, T = ()> {
    /// The model with its path.
    pub model: M,
    /// The training rows, for queries about the optimum; `()` in families without such queries.
    pub training: T,
}
