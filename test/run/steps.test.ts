/** Errors of steps that the runner requested from its ports, on a host with late answers. */
import { describe, expect, it } from 'vitest'
import type { RunPorts } from '../../src/run/ports.ts'
import { steppedPorts } from '../../src/run/stepped-ports.ts'
import type { TinyProcess } from './tiny-host.ts'

const process: TinyProcess = { name: 'consumer-1', slot: 0, state: 'running' }

/** Ports that do not await their work. */
function lab() {
  const errors: unknown[] = []
  const ports = {
    after: (_delayUs: number, work: () => unknown) => void work(),
    links: { carry: (_slot: number, _direction: string, arrive: () => unknown) => void arrive() },
    driver: {
      inTurn: (_: TinyProcess, work: () => unknown) => void work(),
      whenRunning: (_: TinyProcess, work: () => unknown) => void work(),
    },
    failed: (error: unknown) => void errors.push(error),
  } as unknown as RunPorts<TinyProcess>
  return { stepped: steppedPorts(ports, { take: async (_name, work) => work() }), errors }
}

const asks: Readonly<Record<string, (ports: RunPorts<TinyProcess>, work: () => Promise<void>) => void>> = {
  'a timer': (ports, work) => ports.after(1, work),
  'a transfer on a link': (ports, work) => ports.links.carry(0, 'to-node', work),
  'work in the turn of a process': (ports, work) => ports.driver.inTurn(process, work),
  'output of a running process': (ports, work) => ports.driver.whenRunning(process, work),
}

describe('the error of a step', () => {
  it.each(Object.keys(asks))('is reported if it is %s', async (what) => {
    const { stepped, errors } = lab()
    asks[what]!(stepped, async () => Promise.reject(new Error('the ledger has no room')))
    await new Promise(setImmediate)
    expect(errors).toEqual([new Error('the ledger has no room')])
  })
})
