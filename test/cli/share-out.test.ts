import { describe, expect, it } from 'vitest'
import type { End } from '../../src/campaign/play/executor.ts'
import { endOfSearch, ShareOut } from '../../src/cli/share-out.ts'

/**
 * Tasks that run until the test ends them, by name. `played`: what each thread played, in order.
 */
function sharedOut(threads: readonly string[]) {
  const shareOut = new ShareOut(threads)
  const played: string[] = []
  const ends = new Map<string, (failure?: Error) => void>()
  const give = (name: string, end?: End): Promise<string> =>
    shareOut.give(end, (thread) => {
      played.push(`${thread}: ${name}`)
      return new Promise((resolve, reject) =>
        ends.set(name, (failure) => (failure === undefined ? resolve(name) : reject(failure))),
      )
    })
  const end = async (name: string, failure?: Error): Promise<void> => {
    ends.get(name)!(failure)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { give, end, played }
}

describe('tasks that are shared out to threads', () => {
  it('go to threads whose home is their end of the queue', async () => {
    const { give, end, played } = sharedOut(['a', 'b'])
    give('dear 1', 'dear')
    give('cheap 1', 'cheap')
    give('dear 2', 'dear')
    give('cheap 2', 'cheap')
    await end('cheap 1')
    await end('dear 1')
    expect(played).toEqual(['b: dear 1', 'a: cheap 1', 'a: cheap 2', 'b: dear 2'])
  })

  it('never wait while a thread is idle, whatever its home', async () => {
    const { give, end, played } = sharedOut(['a', 'b'])
    give('dear 1', 'dear')
    give('dear 2', 'dear')
    give('dear 3', 'dear')
    await end('dear 2')
    expect(played).toEqual(['b: dear 1', 'a: dear 2', 'a: dear 3'])
  })

  it('are taken in order if none comes from the thread’s own end', async () => {
    const { give, end, played } = sharedOut(['a'])
    give('first', 'cheap')
    give('dear', 'dear')
    give('anywhere')
    give('cheap', 'cheap')
    for (const name of ['first', 'anywhere', 'cheap', 'dear']) await end(name)
    expect(played).toEqual(['a: first', 'a: anywhere', 'a: cheap', 'a: dear'])
  })

  it('free their thread when they fail', async () => {
    const { give, end, played } = sharedOut(['a'])
    const failing = give('failing')
    const next = give('next')
    const failed = expect(failing).rejects.toThrow('it fell over')
    await end('failing', new Error('it fell over'))
    await failed
    await end('next')
    expect(await next).toBe('next')
    expect(played).toEqual(['a: failing', 'a: next'])
  })
})

describe('searches for smaller runs', () => {
  it('belong to one end if they begin with the same run, and to both ends over many runs', () => {
    const ends = Array.from({ length: 20 }, (_, run) => endOfSearch({ scenarioPath: 'a', run }))
    expect(Array.from({ length: 20 }, (_, run) => endOfSearch({ scenarioPath: 'a', run }))).toEqual(ends)
    expect(ends.filter((end) => end === 'cheap').length).toBeGreaterThan(4)
    expect(ends.filter((end) => end === 'dear').length).toBeGreaterThan(4)
  })
})
