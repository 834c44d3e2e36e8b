/** What nodes report about each other while some are cut off. The nodes are fakes. */
import { expect, it } from 'vitest'
import { CutWatch } from '../../../src/live/cluster/cut-watch.ts'

interface Says {
  /** Milliseconds since the cut; 0 for an answered ping. */
  readonly ping: number
  readonly pong: number
  readonly state?: string
  readonly flags?: string
}

/**
 * `redis-1a` is cut off from `redis-1b`. `a` and `b`: the report of each about the other; null if
 * it does not answer.
 */
async function seenOf(says: { readonly a: Says | null; readonly b: Says | null }, lastsMs = 0) {
  let fromMs = 0
  const line = (id: string, { ping, pong, state = 'connected', flags = 'master' }: Says) =>
    `${id} 127.0.0.1:1@2 ${flags} - ${ping === 0 ? 0 : fromMs + ping} ${fromMs + pong} 1 ${state} 0-1`
  const node = (other: string, said: Says | null) => ({
    up: said !== null,
    frozen: false,
    call: async () =>
      `myself 127.0.0.1:3@4 myself,master - 0 0 1 connected\n${said === null ? '' : line(other, said)}\n`,
  })
  const nodes = { 'redis-1a': node('redis-1b', says.a), 'redis-1b': node('redis-1a', says.b) }
  const cluster = {
    named: (name: keyof typeof nodes) => nodes[name],
    placeOf: ({ name }: { readonly name: string }) => ({ id: name }),
  }
  const watch = new CutWatch(cluster as never, { machines: ['redis-1a'], others: ['redis-1b'] })
  fromMs = Date.now()
  await new Promise((resolve) => setTimeout(resolve, lastsMs))
  return (await watch.look()).as
}

const before: Says = { ping: 0, pong: -10 }

const cases: Record<string, [a: Says | null, b: Says | null, lastsMs: number, as: string]> = {
  'that had no request between them': [before, before, 0, 'unseen'],
  'one of which got no answer for long': [before, { ping: 1, pong: -10 }, 100, 'seen'],
  'one of which waits for an answer as before': [before, { ping: -200, pong: -210 }, 0, 'unseen'],
  'with a closed link': [{ ...before, state: 'disconnected' }, before, 0, 'seen'],
  'one of which reports the other as failed': [null, { ...before, flags: 'master,fail?' }, 0, 'seen'],
  'one of which got an answer of the other': [{ ping: 1, pong: -10 }, { ping: 0, pong: 600 }, 100, 'refuted'],
  'with a late answer': [{ ping: 1, pong: 100 }, before, 100, 'seen'],
  'without an answer from either': [null, null, 100, 'unseen'],
}

it.each(Object.entries(cases))('nodes %s', async (_, [a, b, lastsMs, as]) => {
  expect(await seenOf({ a, b }, lastsMs)).toBe(as)
})
