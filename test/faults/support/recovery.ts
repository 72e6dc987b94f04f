/** Detects when all clients are served again. */
export class Recovery {
  /** Requests count from this time on: the last failure, or the end of the fault. */
  private mark: number;
  private readonly servedAt = new Map<number, number>();

  constructor(
    private readonly clients: number,
    private readonly since: number,
  ) {
    this.mark = since;
  }

  noteSuccess(client: number, begunAt: number): void {
    if (begunAt > this.mark && !this.servedAt.has(client)) this.servedAt.set(client, performance.now());
  }

  noteFailure(): void {
    this.mark = Math.max(this.mark, performance.now());
    this.servedAt.clear();
  }

  /**
   * Returns the time from the end of the fault until a request of each client, read or write, has succeeded.
   *
   * @throws Error if that has not happened, or has not lasted long enough
   */
  durationMs(stableMs: number): number {
    if (this.servedAt.size < this.clients) {
      throw new Error(`${this.servedAt.size} of ${this.clients} clients are served again`);
    }
    const recoveredAt = Math.max(...this.servedAt.values());
    if (performance.now() - recoveredAt < stableMs) throw new Error('healthy for a moment only');
    return recoveredAt - this.since;
  }
}
