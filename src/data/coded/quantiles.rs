//! Quantiles of a stream of numbers in bounded memory.
//!
//! Numbers fill a buffer; a full buffer is sorted, and every second number goes to the next buffer, where each stands for
//! twice as many. It begins with the first and the second number in turn, so that errors of one side do not add up.
//! There is no randomness: the same numbers in the same order give the same quantiles.
//!
//! # References
//! Munro, Paterson, "Selection and Sorting with Limited Storage", Theoretical Computer Science 12 (1980); Manku,
//! Rajagopalan, Lindsay, "Approximate Medians and other Quantiles in One Pass and with Limited Memory", SIGMOD 1998.

/// Numbers of a buffer. A halving at level l moves a rank by at most 2^l, and of n numbers n / (2^l `BUFFER`) are
/// halvings at level l: L levels move a rank by at most n L / `BUFFER`, with 10 million numbers 1.2e-4 n.
const BUFFER: usize = 1 << 16;

/// Numbers of a stream, or some that stand for them.
#[derive(Debug, Clone, Default)]
pub(super) struct QuantileSketch {
    levels: Vec<Level>,
}

/// Numbers that stand for 2^level each.
#[derive(Debug, Clone, Default)]
struct Level {
    numbers: Vec<f64>,
    /// Whether the next halving begins with the second number.
    is_odd: bool,
}

impl QuantileSketch {
    /// Adds a number `count` times.
    pub fn add(&mut self, x: f64, count: u32) {
        for level in (0..u32::BITS as usize).filter(|level| count >> level & 1 == 1) {
            self.insert(level, x);
        }
    }

    fn insert(&mut self, level: usize, x: f64) {
        while self.levels.len() <= level {
            self.levels.push(Level::default());
        }
        self.levels[level].numbers.push(x);
        if self.levels[level].numbers.len() == BUFFER {
            self.halve(level);
        }
    }

    /// Moves every second number of a level to the next. The next one has space for them, or is halved on the way.
    fn halve(&mut self, level: usize) {
        let Level { numbers, is_odd } = &mut self.levels[level];
        numbers.sort_unstable_by(f64::total_cmp);
        let half: Vec<f64> = numbers.iter().copied().skip(usize::from(*is_odd)).step_by(2).collect();
        *is_odd = !*is_odd;
        numbers.clear();
        half.into_iter().for_each(|x| self.insert(level + 1, x));
    }

    /// Memory in bytes.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.numbers.capacity() * size_of::<f64>()).sum()
    }

    /// The numbers at `parts` - 1 equidistant ranks, ascending, each once.
    pub fn quantiles(&self, parts: usize) -> Vec<f64> {
        let of_level = |(level, own): (u32, &Level)| -> Vec<(f64, u64)> {
            own.numbers.iter().map(|&x| (x, 1 << level)).collect()
        };
        let mut all: Vec<(f64, u64)> = (0..).zip(&self.levels).flat_map(of_level).collect();
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: u64 = all.iter().map(|(_, weight)| weight).sum();
        let mut found: Vec<f64> = Vec::new();
        let (mut part, mut below) = (1, 0);
        for (x, weight) in all {
            below += weight;
            // Rank part * total / parts is at this number.
            if part < parts as u64
                && u128::from(below) * parts as u128 >= u128::from(part) * u128::from(total)
            {
                found.push(x);
                part = (u128::from(below) * parts as u128 / u128::from(total)) as u64 + 1;
            }
        }
        found.dedup();
        found
    }
}
