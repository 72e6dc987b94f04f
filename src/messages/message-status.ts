/** How far a message has come. More values may follow. */
export enum MessageStatus {
  Queued = 'queued',
}
