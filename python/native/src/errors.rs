//! Each error of the core as the Python exception that its kind calls for.

use pyo3::create_exception;
use pyo3::exceptions::{
    PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyTimeoutError, PyValueError,
};
use pyo3::prelude::*;
use thresher::Error;

create_exception!(
    thresher,
    FormatError,
    PyValueError,
    "A model document is truncated, edited or of another version."
);
create_exception!(
    thresher,
    CertificateError,
    PyRuntimeError,
    "A model is not the optimum that it claims to be on the data given."
);

/// The name in Python of a parameter that has another in the core.
fn python_name(name: &'static str) -> &'static str {
    match name {
        "folds" => "cv",
        "patience" => "n_iter_no_change",
        "start" => "warm_start",
        name => name,
    }
}

/// The core's error as an exception.
pub fn to_pyerr(error: Error) -> PyErr {
    let error = match error {
        Error::Parameter { name, message } => Error::Parameter { name: python_name(name), message },
        error => error,
    };
    let text = error.to_string();
    match error {
        Error::Format(_) => FormatError::new_err(text),
        Error::Memory(_) => PyMemoryError::new_err(text),
        Error::Time(_) => PyTimeoutError::new_err(text),
        Error::Checkpoint(_) => PyOSError::new_err(text),
        Error::Threads(_) => PyRuntimeError::new_err(text),
        Error::Certificate(_) => CertificateError::new_err(text),
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        _ => PyValueError::new_err(text),
    }
}
