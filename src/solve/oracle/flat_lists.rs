//! Many lists in one, one after another: copied by all threads, since a list of patterns has millions of
//! row numbers.

/// Minimum number of lists for each thread.
const LISTS_PER_THREAD: usize = 1024;

/// Ranges of concatenated lists.
pub fn spans(lists: &[&[u32]]) -> Vec<(usize, usize)> {
    let span = |from: &mut usize, list: &&[u32]| {
        *from += list.len();
        Some((*from - list.len(), *from))
    };
    lists.iter().scan(0, span).collect()
}

/// Concatenates lists.
pub fn laid_out(lists: &[&[u32]], spans: &[(usize, usize)]) -> Vec<u32> {
    fn fill(all: &mut [u32], lists: &[&[u32]], spans: &[(usize, usize)]) {
        let half = lists.len() / 2;
        if half < LISTS_PER_THREAD {
            let mut rest = all;
            for list in lists {
                let (part, others) = rest.split_at_mut(list.len());
                part.copy_from_slice(list);
                rest = others;
            }
            return;
        }
        let (left, right) = all.split_at_mut(spans[half].0 - spans[0].0);
        let ((l, m), (s, t)) = (lists.split_at(half), spans.split_at(half));
        rayon::join(|| fill(left, l, s), || fill(right, m, t));
    }
    let mut all = vec![0; spans.last().map_or(0, |&(_, end)| end)];
    fill(&mut all, lists, spans);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_lie_where_they_are_said_to() {
        let lists: Vec<Vec<u32>> = (0..5000).map(|k| (k..k + k % 4).collect()).collect();
        for count in [0, 1, 2, 2047, 2048, 5000] {
            let lists: Vec<&[u32]> = lists[..count].iter().map(Vec::as_slice).collect();
            let spans = spans(&lists);
            let all = laid_out(&lists, &spans);
            assert_eq!(all, lists.concat());
            assert!(lists.iter().zip(spans).all(|(list, (from, to))| *list == &all[from..to]));
        }
    }
}
