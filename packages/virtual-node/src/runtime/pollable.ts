/**
 * What is left to read: libuv reads on in the same callback, comes back in the next round of its
 * loop, or waits for more.
 */
export type Rest = 'at once' | 'next round' | null

/** What epoll watches for a process: a connection, or a socket that listens. */
export interface Pollable {
  /** In a turn of the process. */
  poll(): Rest
}
