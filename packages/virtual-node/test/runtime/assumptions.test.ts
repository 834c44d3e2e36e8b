/** Breaks each assumption of the runtime by hand. The run ends, whatever the process does. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BrokenAssumption, takeBroken } from '../../src/assert.ts'
import { MachineClock } from '../../src/kernel/machine-clock.ts'
import { EventLoop } from '../../src/runtime/event-loop.ts'
import { VirtualProcess } from '../../src/runtime/process.ts'
import { VirtualSocket } from '../../src/runtime/socket.ts'
import { VirtualTimeout } from '../../src/runtime/timers.ts'
import { Lab } from '../lab.ts'

afterEach(() => {
  vi.restoreAllMocks()
  takeBroken()
})

const halfMicroseconds = () => vi.spyOn(MachineClock.prototype, 'worldDelayUs').mockReturnValue(0.5)

describe('a broken assumption ends a run', () => {
  it('even if the process catches it', async () => {
    const lab = new Lab()
    let caught: unknown = null
    lab.start(() => {
      halfMicroseconds()
      try {
        setTimeout(() => {}, 5)
      } catch (error) {
        caught = error
      }
    })
    await expect(lab.run()).rejects.toThrow(BrokenAssumption)
    expect(caught).toBeInstanceOf(BrokenAssumption)
  })

  it('even if it is an uncaught error or an unhandled rejection of the process', async () => {
    for (const work of [() => setTimeout(() => {}, 5), async () => setTimeout(() => {}, 5)]) {
      const lab = new Lab()
      lab.start(() => {
        halfMicroseconds()
        return work()
      })
      await expect(lab.run()).rejects.toThrow('a whole microsecond')
      vi.restoreAllMocks()
    }
  })

  it('and does not affect another run', async () => {
    const lab = new Lab()
    halfMicroseconds()
    expect(
      () =>
        new VirtualTimeout(
          lab.start(() => {}),
          5,
          false,
          () => {},
        ),
    ).toThrow(BrokenAssumption)
    vi.restoreAllMocks()
    expect(await new Lab().run()).toBe('rest')
  })
})

describe('a process throws', () => {
  const event = { atUs: 0, seq: 0, owner: null, callback: null, timerMs: null }
  const newProcess = () => {
    const lab = new Lab()
    return new VirtualProcess(lab, 'consumer-1', 0, 1, lab.clock)
  }

  it('when it takes two turns at a time, or a turn after its end', () => {
    const process = newProcess()
    process.begins(event)
    expect(() => process.begins(event)).toThrow('one turn at a time')
    process.ends()
    process.end()
    expect(() => process.begins(event)).toThrow('only a process that runs')
  })

  it('when an action overtakes a held action', () => {
    const process = newProcess()
    process.pause()
    process.whenRunning(() => {})
    process.state = 'running'
    expect(() => process.whenRunning(() => {})).toThrow('leaves first')
  })
})

describe('a timer throws', () => {
  it('when it fires early, or outside a turn of its process', async () => {
    for (const [at, owner] of [
      [3000, 'process'],
      [9000, 'nobody'],
    ] as const) {
      const lab = new Lab()
      const process: VirtualProcess = lab.start(() => {
        const { kernel } = lab
        const schedule = kernel.schedule.bind(kernel)
        vi.spyOn(process, 'schedule').mockImplementation((delayUs, callback, timerMs) => {
          schedule(at, owner === 'process' ? process : null, callback)
          return { ...schedule(delayUs, process, () => {}), timerMs: timerMs ?? null }
        })
        setTimeout(() => {}, 5)
      })
      await expect(lab.run()).rejects.toThrow(owner === 'process' ? 'goes off early' : 'in a turn of its process')
    }
  })
})

it('an event loop throws when it runs two callbacks at a time', async () => {
  const lab = new Lab()
  const looping = {
    ...{ kernel: lab.kernel, owner: new VirtualProcess(lab, 'consumer-1', 0, 1, lab.clock), isRunning: () => true },
    ...{ chance: () => lab.kernel.choices.stream('x'), over() {} },
  }
  const loop = new EventLoop(looping, { turn: null, isClosing: false, lastImmediate: 0 })
  loop.isTurning = true
  loop.goOn()
  await expect(lab.run()).rejects.toThrow('one callback at a time')
})

it('a socket throws when it is notified outside of a turn of its process, or receives other than bytes', async () => {
  const lab = new Lab()
  const process = lab.start(() => {
    const socket = new VirtualSocket(process)
    expect(() => socket.received('a\u0100')).toThrow('is bytes')
    takeBroken()
  })
  await lab.run()
  expect(() => new VirtualSocket(process).ended()).toThrow('in a turn of its process')
})
