/**
 * Opens the parts that a live run needs: its sink, a link for each consumer and server, spare
 * processes, and the deployed layer.
 */
import { slotOf } from '../../contract/api/plan.ts'
import type { LookupAnswer, RaiseAnswer } from '../../contract/api/sink.ts'
import { caught } from '../../run/maybe-promise.ts'
import { openLinks } from '../environment/open-links.ts'
import { type AskedQuestion, openSink, type SinkAnswer } from '../sink/service.ts'
import { keysDeployed } from '../stores/key-count.ts'
import { deploymentOf, severalOf } from '../stores/topology.ts'
import { BrokerLink } from './broker-link.ts'
import type { ConsumerProcess } from './consumer-process.ts'
import { deployFirst } from './deployment.ts'
import type { FreeRunning } from './free-running.ts'
import type { LockStep } from './lock-step.ts'
import type { RunParts } from './run-parts.ts'

/**
 * `name`: unique among the runs of this machine. `opened`: called with the closing function of each
 * part once the part is open.
 */
export async function openRun(
  { kind, parts }: FreeRunning | LockStep,
  name: string,
  opened: (close: () => Promise<void>) => void,
  failed: (error: unknown) => void,
): Promise<void> {
  const { environment, program, directory, deploys, plan } = parts.request
  const { topology, sites, timers, gates } = parts
  const deployment = deploymentOf(topology)
  // Held servers and Cluster nodes report expired keys themselves.
  if (topology.kind === 'single' || (topology.kind === 'sentinel' && kind === 'free-running'))
    await topology.server.recordExpired()
  await severalOf(topology)?.open()
  const sink = await openOwnSink(parts, failed)
  opened(() => sink.close())
  for (const site of sites.values()) await site.open()
  const redis =
    topology.kind === 'none' ? [] : [{ name: topology.store.primary.name, machine: topology.server.machine }]
  const servers = [
    ...(deployment?.nodes ?? redis),
    ...[...sites].map(([name, { address }]) => ({ name, machine: address })),
  ]
  const links = await openLinks(name, plan.consumers, {
    stores: servers.map(({ machine }) => ({ through: environment.redisProxy, to: machine })),
    sink: { through: environment.sinkProxy, to: { host: '127.0.0.1', port: sink.port } },
  })
  opened(() => links.close())
  parts.links = links.sink.map((link, slot) => ({
    broker: new BrokerLink(
      () => timers.nowMs(),
      (delayMs, work) => timers.after(delayMs, work),
    ),
    sink: link,
    servers: new Map(servers.map((one, at) => [one.name, links.stores[slot]![at]!])),
  }))
  for (const [slot, { servers }] of parts.links.entries())
    servers.get('postgres')?.holdEnds?.(({ from }) => gates.sessionEnds(slot, from))
  spareProcesses(parts)
  if (!deploys) return
  await deployFirst(program, directory, { type: 'deploy', ...parts.orders.storesFor(0) })
  // Keys of a Cluster are not counted, because no single server has all of them.
  if (topology.kind === 'single' || topology.kind === 'sentinel')
    parts.deployed = await keysDeployed(topology.server, deployment)
}

function openOwnSink({ gates, ledger, consumers, runner }: RunParts, failed: (error: unknown) => void) {
  // The step of the question ends before its answer, which may never come.
  const cancelling = (question: AskedQuestion & { what: 'cancel' }, asker: ConsumerProcess) =>
    new Promise<SinkAnswer>((resolve) => {
      const asked = gates.asked(asker, question, () => runner.effects.cancel(asker, question, resolve))
      void caught(asked, failed)
    })
  return openSink(
    {
      perform: (request, reply) => {
        // A request whose sending process is unknown passes no boundary.
        const sender = gates.senderOf(request.requestId)
        if (sender !== undefined) gates.arrived(sender, request, reply)
      },
      ask: (question) => {
        const { key } = question
        const asker = consumers.named(question.asker)!
        if (question.what === 'cancel') return cancelling(question, asker)
        const answer = () => (question.what === 'raise' ? ledger.raise(key, question.fence) : ledger.lookup(key))
        return gates.asked<RaiseAnswer | LookupAnswer>(asker, question, answer)
      },
    },
    failed,
  )
}

/**
 * Creates the clocks before the processes that follow them. Then starts one process for each slot
 * and for each planned successor.
 */
function spareProcesses({ clocks, consumers, request, sorted: { armed } }: RunParts): void {
  for (const { fault } of armed) if (fault.kind.startsWith('clock-')) clocks.of(Number(fault.machine))
  for (let slot = 0; slot < request.plan.consumers; slot++) consumers.spare(slot)
  for (const { fault } of armed)
    if (fault.kind === 'crash' && fault.healAfterMs !== undefined) consumers.spare(slotOf(fault))
}
