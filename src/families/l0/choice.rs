//! Which lambda0 and lambda2: the least held-out loss over the grid of both.

use crate::document::CvDoc;
use crate::select::criteria;

/// Two scores closer than this share of the least are equal; the sparser model is taken.
const EQUAL: f64 = 1e-9;

/// Chooses among the points of one path for each lambda2, all in one list.
///
/// `losses[fold][point]` is the mean held-out loss, `weight[fold]` the weight held out,
/// `strengths[point]` the lambda0, `starts` where in the list the path of each lambda2 begins (lambda0 falls within each).
/// Points that some fold did not reach come last and are not chosen.
pub fn choose(
    losses: &[Vec<f64>],
    weight: &[f64],
    strengths: &[f64],
    starts: &[usize],
    one_standard_error: bool,
) -> (usize, CvDoc) {
    let slices: Vec<&[f64]> = losses.iter().map(Vec::as_slice).collect();
    let (mean, se) = criteria::summary(&slices, weight);
    let best = criteria::least(&mean);
    let begin = starts.iter().copied().filter(|&s| s <= best).max().unwrap_or(0);
    let slack = if one_standard_error { se[best] } else { EQUAL * mean[best].abs() };
    let chosen = (begin..best).find(|&k| mean[k] <= mean[best] + slack).unwrap_or(best);
    let strengths = strengths[..mean.len()].to_vec();
    (chosen, CvDoc { strengths, mean, se, n_folds: losses.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_mean_wins_and_ties_go_to_the_sparser() {
        let losses = vec![vec![3.0, 1.0, 1.0, 2.0, 1.5, 0.5], vec![3.0, 1.0, 1.0, 2.0, 1.5, 0.5]];
        assert_eq!(choose(&losses, &[1.0, 1.0], &[0.0; 6], &[0, 3], false).0, 5);
        assert_eq!(choose(&losses, &[1.0, 1.0], &[0.0; 6], &[0, 6], false).0, 5);
        let tied = vec![vec![3.0, 1.0, 1.0]; 3];
        assert_eq!(choose(&tied, &[1.0; 3], &[0.0; 3], &[0], false).0, 1);
    }

    #[test]
    fn one_standard_error_stays_on_the_best_lambda2() {
        let losses = vec![vec![1.0, 1.0, 2.0, 1.0, 0.6], vec![1.1, 1.1, 2.0, 1.4, 1.2]];
        let (plain, doc) = choose(&losses, &[1.0, 1.0], &[0.0; 6], &[0, 2], false);
        assert_eq!(plain, 4);
        assert!((doc.se[4] - 0.3).abs() < 1e-12);
        assert_eq!(choose(&losses, &[1.0, 1.0], &[0.0; 6], &[0, 2], true).0, 3);
        assert_eq!(choose(&losses, &[3.0, 1.0], &[0.0; 5], &[0, 2], true).1.n_folds, 2);
    }
}
