/**
 * The overhead of one event: the queue, entering a process, and draining the tasks that the event
 * left.
 */

import { Choices, Kernel, MachineClock } from 'virtual-node/kernel'
import { install, type ProcessHost, turns, VirtualProcess } from 'virtual-node/runtime'
import { ReadableFiles } from '../../src/sim/adapters/loader.ts'
import type { Cost } from './cost.ts'

/**
 * The number of other timers in the queue, such as visibility timeouts, lease timers and connection
 * timeouts.
 */
const waiting = 30
const farUs = 1e12

export const event: Cost = {
  name: 'an event of a simulated process',
  times: 200_000,
  prepare() {
    install()
    const kernel = new Kernel<VirtualProcess>(new Choices({ seed: 1 }), turns)
    const process = new VirtualProcess(hostOf(kernel), 'consumer-1', 0, 1, new MachineClock(() => kernel.nowUs, 0))
    for (let timer = 0; timer < waiting; timer++) process.schedule(farUs + timer, () => {})
    return (times) => {
      let left = times
      const step = () => {
        if (--left > 0) process.schedule(7, step)
      }
      process.schedule(7, step)
      void kernel.run(() => left === 0, { timeUs: farUs, events: Number.MAX_SAFE_INTEGER })
    }
  },
}

function hostOf(kernel: Kernel<VirtualProcess>): ProcessHost {
  return {
    kernel,
    connect() {
      throw new Error('nothing is connected here')
    },
    listen() {
      throw new Error('no listener here')
    },
    resolve: () => null,
    log() {},
    died(_process, error) {
      throw error
    },
    timerStarted() {},
    unsupported() {},
    files: new ReadableFiles(import.meta.filename),
    fileRead() {},
  }
}
