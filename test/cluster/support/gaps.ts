/** Measures the longest time between two successes. */
export class Gaps {
  count = 0;
  private lastAt = performance.now();
  private longest = 0;

  note(): void {
    const now = performance.now();
    this.longest = Math.max(this.longest, now - this.lastAt);
    this.lastAt = now;
    this.count++;
  }

  /** Returns the longest time without a success since the last call, in milliseconds. */
  takeLongest(): number {
    const { longest } = this;
    this.longest = 0;
    return longest;
  }
}
