import { describe, expect, it } from 'vitest'
import type { VirtualProcess } from '../../src/runtime/process.ts'
import { Lab } from '../lab.ts'

describe('a paused process', () => {
  it('does nothing, and catches up in order when it resumes', async () => {
    const lab = new Lab()
    const log: string[] = []
    const note = (what: string) => () => log.push(`${what} at ${performance.now()}`)
    const process = lab.start(() => {
      setTimeout(note('before'), 10)
      setTimeout(note('first'), 30)
      setTimeout(note('second'), 40)
      setTimeout(note('late'), 200)
      const cleared = setTimeout(note('cleared meanwhile'), 50)
      setTimeout(() => clearTimeout(cleared), 35)
    })
    lab.start(() => setTimeout(note('other'), 50), 1)
    lab.at(20, () => process.pause())
    lab.at(100, () => process.resume())
    await lab.run()
    expect(log).toEqual(['before at 10', 'other at 50', 'first at 100', 'second at 100', 'late at 200'])
  })

  it('finishes the turn that paused it, and sends its writes in order when it resumes', async () => {
    const lab = new Lab()
    const log: string[] = []
    const sent = (what: string) => () => log.push(`${what} at ${lab.kernel.nowUs}`)
    const process: VirtualProcess = lab.start(() => {
      process.whenRunning(sent('a'))
      process.pause()
      log.push('still in its turn')
      process.whenRunning(sent('b'))
      process.whenRunning(sent('c'))
    })
    lab.at(5, () => process.resume())
    await lab.run()
    expect(log).toEqual(['a at 0', 'still in its turn', 'b at 5000', 'c at 5000'])
  })

  it('sends no held bytes if it ends', async () => {
    const lab = new Lab()
    const process: VirtualProcess = lab.start(() => {
      process.pause()
      process.whenRunning(() => expect.unreachable())
      setTimeout(() => expect.unreachable(), 1)
    })
    lab.at(5, () => process.end())
    lab.at(6, () => process.resume())
    await lab.run()
    expect(process.state).toBe('ended')
  })
})

describe('an ended process', () => {
  it('does nothing: no timer, tick, continuation or output', async () => {
    const lab = new Lab()
    const log: string[] = []
    const process: VirtualProcess = lab.start(async () => {
      setTimeout(() => log.push('timer'), 1)
      setInterval(() => log.push('interval'), 1)
      process.end()
      console.log('printed')
      globalThis.process.stdout.write('written')
      setTimeout(() => log.push('timer of the dead'), 1)
      globalThis.process.nextTick(() => log.push('tick of the dead'))
      process.whenRunning(() => log.push('sent'))
      await new Promise((resolve) => setTimeout(resolve, 5))
      log.push('resumed')
    })
    await lab.run()
    expect(log).toEqual([])
    expect(lab.logs).toEqual([])
    expect(lab.deaths).toEqual([])
  })
})

describe('process', () => {
  it('.exit and .abort end only this process, whatever its code catches', async () => {
    const lab = new Lab()
    const log: string[] = []
    lab.start(() => {
      process.once('exit', (code) => log.push(`exit ${code}`))
      try {
        process.exit(3)
      } catch {
        log.push('caught, and of no consequence')
        setTimeout(() => log.push('timer'), 1)
      }
    })
    lab.start(async () => {
      await null
      process.abort()
    }, 1)
    lab.start(() => setTimeout(() => log.push('alive'), 10), 2)
    await lab.run()
    expect(lab.deaths).toEqual(['consumer-1: process.exit(3)', 'consumer-2: process.abort()'])
    expect(log).toEqual(['exit 3', 'caught, and of no consequence', 'alive'])
  })

  it('.exit still ends only this process after a test runner replaced it', async () => {
    const lab = new Lab()
    const called: unknown[] = []
    const own = process.exit
    process.exit = ((code) => called.push(code)) as typeof process.exit
    lab.start(() => process.exit(3))
    await lab.run()
    process.exit(7)
    process.exit = own
    expect({ deaths: lab.deaths, called }).toEqual({ deaths: ['consumer-1: process.exit(3)'], called: [7] })
  })

  it('.kill does not reach processes of the real machine', async () => {
    const lab = new Lab()
    const log: string[] = []
    lab.start(() => {
      log.push(`${process.kill(process.pid, 0)}`)
      try {
        process.kill(process.pid + 1, 'SIGKILL')
      } catch (error) {
        log.push((error as { code: string }).code)
      }
      process.kill(process.pid, 'SIGTERM')
    })
    await lab.run()
    expect(log).toEqual(['true', 'ESRCH'])
    expect(lab.deaths).toEqual(['consumer-1: process.kill(process.pid, SIGTERM)'])
  })

  it('.on listens for one process, and never for the harness', async () => {
    const before = process.listenerCount('SIGTERM')
    const lab = new Lab()
    const counts: number[] = []
    for (const slot of [0, 1])
      lab.start(() => {
        process.on('SIGTERM', () => {}).once('SIGTERM', () => {})
        counts.push(process.listenerCount('SIGTERM'))
        process.removeAllListeners('SIGTERM')
        counts.push(process.listenerCount('SIGTERM'))
      }, slot)
    await lab.run()
    expect(counts).toEqual([2, 0, 2, 0])
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
