/**
 * Functions that observe servers and the sink. Times are milliseconds of the process's monotonic
 * clock.
 */
import type { Redis } from 'ioredis'

export const lookMs = 1000

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Returns the observation, or false if it fails or takes longer than six times `lookMs`. Without
 * this limit, a pending observation would block messages under other kinds of faults, and a failed
 * one would fail all messages.
 */
export function seenInTime(looking: Promise<boolean>): Promise<boolean> {
  return Promise.race([looking.catch(() => false), sleep(6 * lookMs).then(() => false)])
}

/** Calls `look` repeatedly, without waiting for a call to end. Returns all results. */
export async function lookOften<T>(
  everyMs: number,
  look: (at: number) => T | Promise<T>,
  forMs = lookMs,
): Promise<T[]> {
  const looks: Promise<T>[] = []
  const untilMs = performance.now() + forMs
  for (let at = 0; performance.now() < untilMs; at++) {
    looks.push(Promise.resolve(look(at)))
    await sleep(everyMs)
  }
  return Promise.all(looks)
}

/** A field of INFO, as text. */
export async function info(client: Redis, section: string, field: string): Promise<string> {
  const text = await client.info(section)
  return new RegExp(`^${field}:(.*)\r$`, 'm').exec(text)?.[1] ?? ''
}

/** True if `many` consecutive elements match. */
export function inARow<T>(seen: readonly T[], many: number, such: (one: T) => boolean): boolean {
  let row = 0
  return seen.some((one) => (row = such(one) ? row + 1 : 0) >= many)
}

/** A server's reply to a write: OK, or the error's first word; 'no answer' for other errors. */
export async function answerToWrite(client: Redis): Promise<string> {
  try {
    return await client.set('canary:write', 1, 'PX', 60_000)
  } catch (error) {
    const { name, message } = error as Error
    return name === 'ReplyError' ? message.split(' ', 1)[0]! : 'no answer'
  }
}
