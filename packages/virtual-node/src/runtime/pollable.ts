/**
 * When to read the rest: libuv continues in the same callback, comes back in the next round of its
 * loop, or waits for more.
 */
export type Rest = 'at once' | 'next round' | null

/** Something that epoll watches for a process: a connection, or a listening socket. */
export interface Pollable {
  /** Call it in a turn of the process. */
  poll(): Rest
}
