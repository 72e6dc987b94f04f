/**
 * By how many standard deviations paired differences lean to one side, in the signed-rank test of Wilcoxon:
 * about normal around 0 when a coin gave each its sign, however large they are, however many of them are far
 * out, and however they depend on each other.
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
