//! The losses by name: their list, and the dispatch from names to types.
//!
//! Parameters and models hold a [`LossKind`] or a checked part of it ([`SmoothLoss`], and those
//! that families define with `loss_subset`); loops over rows are generic in the loss's type. The
//! `with_*` macros go from the first to the second: `with_loss!(kind, loss => body)` is a `match`
//! whose arms call `body` with the value of the loss's own type. They are macros because a closure
//! cannot be generic.

use serde::{Deserialize, Serialize};

use super::{Loss, Smooth};
use crate::error::{Error, Result};
use crate::loss::Task;

/// Defines the macro that calls code with the type of a loss of an enum.
macro_rules! loss_dispatch {
    ($d:tt $path:ty, $dispatch:ident { $( $loss:ident $({ $($field:ident),+ })? ),+ }) => {
        /// Calls an expression with a value of the loss's own type, in the name given.
        macro_rules! $dispatch {
            ($d kind:expr, $d loss:ident => $d body:expr) => {
                {
                    type Dispatched = $path;
                    match $d kind {
                        $( Dispatched::$loss $({ $($field),+ })? => {
                            let $d loss = $crate::loss::$loss $({ $($field),+ })?;
                            $d body
                        } )+
                    }
                }
            };
        }
        #[allow(unused_imports)] // where only one module needs it
        pub(crate) use $dispatch;
    };
}

/// Defines an enum of some of the losses: made of a [`LossKind`] by `TryFrom`, which refuses the
/// others by name, and serialised as one.
macro_rules! loss_subset {
    (
        $d:tt $(#[$meta:meta])* $name:ident ($path:ty), $dispatch:ident {
            $( $(#[$doc:meta])* $loss:ident $({ $($field:ident),+ })? ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "crate::loss::LossKind", into = "crate::loss::LossKind")]
        #[non_exhaustive]
        pub enum $name { $(
            $(#[$doc])*
            $loss $({ $(
                /// As in the loss's own type.
                $field: f64
            ),+ })?
        ),+ }

        $crate::loss::kind::loss_dispatch!($d $path, $dispatch { $($loss $({ $($field),+ })?),+ });

        impl $name {
            /// The loss among all.
            pub fn kind(self) -> $crate::loss::LossKind {
                self.into()
            }

            /// Loss of one row; for loops that are not hot.
            pub fn value(self, y: f64, f: f64) -> f64 {
                self.kind().value(y, f)
            }

            /// Derivative of the loss of one row in the prediction.
            pub fn gradient(self, y: f64, f: f64) -> f64 {
                self.kind().gradient(y, f)
            }

            /// What the loss's responses are.
            pub fn task(self) -> $crate::loss::Task {
                self.kind().task()
            }
        }

        impl From<$name> for $crate::loss::LossKind {
            fn from(loss: $name) -> Self {
                match loss { $( $name::$loss $({ $($field),+ })? => Self::$loss $({ $($field),+ })? ),+ }
            }
        }

        impl TryFrom<$crate::loss::LossKind> for $name {
            type Error = $crate::error::Error;

            fn try_from(kind: $crate::loss::LossKind) -> $crate::error::Result<Self> {
                kind.check()?;
                match kind {
                    $( $crate::loss::LossKind::$loss $({ $($field),+ })? => Ok(Self::$loss $({ $($field),+ })?), )+
                    #[allow(unreachable_patterns)] // of a subset that is the whole
                    other => Err($crate::loss::kind::not_among(other, &[$(stringify!($loss)),+])),
                }
            }
        }
    };
}

/// Defines [`LossKind`] and [`SmoothLoss`] from the list of the losses.
macro_rules! losses {
    (
        $d:tt
        smooth { $( $(#[$sdoc:meta])* $smooth:ident $({ $($sfield:ident),+ })? ),+ $(,)? }
        other { $( $(#[$doc:meta])* $loss:ident $({ $($field:ident),+ })? ),+ $(,)? }
    ) => {
        /// Every loss, as parameters and models name it.
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        #[non_exhaustive]
        pub enum LossKind {
            $(
                $(#[$sdoc])*
                $smooth $({ $(
                    /// As in the loss's own type.
                    $sfield: f64
                ),+ })?,
            )+
            $(
                $(#[$doc])*
                $loss $({ $(
                    /// As in the loss's own type.
                    $field: f64
                ),+ })?,
            )+
        }

        $(
            impl From<super::$smooth> for LossKind {
                fn from(loss: super::$smooth) -> Self {
                    let super::$smooth $({ $($sfield),+ })? = loss;
                    Self::$smooth $({ $($sfield),+ })?
                }
            }
        )+
        $(
            impl From<super::$loss> for LossKind {
                fn from(loss: super::$loss) -> Self {
                    let super::$loss $({ $($field),+ })? = loss;
                    Self::$loss $({ $($field),+ })?
                }
            }
        )+

        loss_dispatch!($d crate::loss::LossKind, with_loss {
            $($smooth $({ $($sfield),+ })?,)+ $($loss $({ $($field),+ })?),+
        });

        loss_subset! {
            $d
            /// The losses whose curvature has a bound ([`Smooth`]) and whose conjugate is known
            /// ([`Conjugate`](super::Conjugate)): what proximal solvers and duality gaps need.
            SmoothLoss (crate::loss::SmoothLoss), with_smooth_loss { $( $(#[$sdoc])* $smooth $({ $($sfield),+ })? ),+ }
        }
    };
}

pub(crate) use {loss_dispatch, loss_subset};

losses! {
    $
    smooth {
        /// Half the squared error.
        Squared,
        /// log(1 + exp(-y f)).
        Logistic,
        /// Half the squared hinge.
        SquaredHinge,
        /// Half the squared error up to `delta`, linear beyond.
        Huber { delta },
    }
    other {
        /// exp(-y f).
        Exponential,
        /// max(0, 1 - y f).
        Hinge,
    }
}

impl LossKind {
    /// Loss of one row; for loops that are not hot.
    pub fn value(self, y: f64, f: f64) -> f64 {
        with_loss!(self, loss => loss.value(y, f))
    }

    /// Derivative of the loss of one row in the prediction.
    pub fn gradient(self, y: f64, f: f64) -> f64 {
        with_loss!(self, loss => loss.gradient(y, f))
    }

    /// What the loss's responses are.
    pub fn task(self) -> Task {
        with_loss!(self, loss => task_of(loss))
    }

    /// The name in parameters and models: `"squared_hinge"`.
    pub fn name(self) -> String {
        with_loss!(self, loss => snake_case(type_name(loss)))
    }

    /// Fails where a parameter of the loss is outside its range.
    pub fn check(self) -> Result<()> {
        with_loss!(self, loss => loss.check())
    }

    /// As [`Loss::location`].
    pub fn location(self, y: &[f64], weights: &[f64]) -> f64 {
        with_loss!(self, loss => loss.location(y, weights))
    }

    /// As [`Loss::deviance`].
    pub fn deviance(self, rows: f64, mean_loss: f64) -> Option<f64> {
        with_loss!(self, loss => loss.deviance(rows, mean_loss))
    }

    /// The largest [`Loss::magnitude`] of some responses.
    pub fn magnitude(self, y: &[f64]) -> f64 {
        with_loss!(self, loss => y.iter().map(|&y| loss.magnitude(y)).fold(0.0, f64::max))
    }
}

impl SmoothLoss {
    /// Upper bound of the loss's second derivative.
    pub fn curvature_bound(self) -> f64 {
        with_smooth_loss!(self, loss => bound_of(loss))
    }

    /// As [`SecondOrder::QUADRATIC`](super::SecondOrder::QUADRATIC).
    pub fn is_quadratic(self) -> bool {
        with_smooth_loss!(self, loss => is_quadratic(loss))
    }

    /// As [`Smooth::PIECEWISE`].
    pub fn is_piecewise(self) -> bool {
        with_smooth_loss!(self, loss => is_piecewise(loss))
    }
}

fn task_of<L: Loss>(_: L) -> Task {
    L::TASK
}

fn is_quadratic<L: Smooth>(_: L) -> bool {
    L::QUADRATIC
}

fn is_piecewise<L: Smooth>(_: L) -> bool {
    L::PIECEWISE
}

fn bound_of<L: Smooth>(_: L) -> f64 {
    L::BOUND
}

/// The last segment of the loss's type.
fn type_name<L: Loss>(_: L) -> &'static str {
    std::any::type_name::<L>().rsplit("::").next().unwrap_or_default()
}

/// `SquaredHinge` to `squared_hinge`.
fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// The error for a loss that is not one of `allowed` (names of types).
pub(crate) fn not_among(got: LossKind, allowed: &[&str]) -> Error {
    let allowed: Vec<String> = allowed.iter().map(|name| format!("'{}'", snake_case(name))).collect();
    Error::parameter("loss", format!("got '{}'; give {}", got.name(), allowed.join(" or ")))
}
