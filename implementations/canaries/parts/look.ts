/** Ways of looking at the world, in milliseconds of the process's own clock. */
import type { Redis } from 'ioredis'

export const lookMs = 1000

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * What it saw; or false, where it is refused or takes longer than six looks. Without that, a canary that waits for an answer would keep messages
 * waiting, and one that is refused would hand out that refusal for ever: under faults of another kind.
 */
export function seenInTime(looking: Promise<boolean>): Promise<boolean> {
  return Promise.race([looking.catch(() => false), sleep(6 * lookMs).then(() => false)])
}

/** Looks again and again, without waiting for what a look takes; answers all that was seen. */
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

/** Whether so many neighbours in a row are such. */
export function inARow<T>(seen: readonly T[], many: number, such: (one: T) => boolean): boolean {
  let row = 0
  return seen.some((one) => (row = such(one) ? row + 1 : 0) >= many)
}

/** What a server says to a write: its error's first word, or OK. Errors of the connection are none of its words. */
export async function answerToWrite(client: Redis): Promise<string> {
  try {
    return await client.set('canary:write', 1, 'PX', 60_000)
  } catch (error) {
    const { name, message } = error as Error
    return name === 'ReplyError' ? message.split(' ', 1)[0]! : 'no answer'
  }
}
