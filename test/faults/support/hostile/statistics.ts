/**
 * By how many standard deviations the ranks of one sample lie above those of another, in the test of Mann
 * and Whitney: about normal around 0 when both come from the same distribution, whatever its form.
 */
export function differenceOf(sample: readonly number[], other: readonly number[]): number {
  const all = [
    ...sample.map((value) => ({ value, own: true })),
    ...other.map((value) => ({ value, own: false })),
  ];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let start = 0, end = 0; start < all.length; start = end) {
    while (end < all.length && all[end]?.value === all[start]?.value) end++;
    // Equal values share the mean of their ranks.
    const rank = (start + 1 + end) / 2;
    ranks += rank * all.slice(start, end).filter(({ own }) => own).length;
  }
  const [n, m] = [sample.length, other.length];
  const u = ranks - (n * (n + 1)) / 2;
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
