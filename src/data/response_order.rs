//! The order of rows by their responses.

use std::cmp::Ordering;

use crate::loss::Task;

/// Compares rows by their first response, ties by the second, and so on.
pub(crate) enum ResponseOrder<'a> {
    /// The one response in which each row is 1, where all others are -1: one class against the rest. Comparing
    /// thousands of responses one by one would take most of a fit.
    Classes(Vec<u32>),
    /// The responses.
    Values(&'a [Vec<f64>]),
}

impl<'a> ResponseOrder<'a> {
    /// The order by these responses, one value for each row in each.
    pub fn new(y: &'a [Vec<f64>], task: Task) -> Self {
        let classes = if task == Task::Classification && y.len() > 1 { classes(y) } else { None };
        classes.map_or(Self::Values(y), Self::Classes)
    }

    /// The order of two rows.
    pub fn compare(&self, a: usize, b: usize) -> Ordering {
        match self {
            // The row whose 1 comes first is the larger one.
            Self::Classes(classes) => classes[b].cmp(&classes[a]),
            Self::Values(y) => {
                let orders = y.iter().map(|y| y[a].total_cmp(&y[b]));
                orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
            }
        }
    }
}

/// The class of each row; `None` unless each row is in exactly one.
fn classes(y: &[Vec<f64>]) -> Option<Vec<u32>> {
    let mut classes = vec![u32::MAX; y[0].len()];
    for (class, y) in y.iter().enumerate() {
        for (own, _) in classes.iter_mut().zip(y).filter(|(_, y)| **y > 0.0) {
            if *own != u32::MAX {
                return None;
            }
            *own = class as u32;
        }
    }
    (!classes.contains(&u32::MAX)).then_some(classes)
}

#[cfg(test)]
mod tests {
    use super::ResponseOrder;
    use crate::loss::Task;

    #[test]
    fn the_order_by_classes_is_that_of_the_values() {
        let one_each: Vec<Vec<f64>> = (0..3)
            .map(|class| [2, 0, 1, 0, 2].map(|own| if own == class { 1.0 } else { -1.0 }).to_vec())
            .collect();
        let both = vec![vec![1.0, -1.0, 1.0], vec![1.0, 1.0, -1.0]];
        let neither = vec![vec![-1.0, -1.0, 1.0], vec![-1.0, 1.0, -1.0]];
        for (y, is_by_class) in [(one_each, true), (both, false), (neither, false)] {
            let order = ResponseOrder::new(&y, Task::Classification);
            assert_eq!(matches!(order, ResponseOrder::Classes(_)), is_by_class);
            for a in 0..y[0].len() {
                for b in 0..y[0].len() {
                    assert_eq!(order.compare(a, b), ResponseOrder::Values(&y).compare(a, b));
                }
            }
        }
    }
}
