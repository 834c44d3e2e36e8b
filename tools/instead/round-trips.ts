/**
 * Measures the price of an adapter if nothing goes wrong: its round trips to the store and its
 * requests to the sink.
 */

import { onePlanScenario } from '../../bench/one-plan-scenario.ts'
import { createDeps } from '../../src/cli/create-deps.ts'
import { select } from '../../src/cli/select.ts'
import type { EventOf } from '../../src/contract/api/history-index.ts'
import type { Implementation } from '../../src/contract/api/implementation.ts'
import type { Plan } from '../../src/contract/api/plan.ts'
import type { Sink, SinkKind } from '../../src/contract/api/sink.ts'

/**
 * Round trips to the store (Redis commands that are sent together count as one) and requests to the
 * sink.
 */
export interface Price {
  /** The first delivery of a message, which performs its effect. */
  readonly first: { readonly store: number; readonly sink: number }
  /** A copy that arrives after the first delivery is done. */
  readonly copy: { readonly store: number }
}

const message = (order: number, publishAtMs: number) => {
  return { key: `order-${order}`, payload: { order }, publishAtMs }
}

/**
 * One consumer and two messages with a copy each. When the second message arrives, connections are
 * open and scripts are loaded.
 */
const plan: Plan = {
  consumers: 1,
  messages: [message(1, 0), message(1, 1000), message(2, 5000), message(2, 10_000)],
  leaseMs: 4000,
  retentionMs: 86_400_000,
  visibilityMs: 30_000,
  redeliveryMs: 100,
  maxAttempts: 5,
  effectMs: 10,
  effectTimeoutMs: 5000,
  faults: [],
}

const scenario = onePlanScenario('nothing-goes-wrong', 'One message and its copy, and nothing goes wrong.', plan)

/**
 * Measures the deliveries of `order-2`, because those of `order-1` also open connections and load
 * scripts.
 * @throws if a delivery is not done at the first attempt
 */
export async function priceOf(id: string, kind: SinkKind): Promise<Price> {
  const deps = createDeps(() => false)
  const [layer] = await select('implementation', [id], deps)
  const loaded = await deps.loadImplementation(layer!.path)
  const asked: string[] = []
  const { history, runTrace } = await deps.runWorld({
    scenario,
    implementation: { ...loaded, instantiate: async (...named) => counting(await loaded.instantiate(...named), asked) },
    plan,
    choices: { seed: 1, own: {}, calm: true },
    sink: kind,
    record: true,
    runTrace: true,
  })
  const of = <T extends 'delivered' | 'answered' | 'command'>(type: T) =>
    history.events.filter((event): event is EventOf<T> => event.type === type)
  const requests = asked.filter((key) => key === 'order-2').length
  const [first, copy] = of('delivered')
    .filter(({ key }) => key === 'order-2')
    .map((delivered) => {
      const answered = of('answered').find(({ deliveryId }) => deliveryId === delivered.deliveryId)
      if (answered?.outcome.status !== 'done') throw new Error(`${id}: ${delivered.messageId} is not done at once`)
      const within = runTrace!.commands.filter(({ sentUs }) => sentUs >= delivered.atUs && sentUs <= answered.atUs)
      return new Set(within.map(({ sentUs }) => sentUs)).size
    })
  return { first: { store: first!, sink: requests }, copy: { store: copy! } }
}

/** Records the key of each request to the sink. */
function counting(layer: Implementation, asked: string[]): Implementation {
  const counted = (sink: Sink): Sink => {
    const { perform, raise } = sink
    const noted = <T>(key: string, answer: T): T => {
      asked.push(key)
      return answer
    }
    return {
      ...sink,
      perform: (request) => noted(request.key, perform(request)),
      ...(raise === undefined ? {} : { raise: (key, fence) => noted(key, raise(key, fence)) }),
    }
  }
  return { ...layer, create: (context) => layer.create({ ...context, sink: counted(context.sink) }) }
}
