//! A column in codes from two readings of its numbers, batch by batch.

use super::quantiles::QuantileSketch;
use super::set::NumberSet;
use super::{CodedNumbers, Dictionary, MAX_NUMBERS};
use crate::data::cuts::uniform_bounds;
use crate::data::row_codes::RowCodes;
use crate::error::{Error, Result};

/// Number of ranges of equal numbers of rows that a column of too many distinct numbers has. They do not depend on the cut
/// points that codes have to separate, for which the other half of the codes is.
const RANGES: usize = MAX_NUMBERS / 2;

/// Buckets of equal width that narrow the search for the range of a number; with one a range, smooth columns need
/// one or two comparisons.
const BUCKETS: usize = 1 << 16;

/// The first reading: which numbers there are.
///
/// ```
/// use thresher::data::coded::NumberCoder;
///
/// let mut coder = NumberCoder::new(&[], None);
/// coder.observe(&[2.5, f64::NAN])?;
/// coder.observe(&[1.0, 2.5])?;
/// let mut encoder = coder.encoder(4);
/// encoder.encode(&[2.5, f64::NAN])?;
/// encoder.encode(&[1.0, 2.5])?;
/// let column = encoder.finish()?;
/// assert_eq!(column.dictionary().numbers(), [1.0, 2.5]);
/// assert!(column.codes().eq([1, 2, 0, 1])); // 2: missing
/// # Ok::<(), thresher::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NumberCoder {
    found: Found,
    /// Smallest and largest number.
    range: [f64; 2],
    cuts: Vec<f64>,
    /// Parts of equal width whose bounds are cut points too.
    n_uniform: usize,
}

#[derive(Debug, Clone)]
enum Found {
    Numbers(NumberSet),
    Quantiles(QuantileSketch),
}

impl NumberCoder {
    /// A column without numbers yet. Should a code have to stand for a range, the range will lie on one side of each of
    /// `cuts`, and of each bound of `n_uniform` parts of equal width.
    pub fn new(cuts: &[f64], n_uniform: Option<usize>) -> Self {
        Self {
            found: Found::Numbers(NumberSet::new()),
            range: [f64::INFINITY, f64::NEG_INFINITY],
            cuts: cuts.to_vec(),
            n_uniform: n_uniform.unwrap_or(1),
        }
    }

    /// Adds numbers, NaN where missing. Fails for an infinite one.
    pub fn observe(&mut self, numbers: &[f64]) -> Result<()> {
        for &x in numbers.iter().filter(|x| !x.is_nan()) {
            if x.is_infinite() {
                return Err(Error::data(
                    "a column holds an infinite value; replace it by a number or by NaN",
                ));
            }
            self.range = [self.range[0].min(x), self.range[1].max(x)];
            match &mut self.found {
                Found::Numbers(set) => {
                    set.count(x);
                    if set.len() > MAX_NUMBERS {
                        let mut sketch = QuantileSketch::default();
                        set.sorted().into_iter().for_each(|(x, count)| sketch.add(x, count));
                        self.found = Found::Quantiles(sketch);
                    }
                }
                Found::Quantiles(sketch) => sketch.add(x, 1),
            }
        }
        Ok(())
    }

    /// Whether each code will be one number.
    pub fn is_exact(&self) -> bool {
        matches!(self.found, Found::Numbers(_))
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        match &self.found {
            Found::Numbers(set) => set.bytes(),
            Found::Quantiles(sketch) => sketch.bytes(),
        }
    }

    /// The second reading, of `n_rows` rows.
    pub fn encoder(self, n_rows: usize) -> NumberEncoder {
        let kind = match &self.found {
            Found::Numbers(set) => Kind::Numbers {
                ranks: set.ranked(),
                numbers: set.sorted().into_iter().map(|(x, _)| x).collect(),
            },
            Found::Quantiles(sketch) => {
                Kind::Ranges(Box::new(Ranges::new(self.upper_ends(sketch), self.range)))
            }
        };
        NumberEncoder { codes: RowCodes::with_capacity(n_rows, kind.n_codes() + 1), kind }
    }

    /// The upper end of each range but the last.
    fn upper_ends(&self, sketch: &QuantileSketch) -> Vec<f64> {
        let [low, high] = self.range;
        let uniform = uniform_bounds(self.range, self.n_uniform);
        let mut ends: Vec<f64> = self.cuts.iter().copied().chain(uniform).collect();
        ends.retain(|&end| low <= end && end < high);
        ends.truncate(MAX_NUMBERS - RANGES);
        ends.extend(sketch.quantiles(RANGES).into_iter().filter(|&end| end < high));
        ends.sort_unstable_by(f64::total_cmp);
        ends.dedup();
        ends
    }
}

/// The second reading: the code of each row.
#[derive(Debug)]
pub struct NumberEncoder {
    codes: RowCodes,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Numbers { ranks: NumberSet, numbers: Vec<f64> },
    Ranges(Box<Ranges>),
}

impl Kind {
    /// Number of codes, without that of missing numbers, which comes after them.
    fn n_codes(&self) -> usize {
        match self {
            Self::Numbers { numbers, .. } => numbers.len(),
            Self::Ranges(ranges) => ranges.found.len(),
        }
    }

    /// The code of a number that is not missing.
    fn code(&mut self, x: f64) -> Result<u16> {
        match self {
            Self::Numbers { ranks, .. } => Ok((ranks.get(x).ok_or_else(changed)? - 1) as u16),
            Self::Ranges(ranges) => ranges.add(x),
        }
    }
}

impl NumberEncoder {
    /// Adds the codes of numbers, NaN where missing. Fails for a number that the first reading did not find.
    pub fn encode(&mut self, numbers: &[f64]) -> Result<()> {
        let missing = self.kind.n_codes() as u16;
        let code = |&x: &f64| if x.is_nan() { Ok(missing) } else { self.kind.code(x) };
        let codes: Vec<u16> = numbers.iter().map(code).collect::<Result<_>>()?;
        self.codes.extend(codes.into_iter());
        Ok(())
    }

    /// The column.
    pub fn finish(self) -> Result<CodedNumbers> {
        Ok(match self.kind {
            Kind::Numbers { numbers, .. } => CodedNumbers::of_checked(self.codes, Dictionary::new(numbers)?),
            Kind::Ranges(ranges) => {
                CodedNumbers::of_checked(ranges.without_empty(self.codes), ranges.dictionary()?)
            }
        })
    }
}

fn changed() -> Error {
    Error::data(
        "a column has other numbers than when it was read first; the data must not change during a fit",
    )
}

/// Ranges of numbers, and what is found in each.
#[derive(Debug)]
struct Ranges {
    upper_ends: Vec<f64>,
    /// Smallest and largest number of the column.
    range: [f64; 2],
    /// Number of upper ends in lower buckets, for each bucket and after the last.
    first: Vec<u32>,
    scale: f64,
    found: Vec<RangeSums>,
}

#[derive(Debug, Clone, Copy)]
struct RangeSums {
    low: f64,
    high: f64,
    sum: f64,
    count: f64,
}

impl Ranges {
    fn new(upper_ends: Vec<f64>, range: [f64; 2]) -> Self {
        let empty = RangeSums { low: f64::INFINITY, high: f64::NEG_INFINITY, sum: 0.0, count: 0.0 };
        let found = vec![empty; upper_ends.len() + 1];
        let scale = BUCKETS as f64 / (range[1] - range[0]);
        let mut ranges = Self { upper_ends, range, first: Vec::new(), scale, found };
        let mut first = vec![0; BUCKETS + 1];
        ranges.upper_ends.iter().for_each(|&end| first[ranges.bucket(end) + 1] += 1);
        (0..BUCKETS).for_each(|bucket| first[bucket + 1] += first[bucket]);
        ranges.first = first;
        ranges
    }

    /// The bucket of a number; it never falls with the number, however the product is rounded.
    fn bucket(&self, x: f64) -> usize {
        (((x - self.range[0]) * self.scale) as usize).min(BUCKETS - 1)
    }

    /// The code of a number: that of the first range that ends at it or above.
    fn add(&mut self, x: f64) -> Result<u16> {
        if x < self.range[0] || x > self.range[1] {
            return Err(changed());
        }
        let bucket = self.bucket(x);
        let (from, to) = (self.first[bucket] as usize, self.first[bucket + 1] as usize);
        let code = from + self.upper_ends[from..to].partition_point(|&end| end < x);
        let found = &mut self.found[code];
        found.low = found.low.min(x);
        found.high = found.high.max(x);
        found.sum += x;
        found.count += 1.0;
        Ok(code as u16)
    }

    /// The codes, none of which is of a range without numbers.
    fn without_empty(&self, codes: RowCodes) -> RowCodes {
        if self.found.iter().all(|found| found.count > 0.0) {
            return codes;
        }
        let mut ranks = vec![0];
        ranks.extend(self.found.iter().scan(0, |rank: &mut u16, found| {
            *rank += u16::from(found.count > 0.0);
            Some(*rank)
        }));
        let n_codes = usize::from(ranks[self.found.len()]) + 1;
        let mut kept = RowCodes::with_capacity(codes.len(), n_codes);
        kept.extend((0..codes.len()).map(|row| ranks[usize::from(codes.get(row))]));
        kept
    }

    /// The ranges that hold numbers; the mean stands for each.
    fn dictionary(&self) -> Result<Dictionary> {
        let of_range = |found: &RangeSums| -> (f64, [f64; 2]) {
            let mean = found.sum / found.count;
            let mean = if mean.is_finite() { mean } else { found.low.midpoint(found.high) };
            (mean.clamp(found.low, found.high), [found.low, found.high])
        };
        let (numbers, ranges) = self.found.iter().filter(|found| found.count > 0.0).map(of_range).unzip();
        Dictionary::of_ranges(numbers, ranges)
    }
}
