"""Names, strings and helpers in C."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .products import ALMOST_ZERO

_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline
        int long register restrict return short signed sizeof static struct switch typedef union
        unsigned void volatile while asm class delete friend new operator private protected public
        template this try virtual bool true false catch namespace using export
        and or not xor compl bitand bitor and_eq or_eq xor_eq not_eq nullptr constexpr consteval
        constinit typename explicit mutable friend wchar_t char8_t char16_t char32_t alignas alignof
        decltype static_assert thread_local typeid noexcept concept requires co_await co_return
        co_yield const_cast dynamic_cast reinterpret_cast static_cast typeof typeof_unqual near far
        NULL NAN INFINITY HUGE HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL
        FP_ILOGB0 FP_ILOGBNAN FP_FAST_FMA FP_FAST_FMAF FP_FAST_FMAL MATH_ERRNO MATH_ERREXCEPT
        math_errhandling MAXFLOAT DOMAIN SING OVERFLOW UNDERFLOW PLOSS TLOSS X_TLOSS errno EOF linux unix i386
        M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
        """,
    )
)
"""Words of C, and of C++, which may compile the same text, and macros of the headers and of compilers."""

HELPERS = {
    "score_code_text": """
static int score_code_text(const char *x, const char *const *levels, int n, int unknown) {
  int k;
  if (x == NULL) return -1;
  for (k = 0; k < n; k++) if (strcmp(x, levels[k]) == 0) return k;
  return unknown;
}""",
    "score_code_number": """
static int score_code_number(double x, const double *levels, int n, int unknown) {
  int k;
  if (isnan(x)) return -1;
  for (k = 0; k < n; k++) if (x == levels[k]) return k;
  return unknown;
}""",
    "score_step": """
static double score_step(double x, const double *cuts, int n, const double *values, double missing) {
  int low = 0, high = n;
  if (isnan(x)) return missing;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (cuts[middle] < x) low = middle + 1; else high = middle;
  }
  return values[low];
}""",
    "score_machine": f"""
static double score_machine(double total, int order, const double *atoms, int rank, const double *signs,
                            const int *starts, const int *places, const double *weights) {{
  int s, j, t, last = order == 0 ? 0 : order - 2;
  for (s = 0; s < rank; s++) {{
    double state[5] = {{0.0, 0.0, 0.0, 0.0, 0.0}};
    if (order == 0) {{ state[0] = 1.0; total += signs[s]; }}
    for (j = starts[s]; j < starts[s + 1]; j++) {{
      double z = atoms[places[j]] * weights[j];
      total += signs[s] * (state[last] * z);
      if (order == 0) state[0] *= z == -1.0 ? {ALMOST_ZERO!r} : 1.0 + z;
      else {{
        for (t = last; t > 0; t--) state[t] += state[t - 1] * z;
        state[0] += z;
      }}
    }}
  }}
  return total;
}}""",
}
"""Helper functions, included where the model needs them; order 0 is the machine of all subsets."""

LOG_ODDS = """
static void score_probabilities(const double *decision, double *probability) {
  double logs[N_OUTPUTS], largest = -INFINITY, total = 0.0;
  int k;
  for (k = 0; k < N_OUTPUTS; k++) {
    double f = SCALE * decision[k];
    logs[k] = (f < 0.0 ? f : 0.0) - log1p(exp(-fabs(f)));
    if (logs[k] > largest) largest = logs[k];
  }
  for (k = 0; k < N_OUTPUTS; k++) { probability[k] = exp(logs[k] - largest); total += probability[k]; }
  for (k = 0; k < N_OUTPUTS; k++) probability[k] /= total;
}"""

LOG_ODDS_OF_TWO = """
static void score_probabilities(const double *decision, double *probability) {
  double f = SCALE * decision[0], tail = exp(-fabs(f));
  probability[f > 0.0 ? 0 : 1] = tail / (1.0 + tail);
  probability[f > 0.0 ? 1 : 0] = 1.0 / (1.0 + tail);
}"""

OF_SCORE = """
static void score_probabilities(const double *decision, double *probability) {
  double odds = (decision[0] - EVEN) / UNIT, tail = exp(-fabs(odds));
  probability[0] = (odds > 0.0 ? 1.0 : tail) / (1.0 + tail);
}"""

CLIPPED = """
static void score_probabilities(const double *decision, double *probability) {
  double total = 0.0;
  int k;
  for (k = 0; k < N_OUTPUTS; k++) {
    double p = (1.0 + decision[k]) / 2.0;
    probability[k] = p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
    total += probability[k];
  }
  for (k = 0; k < N_OUTPUTS; k++) probability[k] = total > 0.0 ? probability[k] / total : 1.0 / N_OUTPUTS;
}"""

CLIPPED_OF_TWO = """
static void score_probabilities(const double *decision, double *probability) {
  double p = (1.0 + decision[0]) / 2.0;
  probability[1] = p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
  probability[0] = 1.0 - probability[1];
}"""


def string(text: str) -> str:
    r"""Write a text as a string of its UTF-8 bytes.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The literal.

    Raises
    ------
    ValueError
        If it holds the character NUL, which ends a string of C.

    Examples
    --------
    >>> print(string("it's\ta tab"))
    "it's\011a tab"
    """
    if "\0" in text:
        raise ValueError(f"the text {text!r} holds NUL, which ends a string of C; use to_python")
    plain = set(range(32, 127)) - {ord(char) for char in '"\\?'}
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def comment(text: str) -> str:
    """Write a text in quotes such that it cannot end a comment.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text in quotes.

    Examples
    --------
    >>> print(comment("a*b"), "*/" in comment("a*/b"))
    "a*b" False
    """
    return string(text.replace("\0", " ")).replace("*/", "*\\057").replace("/*", "\\057*")


def field_names(names: Sequence[str]) -> list[str]:
    """Turn names of columns to different names of fields.

    Parameters
    ----------
    names : list of str
        The names of columns.

    Returns
    -------
    list of str
        Letters, digits and underscores.

    Examples
    --------
    >>> field_names(["age", "income in $", "income in €", "2nd", "int"])
    ['age', 'income_in', 'income_in_2', 'x_2nd', 'x_int']
    """
    found: list[str] = []
    for name in names:
        field = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
        if not field or field[0].isdigit() or field in _KEYWORDS:
            field = f"x_{field}"
        unique, number = field, 2
        while unique in found:
            unique, number = f"{field}_{number}", number + 1
        found.append(unique)
    return found
