//! The walk over one subtree of rules: features in search order, intervals from the
//! widest down, each one's rows what is left of the last one's. Rows stay in the order of
//! the last feature's bins throughout, so that its prefix sums are a running sum.

use super::leaf::Leaf;
use super::{BoxPattern, BoxRoot, BoxSpace, Proposition};
use crate::space::{Node, Occurrence, RowWeights, Sign, Step, Sums, Visitor, add, minus};

/// A proposition worth descending into.
#[derive(Debug, Clone, Copy)]
pub(super) struct Alive {
    pub proposition: Proposition,
    pub sign: Sign,
}

/// Where a walk is: propositions so far (search position, proposition).
pub(super) type Path = Vec<(usize, Proposition)>;

/// A node of the walk as the visitor sees it.
struct Spot<'a> {
    space: &'a BoxSpace,
    path: &'a [(usize, Proposition)],
    last: (usize, Proposition),
    within: Option<&'a [u32]>,
}

impl Occurrence<BoxPattern> for Spot<'_> {
    fn pattern(&self) -> BoxPattern {
        let all = self.path.iter().chain(std::iter::once(&self.last));
        BoxPattern::new(all.map(|&(position, p)| (self.space.order[position] as u32, p)).collect())
    }

    fn rows(&self) -> Option<Vec<u32>> {
        let (codes, p) = (&self.space.codes[self.last.0], self.last.1);
        let within = self.within?;
        let mut rows: Vec<u32> = within.iter().copied().filter(|&r| p.holds(codes[r as usize])).collect();
        rows.sort_unstable();
        Some(rows)
    }
}

/// Buffers of one depth.
#[derive(Default)]
struct Frame {
    prefix: Vec<Sums>,
    alive: Vec<Alive>,
    rows: Vec<u32>,
}

pub(super) struct Walker<'a, V> {
    pub space: &'a BoxSpace,
    pub weights: &'a RowWeights,
    pub visitor: &'a mut V,
    pub path: Path,
    pub nodes: u64,
    pub stopped: bool,
    pub net: Vec<f64>,
    frames: Vec<Frame>,
    ticks: u32,
}

impl<'a, V: Visitor<BoxPattern>> Walker<'a, V> {
    pub fn new(space: &'a BoxSpace, weights: &'a RowWeights, visitor: &'a mut V) -> Self {
        let frames = Vec::new();
        Self {
            space,
            weights,
            visitor,
            path: Path::new(),
            nodes: 0,
            stopped: false,
            net: Vec::new(),
            frames,
            ticks: 0,
        }
    }

    /// Walks the subtree; false when it was ended early.
    pub fn run(mut self, root: BoxRoot) -> bool {
        let sign = self.space.sign;
        if let BoxRoot::Pair(f, g) = root
            && self.visitor.bound().radius == 0.0
        {
            self.pair(f, g);
        } else {
            let space = self.space;
            match root {
                BoxRoot::Single(f) => self.leaf(&space.by_last, f, sign),
                BoxRoot::Pair(f, g) => self.below(&space.by_last, f, g, None),
                BoxRoot::Slice(f, g, lo) => self.below(&space.by_last, f, g, Some(lo)),
            }
        }
        self.visitor.count(self.nodes);
        !self.stopped
    }

    /// Rules whose first proposition is on `f` (beginning at bin `lo`, if given) and second on `g`.
    fn below(&mut self, rows: &[u32], f: usize, g: usize, lo: Option<usize>) {
        let mut frame = self.frame();
        self.prefix(rows, f, &mut frame.prefix);
        self.alive(f, &frame.prefix, self.space.sign, false, true, &mut frame.alive);
        if let Some(lo) = lo {
            frame.alive.retain(|a| a.proposition.lo as usize == lo);
        }
        self.children(rows, f, &mut frame, g..g + 1);
        self.frames.push(frame);
    }

    /// All rules that extend the path by a proposition on `f`, and what follows.
    fn level(&mut self, rows: &[u32], f: usize, sign: Sign) {
        if self.is_over() {
            return;
        }
        let last = self.path.len() + 1 >= self.space.max_features || f + 1 >= self.space.features.len();
        if last {
            self.leaf(rows, f, sign);
            return;
        }
        let mut frame = self.frame();
        self.prefix(rows, f, &mut frame.prefix);
        self.alive(f, &frame.prefix, sign, true, true, &mut frame.alive);
        self.children(rows, f, &mut frame, f + 1..self.space.features.len());
        self.frames.push(frame);
    }

    /// Descends into each proposition of `f` that is alive, with the next feature in `next`.
    fn children(&mut self, parent: &[u32], f: usize, frame: &mut Frame, next: std::ops::Range<usize>) {
        let codes = &self.space.codes[f];
        let mut rows = std::mem::take(&mut frame.rows);
        let mut last: Option<Proposition> = None;
        for &Alive { proposition: p, sign } in &frame.alive {
            if last.is_some_and(|last| !p.negated && !last.negated && last.lo == p.lo && p.hi <= last.hi) {
                rows.retain(|&r| codes[r as usize] <= p.hi);
            } else {
                rows.clear();
                rows.extend(parent.iter().filter(|&&r| p.holds(codes[r as usize])));
            }
            last = Some(p);
            self.path.push((f, p));
            for g in next.clone() {
                if self.stopped {
                    break;
                }
                self.level(&rows, g, sign);
            }
            self.path.pop();
        }
        frame.rows = rows;
    }

    /// Finds the rules that extend the path by a last proposition on `f`.
    pub fn leaf(&mut self, rows: &[u32], f: usize, sign: Sign) {
        let cells = self.space.features[f].cells();
        let codes = &self.space.codes[f];
        let sums = &self.weights.sums;
        let bound = self.visitor.bound();
        let mass = if bound.radius > 0.0 { rows.iter().map(|&r| sums[r as usize][2]).sum() } else { 0.0 };
        if f + 1 == self.space.features.len() && rows.len() < 2 * cells && !self.reaches(rows, f, mass) {
            self.nodes += 1;
            return;
        }
        let mut net = std::mem::take(&mut self.net);
        net.clear();
        net.resize(cells + 1, 0.0);
        for &r in rows {
            net[codes[r as usize] as usize + 1] += self.weights.signal[r as usize];
        }
        for b in 0..cells {
            net[b + 1] += net[b];
        }
        Leaf { walker: self, f, sign, within: Some(rows) }.scan(&net, mass, || {
            let mut prefix = vec![[0.0; 2]; cells + 1];
            for &r in rows {
                let cell = &mut prefix[codes[r as usize] as usize + 1];
                cell[0] += sums[r as usize][2];
                cell[1] += sums[r as usize][3];
            }
            for b in 0..cells {
                prefix[b + 1] = [prefix[b + 1][0] + prefix[b][0], prefix[b + 1][1] + prefix[b][1]];
            }
            prefix
        });
        self.net = net;
    }

    /// Whether some interval of the last feature passes the bound: largest minus smallest
    /// running sum of the rows, which are in its order.
    fn reaches(&self, rows: &[u32], f: usize, mass: f64) -> bool {
        let (codes, signal) = (self.space.codes[f].as_slice(), self.weights.signal.as_slice());
        let (mut sum, mut low, mut high) = (0.0, 0.0f64, 0.0f64);
        let mut bin = u16::MAX;
        for &r in rows {
            // Without a branch: whether a bin ends here cannot be foreseen.
            let code = codes[r as usize];
            let edge = if code == bin { 0.0 } else { sum };
            low = if edge < low { edge } else { low };
            high = if edge > high { edge } else { high };
            bin = code;
            sum += signal[r as usize];
        }
        super::leaf::passes(
            low.min(sum),
            high.max(sum),
            mass,
            &self.visitor.bound(),
            self.path.len() + 1,
            &self.space.features[f],
        )
    }

    /// Sums of the rows by bin of `f`, accumulated.
    fn prefix(&self, rows: &[u32], f: usize, prefix: &mut Vec<Sums>) {
        let cells = self.space.features[f].cells();
        let codes = &self.space.codes[f];
        prefix.clear();
        prefix.resize(cells + 1, [0.0; 4]);
        for &r in rows {
            add(&mut prefix[codes[r as usize] as usize + 1], &self.weights.sums[r as usize]);
        }
        accumulate(prefix);
    }

    /// Enters the propositions of `f` that pass the bound (if `enter`) and lists those worth
    /// descending into (if `extend`). Skipped are propositions that repeat the parent or
    /// another one in this node (an end bin is empty).
    pub fn alive(
        &mut self,
        f: usize,
        prefix: &[Sums],
        sign: Sign,
        enter: bool,
        extend: bool,
        out: &mut Vec<Alive>,
    ) {
        out.clear();
        let space = self.space;
        let feature = &space.features[f];
        let m = feature.bins;
        let mut see = |this: &mut Self, p: Proposition, own: Sign| {
            this.see(f, prefix, p, sign, own, enter, extend, out)
        };
        if feature.nominal {
            feature.propositions(|p, own| {
                see(self, p, own);
            });
            return;
        }
        let empty = |b: usize| prefix[b + 1][3] - prefix[b][3] < 0.5;
        for lo in 0..m {
            if empty(lo) && (feature.monotone == 0 || lo > 0) {
                continue;
            }
            let mut any = false;
            for hi in (lo..m).rev() {
                if (feature.monotone != 0 && lo > 0 && hi + 1 < m) || self.stopped {
                    break;
                }
                if empty(hi) && (feature.monotone == 0 || hi + 1 < m) {
                    continue;
                }
                let own = if lo > 0 || hi + 1 < m { feature.sign(lo, hi) } else { None };
                let alive = match own {
                    Some(own) => see(self, Proposition::range(lo, hi), own),
                    None => true,
                };
                if !alive {
                    break;
                }
                any = true;
            }
            if !any {
                break;
            }
        }
        if feature.missing && m > 0 {
            see(self, Proposition::range(0, m - 1), Sign::Either);
            see(self, Proposition::range(m, m), Sign::Either);
        }
    }

    /// One proposition of a node; false when no narrower one can matter either.
    #[allow(clippy::too_many_arguments)]
    fn see(
        &mut self,
        f: usize,
        prefix: &[Sums],
        p: Proposition,
        sign: Sign,
        own: Sign,
        enter: bool,
        extend: bool,
        out: &mut Vec<Alive>,
    ) -> bool {
        let all = minus(&prefix[prefix.len() - 1], &prefix[0]);
        let mut sums = minus(&prefix[p.hi as usize + 1], &prefix[p.lo as usize]);
        if p.negated {
            sums = minus(&all, &sums);
        }
        let length = self.path.len() + 1;
        let bound = self.visitor.bound();
        self.nodes += 1;
        if sums[3] + 0.5 < self.space.min_support as f64
            || !bound.subtree(sums[0], sums[1], sums[2], sign, length)
        {
            return false;
        }
        let Some(sign) = sign.and(own) else { return true };
        if sums[3] + 0.5 > all[3] {
            return true;
        }
        let net = sums[0] - sums[1];
        if enter && bound.pattern(net, sums[2], sign, length) {
            self.enter(f, p, net, sign, None);
        }
        if extend && bound.subtree(sums[0], sums[1], sums[2], sign, length + 1) {
            out.push(Alive { proposition: p, sign });
        }
        true
    }

    /// Hands a pattern to the visitor; `within`: the rows of its parent, if they are at hand.
    pub fn enter(&mut self, f: usize, p: Proposition, net: f64, sign: Sign, within: Option<&[u32]>) {
        let source = Spot { space: self.space, path: &self.path, last: (f, p), within };
        let node = Node { net, length: self.path.len() + 1, sign, source: &source };
        self.stopped |= self.visitor.enter(node) == Step::Stop;
    }

    /// Whether to give up, asked at every node and answered now and then.
    pub fn is_over(&mut self) -> bool {
        self.ticks = self.ticks.wrapping_add(1);
        if self.ticks.is_multiple_of(256) {
            self.visitor.count(std::mem::take(&mut self.nodes));
            self.stopped |= self.visitor.is_over();
        }
        self.stopped
    }

    fn frame(&mut self) -> Frame {
        self.frames.pop().unwrap_or_default()
    }
}

/// Turns per-bin sums (bin b at b + 1) into prefix sums.
pub(super) fn accumulate(prefix: &mut [Sums]) {
    for b in 1..prefix.len() {
        let before = prefix[b - 1];
        add(&mut prefix[b], &before);
    }
}
