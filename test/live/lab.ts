/**
 * Live runs for tests, on local servers behind the built-in proxy, with plans of a few messages.
 */

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Choices } from 'virtual-node/kernel'
import { afterAll, beforeAll } from 'vitest'
import type { Fact } from '../../src/contract/api/history.ts'
import type { Plan, PlannedFault } from '../../src/contract/api/plan.ts'
import type { LiveOutcome } from '../../src/contract/results/live-run.ts'
import type { LiveEnvironment } from '../../src/live/environment/environment.ts'
import { RunDirectory } from '../../src/live/environment/run-directory.ts'
import { liveRun } from '../../src/live/host/live-run.ts'
import { consumerProgram } from '../../src/live/host/programs.ts'
import type { LiveRunRequest } from '../../src/live/host/run-request.ts'
import { withoutRedis, withPostgres } from '../../src/live/postgres/with-postgres.ts'
import { LoopbackProxy } from '../../src/live/proxy/loopback-proxy.ts'
import { openLocal } from '../../src/live/servers/local.ts'
import { openLocalPostgres } from '../../src/live/servers/local-postgres.ts'
import { bundleProgram } from '../../src/sim/adapters/loader.ts'
import { type Needs, needs, pathOf } from '../needs/needs.ts'

export interface Lab {
  readonly directory: RunDirectory
  readonly environment: LiveEnvironment
  run(adapter: string, plan: Partial<Plan>, more?: Partial<LiveRunRequest>): Promise<LiveOutcome>
}

/** The requirements and the environment of a suite. */
interface Stage {
  readonly needs: Needs
  open(directory: RunDirectory): Promise<LiveEnvironment>
  readonly order: Pick<LiveRunRequest, 'stores' | 'sink'>
}

const onRedis: Stage = {
  needs: { redis: '7.0' },
  open: (directory) => openLocal(directory, new LoopbackProxy(), 'redis-server'),
  order: { stores: ['redis'], sink: 'plain' },
}

const onPostgres: Stage = {
  needs: { postgres: '15' },
  open: async (directory) =>
    withPostgres(withoutRedis('local', new LoopbackProxy()), await openLocalPostgres(directory, pathOf('postgres'))),
  order: { stores: ['postgres'], sink: 'transactional' },
}

export const describeLive = (name: string, suite: (lab: Lab) => void): void => onStage(onRedis, name, suite)

/** A suite of layers on PostgreSQL whose effects are rows. */
export const describeLivePostgres = (name: string, suite: (lab: Lab) => void): void => onStage(onPostgres, name, suite)

function onStage({ needs: needed, open, order }: Stage, name: string, suite: (lab: Lab) => void): void {
  needs(needed).describe(name, () => {
    const lab = { run: runOn } as unknown as { -readonly [K in keyof Lab]: Lab[K] }
    beforeAll(async () => {
      lab.directory = new RunDirectory()
      lab.environment = await open(lab.directory)
    })
    afterAll(async () => {
      await lab.environment.close()
      lab.directory.close()
    })
    async function runOn(adapter: string, plan: Partial<Plan>, more: Partial<LiveRunRequest> = {}) {
      const { directory, environment } = lab
      return liveRun({
        shape: 'single',
        scenario: 'test',
        implementation: adapter,
        ...order,
        plan: { ...patient, ...plan },
        chance: handingOutAtOnce(),
        recoveryBoundMs: 60_000,
        recoveryBoundFrom: 'scenario',
        recoveryCapMs: 60_000,
        lacks: [],
        leavesNoDoubtOn: [],
        program: await compiled(adapter, directory),
        deploys: adapter === 'reference' || order.stores.includes('postgres'),
        marginMs: 60_000,
        longestMs: 50_000,
        environment,
        directory,
        stopped: () => false,
        ...more,
      })
    }
    suite(lab)
  })
}

/** The choices of the broker and of poison, from streams of the simulator. */
export function chanceFrom(seed: number): LiveRunRequest['chance'] {
  const choices = new Choices({ seed })
  return (stream, what, n) => choices.stream(stream).choose(what, n)
}

const folders = [
  ...['../../implementations/reference/', '../../implementations/articles/', '../../implementations/correct/'],
  ...['../../implementations/canaries/', '../../implementations/suggested/', 'adapters/'],
].map((name) => fileURLToPath(new URL(name, import.meta.url)))

async function compiled(adapter: string, { folder }: RunDirectory) {
  const source = folders.map((one) => path.join(one, `${adapter}.ts`)).find((file) => fs.existsSync(file))!
  const files = { main: path.join(folder, 'consumer.cjs'), adapter: path.join(folder, `${adapter}.cjs`), source }
  if (!fs.existsSync(files.main)) fs.writeFileSync(files.main, await bundleProgram(consumerProgram))
  if (!fs.existsSync(files.adapter)) fs.writeFileSync(files.adapter, await bundleProgram(source))
  return files
}

/**
 * Redelivers messages of a dead consumer at once, so that no test waits for the time-out of the
 * broker.
 */
function handingOutAtOnce(): LiveRunRequest['chance'] {
  const drawn = chanceFrom(1)
  return (stream, what, n) => (what === 'requeue at once' ? 1 : drawn(stream, what, n))
}

export const calm: Plan = {
  consumers: 2,
  messages: [{ key: 'order-1', payload: { order: 1 }, publishAtMs: 0 }],
  leaseMs: 1_000,
  retentionMs: 86_400_000,
  visibilityMs: 3_000,
  redeliveryMs: 20,
  maxAttempts: 50,
  effectMs: 5,
  effectTimeoutMs: 400,
  faults: [],
}

/** A plan without time limits that a busy machine could exceed. Tests of a limit set it. */
export const patient: Plan = { ...calm, leaseMs: 5_000, visibilityMs: 20_000, effectTimeoutMs: 20_000 }

/**
 * A fault at the first pass of the first consumer at that boundary, optionally with a command of
 * that label.
 */
export function firstAt(kind: string, at: string, more: object = {}, label?: string): PlannedFault {
  const of = label === undefined ? {} : { of: { label } }
  return { kind, when: { at, consumer: 0, nth: 1, ...of }, ...more } as unknown as PlannedFault
}

/**
 * Faults at the first pass at that boundary, one for each consumer, so that the receiver of the
 * message is struck.
 */
export const whereverAt = (kind: string, at: string, more: object = {}): PlannedFault[] =>
  [0, 1].map((consumer) => ({ kind, when: { at, consumer, nth: 1 }, ...more }) as unknown as PlannedFault)

export const factsOf = <T extends Fact['type']>({ history }: LiveOutcome, type: T) =>
  history.events.filter((event): event is Extract<typeof event, { type: T }> => event.type === type)
