import { expect, it } from 'vitest'
import { watchLoopback } from './loopback-delay.ts'

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('the delay of late bytes is measured, even if they have not arrived at the end', async () => {
  const watched = await watchLoopback()
  await later(20)
  for (const until = performance.now() + 30; performance.now() < until; );
  await later(5)
  expect(watched.stop()).toBeGreaterThan(29)
  const underWay = await watchLoopback()
  for (const until = performance.now() + 30; performance.now() < until; );
  expect(underWay.stop()).toBeGreaterThan(29)
})

it('a delay is measured on a machine that is not busy', async () => {
  const watched = await watchLoopback()
  await later(50)
  const longestMs = watched.stop()
  expect(longestMs).toBeGreaterThan(0)
})
