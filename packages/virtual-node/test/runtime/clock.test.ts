import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/epoch.ts'
import { Lab } from '../lab.ts'

describe('clocks', () => {
  it('follow virtual time in a process: the wall clock from the epoch, other clocks from the start of the process', async () => {
    const lab = new Lab()
    const read: unknown[] = []
    lab.at(1000, () =>
      lab.start(() => {
        setTimeout(() => {
          read.push(Date.now(), new Date().toISOString(), Date.parse(Date()), performance.now(), process.hrtime())
          read.push(process.hrtime([0, 600_000_000]), process.hrtime.bigint(), process.uptime(), performance.timeOrigin)
        }, 1500)
      }),
    )
    await lab.run()
    const now = epochMs + 2500
    expect(read).toEqual([
      now,
      new Date(now).toISOString(),
      Math.floor(now / 1000) * 1000,
      1500,
      [1, 500_000_000],
      [0, 900_000_000],
      1_500_000_000n,
      1.5,
      epochMs + 1000,
    ])
  })

  it('do not advance within a turn', async () => {
    const lab = new Lab()
    lab.start(async () => {
      const start = Date.now()
      for (let i = 0; i < 1e6; i++) Math.sqrt(i)
      await null
      expect(Date.now()).toBe(start)
    })
    await lab.run()
    expect(lab.deaths).toEqual([])
  })

  it('are real outside every process', () => {
    expect(Date.now()).not.toBe(epochMs)
    const before = process.hrtime.bigint()
    for (let i = 0; i < 1e5; i++) Math.sqrt(i)
    expect(process.hrtime.bigint()).toBeGreaterThan(before)
    expect(performance.now()).toBeGreaterThan(0)
  })

  it('do not break Date', async () => {
    const lab = new Lab()
    lab.start(() => {
      class Mine extends Date {
        year() {
          return this.getUTCFullYear()
        }
      }
      expect(new Mine().year()).toBe(2026)
      expect(new Mine(0).year()).toBe(1970)
      expect(new Date(2020, 1, 29) instanceof Date).toBe(true)
      expect(new Date(0).constructor).toBe(Date)
      expect(new Date(0).toISOString()).toBe('1970-01-01T00:00:00.000Z')
      expect(Number.isNaN(new Date(undefined as never).getTime())).toBe(true)
      expect(Date.UTC(1970, 0)).toBe(0)
      expect(Date.length).toBe(7)
      expect(typeof Date()).toBe('string')
    })
    await lab.run()
    expect(lab.deaths).toEqual([])
  })
})
