/** Layers that start or answer oddly. test/cli/bad-files.test.ts has the rejected ones. */
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { noLostMessage } from '../../../src/check/no-lost-message.ts'
import type { Implementation } from '../../../src/contract/api/implementation.ts'
import { kinds } from '../../check/kinds.ts'
import { done, layer, type Play, play, sleep } from '../world-lab.ts'

const message = (key: string, publishAtMs: number) => ({ key, payload: { order: 1 }, publishAtMs })

async function answersOf(adapter: Pick<Implementation, 'create'>, options: Play = {}) {
  const { history, of } = await play(adapter, options)
  const answers = [...of('answered'), ...of('threw')].sort((a, b) => a.seq - b.seq)
  const told = answers.map((one) => (one.type === 'threw' ? one.error.replace(/:.*/s, '') : one.outcome.status))
  return { told, settled: of('settled').map(({ as }) => as), judged: kinds(noLostMessage.judge(history)) }
}

describe('a layer', () => {
  it('throws until its client is ready, and loses nothing', async () => {
    const early: Pick<Implementation, 'create'> = {
      create({ redis }) {
        const client = new Redis({ ...redis.options, enableOfflineQueue: false })
        client.on('error', () => {})
        return { handle: ({ key }) => client.get(key).then(() => done) }
      },
    }
    expect(await answersOf(early)).toEqual({ told: ['Error', 'done'], settled: ['done'], judged: 'valid' })
  })

  it('ends with its run if it leaves a subscription open for each delivery', async () => {
    const listens = layer(async ({ key }, redis) => {
      await redis.duplicate().subscribe(`done:${key}`)
      return done
    })
    const messages = [message('order-1', 0), message('order-2', 10)]
    expect(await answersOf(listens, { messages })).toMatchObject({ settled: ['done', 'done'], judged: 'valid' })
  })
})

describe('a handler', () => {
  it('is held to its first answer if it answers twice', async () => {
    const twice = layer(
      () =>
        new Promise((resolve, reject) => {
          resolve(done)
          resolve({ status: 'retry' })
          reject(new Error('too late'))
        }),
    )
    expect(await answersOf(twice)).toEqual({ told: ['done'], settled: ['done'], judged: 'valid' })
  })

  it('is ignored by the broker if it answers late, and did not hang', async () => {
    const slow = layer(async () => {
      await sleep(100_000)
      return done
    })
    const late = await answersOf(slow, { visibilityMs: 1000, maxAttempts: 2 })
    expect(late).toEqual({ told: ['done', 'done'], settled: ['given-up'], judged: ['given-up'] })
  })

  it('does not answer after the end of its process', async () => {
    const slow = layer(async () => {
      await sleep(200)
      return done
    })
    const crash = { kind: 'crash', when: { at: 'time', ms: 100 }, consumer: 0, healAfterMs: 10 } as const
    expect(await answersOf(slow, { faults: [crash] })).toEqual({ told: ['done'], settled: ['done'], judged: 'valid' })
  })
})
