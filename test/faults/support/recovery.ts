/** Finds out when all clients are served again. */
export class Recovery {
  /** The moment from which on each client's requests count: of the last failure, or of the end of the fault. */
  private mark: number;
  private readonly served = { GET: new Map<number, number>(), POST: new Map<number, number>() };

  constructor(
    private readonly clients: number,
    private readonly since: number,
  ) {
    this.mark = since;
  }

  noteSuccess(client: number, method: 'GET' | 'POST', begunAt: number): void {
    const served = this.served[method];
    if (begunAt > this.mark && !served.has(client)) served.set(client, performance.now());
  }

  noteFailure(): void {
    this.mark = Math.max(this.mark, performance.now());
    this.served.GET.clear();
    this.served.POST.clear();
  }

  /**
   * From the end of the fault until each client has read and written.
   *
   * @throws Error as long as that is not so, or was not so for some time
   */
  durationMs(stableMs: number): number {
    const { GET, POST } = this.served;
    if (Math.min(GET.size, POST.size) < this.clients) {
      throw new Error(`of ${this.clients} clients, ${GET.size} could read again, and ${POST.size} write`);
    }
    const recoveredAt = Math.max(...GET.values(), ...POST.values());
    if (performance.now() - recoveredAt < stableMs) throw new Error('healthy for a moment only');
    return recoveredAt - this.since;
  }
}
