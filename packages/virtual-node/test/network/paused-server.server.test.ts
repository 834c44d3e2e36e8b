/**
 * Compares what a serving process observes of clients that connected while it was stopped. Real
 * processes that are stopped by SIGSTOP are the reference.
 */
import { describe, expect, it } from 'vitest'
import { connects, expectAlike, fin, named, rst, sends } from './stopped-process.ts'

describe('a server that was stopped', () => {
  const newcomers = named([
    [connects(0), sends('one', 0)],
    [connects(0), connects(1), sends('one', 0), sends('two', 1), sends('three', 0), fin(0)],
    [connects(0), sends('one', 0), rst(0)],
    [connects(0), rst(0), connects(1)],
    [connects(0), connects(1), fin(1), fin(0)],
  ])
  it.concurrent.each(newcomers)(
    'accepts one client in a round, and reads in the next round: %s',
    async (_steps, steps) => {
      const said = await expectAlike('serves nobody yet', { steps, clients: 0 })
      expect(said.slice(0, 3)).toEqual(['timer', '0: connection', '0: immediate of connection'])
    },
  )
  it.concurrent.each(newcomers.slice(0, 2))(
    'accepts its clients before a due timer if it was stopped in the turn of a timer: %s',
    async (_steps, steps) => {
      const said = await expectAlike('serves nobody yet, and is stopped in a timer', { steps, clients: 0 })
      expect(said.slice(0, 3)).toEqual(['0: connection', '0: immediate of connection', 'timer'])
    },
  )

  const amongOthers = named([
    [sends('one', 0), sends('two', 1), sends('three', 0), connects(2), sends('four', 2)],
    [sends('one', 1), connects(2), sends('two', 0), fin(2), fin(1), fin(0)],
    [connects(2), sends('one', 2), sends('two', 0)],
    [rst(1), rst(0)],
    [sends('one', 0), fin(0), rst(0), rst(1)],
    [fin(1), connects(2), fin(2), connects(3), rst(3)],
  ])
  it.concurrent.each(amongOthers)('checks its sockets in the order of their events: %s', async (_steps, steps) => {
    await expectAlike('serves two', { steps, clients: 2 })
  })
  it.concurrent.each(amongOthers.slice(0, 3))(
    'checks its sockets in the order of their events if it was stopped in the turn of a timer: %s',
    async (_steps, steps) => {
      await expectAlike('serves two, and is stopped in a timer', { steps, clients: 2 })
    },
  )

  it.concurrent.each(
    named([
      [sends('one'), fin(0), rst(0), rst(1)],
      [fin(0), rst(0)],
    ]),
  )('does not notice a reset after an end if it keeps its own side open: %s', async (_steps, steps) => {
    const said = await expectAlike('serves two, half-open', { steps, clients: 2 })
    expect(said.filter((line) => line.startsWith('0: error'))).toEqual([])
  })

  it.concurrent('does not notice a reset after an end that it read before the stop, but its write fails', async () => {
    const said = await expectAlike('serves on after the end, half-open', {
      clients: 1,
      before: [fin(0)],
      steps: [rst(0)],
    })
    expect(said.filter((line) => line.startsWith('error'))).toEqual(['error EPIPE write'])
  })
})
