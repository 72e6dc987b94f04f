/** How large the pieces are that small buffers are cut from. */
const PIECE_BYTES = 8 * 1024;

/**
 * Has Node cut small buffers, such as statements for PostgreSQL, from pieces of 8 KiB, where it would take 64. A piece
 * is in memory as long as any buffer from it is in use. With few requests under way, one of 64 KiB lasts so long
 * that V8 takes it for one that is to stay, and frees it in a full collection only: memory was 4 to 10 MiB larger.
 */
export function useSmallPieces(): void {
  Buffer.poolSize = PIECE_BYTES;
}
