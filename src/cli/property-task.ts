/** The thread of `onceProperty`: draws, shrinks and plays runs, one after the other. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { LoadError } from 'virtual-node/runtime'
import { loadPair } from '../campaign/play/load-pair.ts'
import { oneAtATime } from '../campaign/play/one-at-a-time.ts'
import { checkItWorks, judgeRun, type PairOfProperty } from '../campaign/property/judge-run.ts'
import { RunTree, runsOf } from '../campaign/property/run-tree.ts'
import { type ExitCode, exitCodes } from '../contract/api/exit-codes.ts'
import type { NamedPair, Question, RunVerdict, ThreadAnswer } from '../contract/api/planned-run.ts'
import { brokenRunText } from '../report/broken-run.ts'
import { createDeps } from './create-deps.ts'
import { selectPairs } from './select.ts'
import { UsageError, usageOf } from './usage-error.ts'

/** While the requesting thread is blocked, it reads the answer from this port. */
const { port, answered } = workerData as {
  readonly port: MessagePort
  readonly answered: Int32Array<SharedArrayBuffer>
}
const deps = createDeps(() => false)
const alone = oneAtATime()
const tree = new RunTree()
const pairs = new Map<string, Promise<Opened>>()

interface Opened extends PairOfProperty {
  readonly runs: ReturnType<typeof runsOf>
}

parentPort!.on('message', async ({ id, blocks, question }: { id: number; blocks: boolean; question: Question }) => {
  const answer = await alone(() => answerTo(question)).then((value): ThreadAnswer => ({ ok: true, value }), refusal)
  if (!blocks) return parentPort!.postMessage({ id, answer })
  port.postMessage({ id, answer })
  Atomics.add(answered, 0, 1)
  Atomics.notify(answered, 0)
})

async function answerTo(question: Question): Promise<unknown> {
  if (question.kind === 'shrink') return tree.shrink(question.node, question.at)
  const pair = await open(question.pair)
  if (question.kind === 'draw') return tree.draw(pair.runs, question.seed, question.bias)
  const judged = await judgeRun(pair, question.run, question.way, deps)
  if (judged.verdict !== 'broken') return judged satisfies RunVerdict
  const { way, why, violation } = judged
  return { verdict: 'broken', way, violation, text: brokenRunText(violation, why) } satisfies RunVerdict
}

/** Loads each pair once; `load` also checks that the layer works. */
function open(named: NamedPair): Promise<Opened> {
  const name = JSON.stringify(named)
  let pair = pairs.get(name)
  if (pair === undefined) pairs.set(name, (pair = load(named)))
  return pair
}

/** @throws UsageError, LoadError */
async function load({ implementation, scenario, sink }: NamedPair): Promise<Opened> {
  const wanted = { implementations: [implementation], scenarios: [scenario], sink }
  const [ref, other] = await selectPairs(wanted, [], deps)
  if (ref === undefined || other !== undefined)
    throw new UsageError(`${implementation} × ${scenario}`, 'a property needs one layer and one scenario; name both')
  const pair = await loadPair({ ...ref, fresh: true }, deps)
  const opened = { ref, pair, played: 0, runs: runsOf(pair.scenario) }
  await checkItWorks(opened, deps)
  return opened
}

function refusal(error: unknown): ThreadAnswer {
  const usage = usageOf(error)
  if (usage !== null)
    return { ok: false, ...usage, exitCode: isNotSimulated(error) ? exitCodes.unknown : exitCodes.usage }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { ok: false, culprit: 'this is a bug of onceproof', remedy: text, exitCode: exitCodes.harness as ExitCode }
}

const isNotSimulated = (error: unknown): boolean => error instanceof LoadError && error.kind === 'not-simulated'
