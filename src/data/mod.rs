//! Training data: checked tables, bins, codes.

pub mod bins;
pub(crate) mod boost;
pub(crate) mod bounded;
pub(crate) mod bytes;
pub mod coded;
pub(crate) mod cuts;
pub mod dataset;
pub(crate) mod expansion;
pub mod labels;
pub mod numbers;
pub mod one_hot;
pub(crate) mod response_order;
pub(crate) mod row_codes;
pub(crate) mod row_hash;
pub mod rows;
pub mod sparse;
pub(crate) mod sums;
pub mod table;
pub mod trend;
pub(crate) mod weights;
