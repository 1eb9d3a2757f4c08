//! Columns in codes, from two readings of their numbers in batches.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use thresher::Result;
use thresher::data::coded::{CodedNumbers, NumberCoder, NumberEncoder};

use crate::errors::to_pyerr;

/// What is known of a column: after the first reading, or while it is read again.
enum Reading {
    First(NumberCoder),
    Second(NumberEncoder),
    Done,
}

/// A column that is read twice, in batches: `observe` all of it, `begin` the second reading, `encode` all of it, `finish`.
#[pyclass(module = "thresher._native")]
pub struct ColumnCoder {
    reading: Reading,
}

impl ColumnCoder {
    fn first(&mut self) -> PyResult<&mut NumberCoder> {
        match &mut self.reading {
            Reading::First(coder) => Ok(coder),
            _ => Err(PyRuntimeError::new_err("the first reading of the column has ended")),
        }
    }
}

fn contiguous<'a>(values: &'a PyReadonlyArray1<'_, f64>) -> std::borrow::Cow<'a, [f64]> {
    match values.as_slice() {
        Ok(slice) => slice.into(),
        Err(_) => values.as_array().iter().copied().collect::<Vec<f64>>().into(),
    }
}

#[pymethods]
impl ColumnCoder {
    /// A column whose codes are to lie on one side of each of the cut points, and of the bounds of `n_uniform` parts.
    #[new]
    #[pyo3(signature = (cuts, n_uniform=None))]
    #[allow(clippy::needless_pass_by_value)] // what Python gives is converted
    fn new(cuts: Vec<f64>, n_uniform: Option<usize>) -> Self {
        Self { reading: Reading::First(NumberCoder::new(&cuts, n_uniform)) }
    }

    /// Adds numbers of the first reading, NaN where missing.
    fn observe(&mut self, py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let coder = self.first()?;
        let values = contiguous(&values);
        py.detach(|| coder.observe(&values)).map_err(to_pyerr)
    }

    /// Whether each code will be one number.
    fn is_exact(&mut self) -> PyResult<bool> {
        self.first().map(|coder| coder.is_exact())
    }

    /// Memory of what the first reading found, in bytes.
    fn n_bytes(&mut self) -> PyResult<usize> {
        self.first().map(|coder| coder.bytes())
    }

    /// Begins the second reading.
    fn begin(&mut self, py: Python<'_>, n_rows: usize) -> PyResult<()> {
        self.first()?;
        if let Reading::First(coder) = std::mem::replace(&mut self.reading, Reading::Done) {
            self.reading = Reading::Second(py.detach(|| coder.encoder(n_rows)));
        }
        Ok(())
    }

    /// Adds numbers of the second reading, the same as in the first.
    fn encode(&mut self, py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let Reading::Second(encoder) = &mut self.reading else {
            return Err(PyRuntimeError::new_err("the second reading of the column has not begun"));
        };
        let values = contiguous(&values);
        py.detach(|| encoder.encode(&values)).map_err(to_pyerr)
    }

    /// Ends the second reading.
    fn finish(&mut self, py: Python<'_>) -> PyResult<CodedColumn> {
        let Reading::Second(encoder) = std::mem::replace(&mut self.reading, Reading::Done) else {
            return Err(PyRuntimeError::new_err("the second reading of the column has not begun"));
        };
        let column: Result<CodedNumbers> = py.detach(|| encoder.finish());
        column.map(CodedColumn).map_err(to_pyerr)
    }
}

/// A column of numbers in codes of one byte or two.
#[pyclass(frozen, module = "thresher._native")]
pub struct CodedColumn(pub CodedNumbers);

#[pymethods]
impl CodedColumn {
    /// Whether each code is one number.
    fn is_exact(&self) -> bool {
        self.0.dictionary().is_exact()
    }

    /// The numbers of some rows that a fit sees, NaN where missing.
    fn take<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let rows: Vec<u32> = crate::problem::numbers(&rows)?;
        if let Some(row) = rows.iter().find(|&&row| row as usize >= self.0.n_rows()) {
            let n = self.0.n_rows();
            return Err(pyo3::exceptions::PyIndexError::new_err(format!("row {row} of {n}")));
        }
        Ok(PyArray1::from_iter(py, rows.into_iter().map(|row| self.0.number(row as usize))))
    }

    fn __len__(&self) -> usize {
        self.0.n_rows()
    }
}
