/**
 * Returns by how many standard deviations paired differences lean to one side, by the signed-rank test of Wilcoxon. If
 * the signs are random, the value is about normally distributed around 0, for any sizes, outliers and dependencies of
 * the differences.
 */
export function leaningOf(differences: readonly number[]): number {
  let [sum, squares] = [0, 0];
  const bySize = differences.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  for (const [index, difference] of bySize.entries()) {
    const rank = index + 1;
    sum += Math.sign(difference) * rank;
    squares += rank ** 2;
  }
  return sum / Math.sqrt(squares);
}
