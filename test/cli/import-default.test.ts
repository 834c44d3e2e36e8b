import { expect, it } from 'vitest'
import { inTime } from '../../src/cli/import-default.ts'

const patience = { idleMs: 300, wallMs: 60_000 }

it('a file that waits for what never comes is given up', async () => {
  await expect(inTime('s.ts', new Promise(() => {}), patience)).rejects.toThrow(
    /^s\.ts: it is not loaded after \d+ s; what does it `await`\?$/,
  )
})

it('a file that works for longer than that is waited for: a busy machine makes work long', async () => {
  const work = async (): Promise<string> => {
    for (const endMs = performance.now() + 1_000; performance.now() < endMs; ) {
      for (const turnMs = performance.now() + 50; performance.now() < turnMs; );
      await new Promise((resolve) => setImmediate(resolve))
    }
    return 'loaded'
  }
  expect(await inTime('s.ts', work(), patience)).toBe('loaded')
})
