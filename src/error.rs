//! One error type for the whole core: every message says what was wrong, what was
//! got, what is allowed and what to do.

use thiserror::Error;

/// Everything that can go wrong in the core.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The data are not usable as given (shape, infinities, NaN where none may be).
    #[error("{0}")]
    Data(String),
    /// A parameter is outside its range.
    #[error("{name}: {message}")]
    Parameter {
        /// The parameter's public name.
        name: &'static str,
        /// What was got, what is allowed, what to do.
        message: String,
    },
    /// A model document is truncated, edited or of another version.
    #[error("not a valid thresher model: {0}")]
    Format(String),
    /// The memory budget cannot hold the job.
    #[error("memory_limit: {0}")]
    Memory(String),
    /// The time was over before there was a model to return.
    #[error("time_limit: {0}")]
    Time(String),
    /// The model does not hold what it claims on the data given.
    #[error("certificate refused: {0}")]
    Certificate(String),
    /// The file of a checkpoint cannot be read or written.
    #[error("checkpoint: {0}")]
    Checkpoint(String),
    /// The system gives no threads.
    #[error("{0}")]
    Threads(String),
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    /// A [`Error::Parameter`] in one call.
    pub fn parameter(name: &'static str, message: impl Into<String>) -> Self {
        Self::Parameter { name, message: message.into() }
    }

    /// A [`Error::Data`] in one call.
    pub fn data(message: impl Into<String>) -> Self {
        Self::Data(message.into())
    }
}

/// The core's result.
pub type Result<T> = std::result::Result<T, Error>;
