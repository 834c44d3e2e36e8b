/**
 * Compares in which round and phase of its event loop a process handles the events that arrived
 * while it was stopped. Real processes that are stopped by SIGSTOP are the reference.
 */
import { describe, expect, it } from 'vitest'
import { Lab } from '../lab.ts'
import { expectAlike, fin, named, rst, sends } from './stopped-process.ts'

describe('a process that was stopped', () => {
  it.concurrent.each(named([[sends('one'), fin()], [sends('one'), rst()], [fin()], [fin(), rst()]]))(
    'is connected, and reads one round later, if the connection opened during the stop: %s',
    async (_steps, steps) => {
      await expectAlike('has not looked, and does so closely', { steps })
    },
  )

  const immediates = named([[sends('one'), fin()], [rst()]])
  it.concurrent.each(immediates)(
    'in the turn of a timer reads before its earlier immediates: %s',
    async (_steps, steps) => {
      const said = await expectAlike('has immediates, and is stopped in a timer', { steps })
      expect(said[1]).toBe('immediate made before')
    },
  )

  it.concurrent.each(immediates)(
    'in the turn of an immediate runs the rest of the round, timers, sockets, and then new immediates: %s',
    async (_steps, steps) => {
      const said = await expectAlike('has immediates, and is stopped in one', { steps })
      expect(said.slice(0, 2)).toEqual(['immediate of the same round', 'timer'])
      expect(said[3]).toBe('immediate made by the one before')
    },
  )

  const closing = named([
    [fin(0), fin(1)],
    [fin(1), fin(0)],
    [rst(0), rst(1)],
    [sends('one', 0), sends('two', 1), sends('three', 0), fin(0), fin(1)],
    [sends('one', 0), fin(1), rst(0)],
  ])
  it.concurrent.each(closing)('closes several sockets in reverse order within one round: %s', async (_steps, steps) => {
    await expectAlike('has two connections, and looks closely', { steps, connections: 2 })
  })
  it.concurrent.each(closing)(
    'closes several sockets as in Node if it was stopped in the turn of a timer: %s',
    async (_steps, steps) => {
      await expectAlike('has two connections, and is stopped in a timer', { steps, connections: 2 })
    },
  )
})

describe('a process that is paused', () => {
  const paused = async (seed: number, inItsTurn: boolean) => {
    const lab = new Lab(seed)
    const chosen: string[] = []
    lab.kernel.choices.observe = ({ stream, what }) => void (stream.startsWith('resume') && chosen.push(what))
    const said: string[] = []
    const process = lab.start(() => {
      setTimeout(() => said.push('timer'), 50)
      if (inItsTurn) process.pause()
    })
    lab.at(10, () => process.pause())
    lab.at(20, () => lab.kernel.turn(process, () => said.push('data')))
    lab.at(100, () => process.resume())
    await lab.run()
    return { said: said.join(), chosen }
  }

  it('outside a turn runs timers or sockets first, by choice', async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed < 20; seed++) {
      const { said, chosen } = await paused(seed, false)
      expect(chosen).toEqual(['sockets before timers'])
      seen.add(said)
    }
    expect([...seen].sort()).toEqual(['data,timer', 'timer,data'])
  })

  it('in a turn continues with the next phase, without a choice', async () => {
    for (let seed = 1; seed < 20; seed++) expect(await paused(seed, true)).toEqual({ said: 'timer,data', chosen: [] })
  })

  it('in the turn of a timer that was due continues after that turn', async () => {
    const lab = new Lab()
    const said: string[] = []
    const process = lab.start(() => {
      for (const name of ['first', 'second'])
        setTimeout(() => {
          said.push(name)
          setImmediate(() => said.push(`immediate of ${name}`))
          if (name === 'first') process.pause()
        }, 50)
      setTimeout(() => said.push('third'), 250)
      process.pause()
    })
    lab.at(100, () => process.resume())
    lab.at(200, () => lab.kernel.turn(process, () => said.push('data')))
    lab.at(300, () => process.resume())
    await lab.run()
    expect(said).toEqual(['first', 'second', 'data', 'immediate of first', 'immediate of second', 'third'])
  })
})
