/** The progress of a message. New values may be added. */
export enum MessageStatus {
  Queued = 'queued',
}
