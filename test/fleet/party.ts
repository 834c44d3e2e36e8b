/** An asker in this process and workers in separate processes, all on the fake bench. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { runCampaign } from '../../src/campaign/conduct/campaign.ts'
import { inlineExecutor } from '../../src/campaign/conduct/inline-executor.ts'
import type { PairChoice } from '../../src/campaign/play/campaign-request.ts'
import type { Executor } from '../../src/campaign/play/executor.ts'
import { oneAtATime } from '../../src/campaign/play/one-at-a-time.ts'
import { fleetExecutor } from '../../src/fleet/fleet-executor.ts'
import { readQueueAddress } from '../../src/fleet/queue-address.ts'
import { fakeBench, fakeContext } from '../campaign/fake-deps.ts'
import { temporaryFolder, write } from '../cli/run-cli.ts'
import { fakeIdentity } from './fake-identity.ts'

const program = fileURLToPath(new URL('fake-worker.ts', import.meta.url))
const loader = new URL('../sources.mjs', import.meta.url).href

/** A working folder with a scenario and a layer that the fake bench knows only by name. */
export function fakeFolder(): string {
  const folder = temporaryFolder()
  write(folder, 's.mjs', 'export default {}\n')
  write(folder, 'i.mjs', 'export default {}\n')
  return folder
}

export interface FakeWorker {
  readonly process: ChildProcess
  /** All lines that it printed. */
  readonly lines: string[]
  /** Resolves once it has printed a matching line. */
  says(what: RegExp): Promise<void>
  readonly exited: Promise<unknown>
}

export interface FakeWorkerWish {
  readonly folder: string
  readonly pauseMs?: number
  readonly sources?: string
}

export function startWorker(url: string, { folder, pauseMs = 0, sources }: FakeWorkerWish): FakeWorker {
  const args = ['--import', loader, program, url, folder, String(pauseMs), ...(sources === undefined ? [] : [sources])]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
    lines.splice(0, Infinity, ...text.split('\n').slice(0, -1))
    for (const look of waiting) look()
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const says = (what: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!lines.some((line) => what.test(line))) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return { process: child, lines, says, exited: once(child, 'exit') }
}

export interface AskerWish {
  readonly folder: string
  /** Absent: a folder that does not exist. */
  readonly package?: string
  readonly own?: Executor
  readonly stopped?: () => boolean
  readonly say?: (line: string) => void
}

export function openFleet(
  url: string,
  { folder, package: ours = `${folder}/package`, own, stopped = () => false, say = () => {} }: AskerWish,
): Promise<Executor> {
  return fleetExecutor({
    address: readQueueAddress(url),
    identity: fakeIdentity,
    stopped,
    say,
    places: { package: ours, folder },
    leftovers: inlineExecutor(fakeBench(), oneAtATime()),
    own: own === undefined ? null : { executor: own, workers: 1 },
  })
}

/** The result of a campaign of 400 runs on the fake bench, with any number of workers. */
export async function campaign(executor: Executor, folder: string, stopped: () => boolean = () => false) {
  const pair: PairChoice = {
    scenarioPath: `${folder}/s.mjs`,
    scenarioName: './s.mjs',
    sink: 'plain',
    corpus: [],
    runMs: 1,
    implementationPath: `${folder}/i.mjs`,
    implementationName: './i.mjs',
  }
  const pairs = [{ choice: pair, bound: { runs: 400 } }]
  const request = {
    pairs,
    control: pair,
    seed: 7,
    layers: 'must-hold' as const,
    bail: false,
    cheaper: [],
    reports: 'reports',
  }
  const explain = { layer: 50_000, path: 5_000, checks: 10_000 }
  return runCampaign({ ...request, explain }, fakeContext(fakeBench({ stopped }), { executor }))
}

export async function onOneMachine(folder: string) {
  return JSON.stringify(await campaign(inlineExecutor(fakeBench(), oneAtATime()), folder))
}

/** The same; the fleet is closed afterwards. */
export async function onFleet(executor: Executor, folder: string, stopped?: () => boolean) {
  return JSON.stringify(await campaign(executor, folder, stopped).finally(() => executor.close()))
}
