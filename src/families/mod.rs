//! What users see: one family of models a folder.

pub mod additive;
pub mod convex;
pub mod factorization;
pub mod hierarchy;
pub mod l0;
pub mod patterns;
pub mod rules;
pub mod subset;
