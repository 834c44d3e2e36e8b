/**
 * Timers of a layer in a run that follows a schedule: none fires before the harness releases it.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('holds AbortSignal.timeout, waits and intervals of timers/promises, and limits of sockets', () => {
  const file = fileURLToPath(new URL('./programs/held-timers.ts', import.meta.url))
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ early: [], said: ['tick', 'TimeoutError', 'waited', 'tick', 'idle'] })
})
