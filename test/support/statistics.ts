/** Returns the value below which the given percentage of the values is, or NaN if there are none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}

/** Returns the median of the numbers, or NaN if there are none. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] =
    sorted.length % 2 === 1 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1);
  return (low + high) / 2;
}

/**
 * Returns the median of the ratios of two series, round by round. A slow phase of the machine affects both sides of a
 * ratio.
 */
export function ratio(numerators: readonly number[], denominators: readonly number[]): number {
  return median(numerators.map((numerator, round) => numerator / (denominators[round] ?? NaN)));
}
