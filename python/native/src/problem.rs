//! One (X, y), packed: columns, responses, weights, folds.

use numpy::ndarray::ArrayView1;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyTuple};
use thresher::Error;
use thresher::data::dataset::Dataset;
use thresher::data::numbers::SparseTable;
use thresher::data::rows::Fold;
use thresher::data::sparse::SparseColumns;
use thresher::data::table::{Column, Level, MISSING, Table};

use crate::coded::CodedColumn;
use crate::errors::to_pyerr;

/// A table with responses, weights and folds.
pub struct TrainingData<X> {
    table: X,
    y: Vec<Vec<f64>>,
    weights: Option<Vec<f64>>,
    folds: Vec<Fold>,
}

impl<X> TrainingData<X> {
    fn new(
        table: X,
        y: &PyReadonlyArray2<'_, f64>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        folds: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Self> {
        let y = y.as_array();
        let folds = folds_of(folds, y.nrows())?;
        let y = y.columns().into_iter().map(|c| c.iter().copied().collect()).collect();
        let weights = sample_weight.map(|w| w.as_array().iter().copied().collect());
        Ok(Self { table, y, weights, folds })
    }

    /// What a fit learns from.
    pub fn dataset(&self) -> Dataset<'_, X> {
        let data = Dataset::new(&self.table, &self.y).with_folds(&self.folds);
        Dataset { weights: self.weights.as_deref(), ..data }
    }
}

/// Checked data of one fit.
#[pyclass(frozen, module = "thresher._native")]
pub struct Problem(pub TrainingData<Table>);

#[pymethods]
impl Problem {
    #[new]
    #[pyo3(signature = (columns, names, y, sample_weight=None, folds=None))]
    fn new(
        columns: &Bound<'_, PyList>,
        names: Vec<String>,
        y: PyReadonlyArray2<'_, f64>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        folds: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Self> {
        let table = table(columns, names, y.as_array().nrows())?;
        TrainingData::new(table, &y, sample_weight, folds).map(Self)
    }

    /// Number of rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.table.n_rows(), self.0.table.n_features())
    }
}

/// Checked data of one fit of a sparse table.
#[pyclass(frozen, module = "thresher._native")]
pub struct SparseProblem(pub TrainingData<SparseTable>);

#[pymethods]
impl SparseProblem {
    #[new]
    #[pyo3(signature = (starts, rows, values, names, y, sample_weight=None, folds=None))]
    fn new(
        starts: PyReadonlyArray1<'_, i64>,
        rows: PyReadonlyArray1<'_, i32>,
        values: PyReadonlyArray1<'_, f64>,
        names: Vec<String>,
        y: PyReadonlyArray2<'_, f64>,
        sample_weight: Option<PyReadonlyArray1<'_, f64>>,
        folds: Option<&Bound<'_, PyList>>,
    ) -> PyResult<Self> {
        let columns = sparse_columns(y.as_array().nrows(), &starts, &rows, &values)?;
        let table = SparseTable::new(names, &columns).map_err(to_pyerr)?;
        TrainingData::new(table, &y, sample_weight, folds).map(Self)
    }
}

/// A sparse matrix from compressed columns.
pub fn sparse_columns(
    n_rows: usize,
    starts: &PyReadonlyArray1<'_, i64>,
    rows: &PyReadonlyArray1<'_, i32>,
    values: &PyReadonlyArray1<'_, f64>,
) -> PyResult<SparseColumns> {
    let damaged = || to_pyerr(Error::data("the sparse matrix is damaged: it has negative indices"));
    let starts = starts.as_array().iter().map(|&s| usize::try_from(s)).collect::<Result<_, _>>();
    let rows = rows.as_array().iter().map(|&r| u32::try_from(r)).collect::<Result<_, _>>();
    let (Ok(starts), Ok(rows)) = (starts, rows) else { return Err(damaged()) };
    SparseColumns::new(n_rows, starts, rows, values.as_array().iter().copied().collect()).map_err(to_pyerr)
}

/// A table from Python columns: float64 arrays, coded columns, or pairs (int32 codes, levels).
pub fn table(columns: &Bound<'_, PyList>, names: Vec<String>, n_rows: usize) -> PyResult<Table> {
    let objects: Vec<Bound<'_, PyAny>> = columns.iter().collect();
    let mut columns = Vec::with_capacity(objects.len());
    for objects in objects.chunks(COLUMNS_OF_A_BLOCK) {
        let numbers: Vec<Option<PyReadonlyArray1<'_, f64>>> =
            objects.iter().map(|c| c.extract().ok()).collect();
        let views: Vec<ArrayView1<'_, f64>> =
            numbers.iter().flatten().map(PyReadonlyArray1::as_array).collect();
        let mut copies = copied(&views).into_iter();
        for (object, numbers) in objects.iter().zip(&numbers) {
            columns.push(match numbers {
                Some(_) => Column::Numeric(copies.next().unwrap_or_default()),
                None => column(object)?,
            });
        }
    }
    Table::new(names, columns, n_rows).map_err(to_pyerr)
}

/// Columns that are borrowed together: a borrow of a column is compared with all others of its matrix, which took 3 s for
/// 20,000 at once.
const COLUMNS_OF_A_BLOCK: usize = 256;

/// Rows that are copied together: of hundreds of columns they fit in the cache.
const ROWS_OF_A_BLOCK: usize = 64;

/// Copies of columns, made in blocks of rows: of a table by rows each line of the memory is read once, not for each column.
fn copied(columns: &[ArrayView1<'_, f64>]) -> Vec<Vec<f64>> {
    let mut copies: Vec<Vec<f64>> = columns.iter().map(|c| Vec::with_capacity(c.len())).collect();
    let mut cells: Vec<_> = columns.iter().map(|c| c.iter().copied()).collect();
    let n_rows = columns.iter().map(ArrayView1::len).max().unwrap_or(0);
    for _ in 0..n_rows.div_ceil(ROWS_OF_A_BLOCK) {
        for (copy, cells) in copies.iter_mut().zip(&mut cells) {
            copy.extend(cells.take(ROWS_OF_A_BLOCK));
        }
    }
    copies
}

/// A column that is no float64 array.
fn column(object: &Bound<'_, PyAny>) -> PyResult<Column> {
    if let Ok(pair) = object.cast::<PyTuple>() {
        let codes: PyReadonlyArray1<'_, i32> = pair.get_item(0)?.extract()?;
        let codes = codes.as_array().iter().map(|&c| u32::try_from(c).unwrap_or(MISSING)).collect();
        let levels = pair.get_item(1)?.try_iter()?.map(|l| level(&l?)).collect::<PyResult<_>>()?;
        return Ok(Column::Categorical { codes, levels });
    }
    if let Ok(coded) = object.cast::<CodedColumn>() {
        return Ok(Column::Coded(coded.get().0.clone()));
    }
    Err(PyTypeError::new_err("a column must be a float64 array or a pair (int32 codes, levels)"))
}

/// A label or a level: bool, int, float or str.
pub fn level(object: &Bound<'_, PyAny>) -> PyResult<Level> {
    if let Ok(b) = object.cast::<PyBool>() {
        return Ok(Level::Bool(b.is_true()));
    }
    if let Ok(i) = object.extract::<i64>() {
        return Ok(Level::Int(i));
    }
    if let Ok(x) = object.extract::<f64>() {
        return Ok(Level::Float(x));
    }
    Ok(Level::Text(object.extract::<String>()?))
}

/// The labels of the classes, if there are any.
pub fn levels(classes: Option<&Bound<'_, PyList>>) -> PyResult<Option<Vec<Level>>> {
    classes.map(|classes| classes.iter().map(|label| level(&label)).collect()).transpose()
}

/// The folds of a list, if there is one.
pub fn folds_of(folds: Option<&Bound<'_, PyList>>, n_rows: usize) -> PyResult<Vec<Fold>> {
    folds.map_or(Ok(Vec::new()), |folds| folds.iter().map(|f| fold(&f, n_rows)).collect())
}

/// Whole numbers of a smaller type.
pub fn numbers<T: TryFrom<i64>>(array: &PyReadonlyArray1<'_, i64>) -> PyResult<Vec<T>> {
    let number = |&v: &i64| T::try_from(v).map_err(|_| PyValueError::new_err(format!("{v} is out of range")));
    array.as_array().iter().map(number).collect()
}

/// Test rows (the others are learned from), or a pair (train, test).
pub fn fold(object: &Bound<'_, PyAny>, n_rows: usize) -> PyResult<Fold> {
    let rows = |object: &Bound<'_, PyAny>| -> PyResult<Vec<u32>> {
        let rows: PyReadonlyArray1<'_, i64> = object.extract()?;
        rows.as_array()
            .iter()
            .map(|&r| match u32::try_from(r) {
                Ok(row) if (row as usize) < n_rows => Ok(row),
                _ => Err(PyValueError::new_err(format!("cv: a fold names row {r} of {n_rows}"))),
            })
            .collect()
    };
    if let Ok(pair) = object.cast::<PyTuple>() {
        return Ok(Fold { train: rows(&pair.get_item(0)?)?, test: rows(&pair.get_item(1)?)? });
    }
    let test = rows(object)?;
    let mut held = vec![false; n_rows];
    test.iter().for_each(|&r| held[r as usize] = true);
    let train = (0..n_rows as u32).filter(|&r| !held[r as usize]).collect();
    Ok(Fold { train, test })
}
