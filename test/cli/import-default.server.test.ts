import { expect, it, vi } from 'vitest'
import { inTime } from '../../src/cli/import-default.ts'

const timeouts = { idleMs: 300, allMs: 60_000 }

it('a file that waits forever is given up', async () => {
  await expect(inTime('s.ts', new Promise(() => {}), timeouts)).rejects.toThrow(
    /^s\.ts: not loaded after \d+ s; look for a top-level `await` that never ends$/,
  )
})

it('a file that works for longer is awaited, because a busy machine slows work', async () => {
  const work = async (): Promise<string> => {
    for (const endMs = performance.now() + 1_000; performance.now() < endMs; ) {
      for (const turnMs = performance.now() + 50; performance.now() < turnMs; );
      await new Promise((resolve) => setImmediate(resolve))
    }
    return 'loaded'
  }
  expect(await inTime('s.ts', work(), timeouts)).toBe('loaded')
})

it('a stalled thread counts the time in which it could look, not the time of the stall', async () => {
  let idle = 0
  const stoodStill = () => ({ idle: (idle += 60_000), active: 0, utilization: 0 })
  const spy = vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(stoodStill)
  try {
    const loading = new Promise((resolve) => setTimeout(() => resolve('loaded'), 400))
    expect(await inTime('s.ts', loading, { idleMs: 1_000, allMs: 60_000 })).toBe('loaded')
    await expect(inTime('s.ts', new Promise(() => {}), timeouts)).rejects.toThrow(/not loaded after/)
  } finally {
    spy.mockRestore()
  }
})
