/** Finds out when all clients are served again. */
export class Recovery {
  /** The moment from which on a request counts: of the last failure, or of the end of the fault. */
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
   * From the end of the fault until a request of each client, read or write, has succeeded.
   *
   * @throws Error as long as that is not so, or was not so for some time
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
