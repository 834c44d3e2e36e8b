/** Brings up what a live run stands on: its sink, a link for each consumer and server, spare processes, the deployed layer. */
import { slotOf } from '../contract/plan.ts'
import { BrokerLink } from './broker-link.ts'
import { deployFirst } from './deployment.ts'
import { keysDeployed } from './key-count.ts'
import { openLinks } from './open-links.ts'
import type { RunParts } from './run-parts.ts'
import { openSink } from './sink/service.ts'

/** `name`: no other run of this machine has it. `opened` gets what closes each part, as soon as it is open. */
export async function openRun(
  parts: RunParts,
  name: string,
  opened: (close: () => Promise<void>) => void,
  failed: (error: unknown) => void,
): Promise<void> {
  const { environment, program, directory, deploys, plan } = parts.request
  const { server, sentinels, store, timers } = parts
  await server.tellExpired()
  await sentinels?.onSwitch((promoted, replaced) => parts.announced(promoted, replaced))
  const sink = await openOwnSink(parts, failed)
  opened(() => sink.close())
  const servers = sentinels?.nodes ?? [{ name: store.primary.name, machine: server.machine }]
  const links = await openLinks(name, plan.consumers, {
    redis: servers.map(({ machine }) => ({ through: environment.redisProxy, to: machine })),
    sink: { through: environment.sinkProxy, to: { host: '127.0.0.1', port: sink.port } },
  })
  opened(() => links.close())
  parts.links = links.sink.map((link, slot) => ({
    broker: new BrokerLink(
      () => timers.nowMs(),
      (delayMs, work) => timers.after(delayMs, work),
    ),
    sink: link,
    servers: new Map(servers.map((one, at) => [one.name, links.redis[slot]![at]!])),
  }))
  spareProcesses(parts)
  if (!deploys) return
  await deployFirst(program, directory, { type: 'deploy', ...parts.orders.redisFor(0) })
  parts.deployed = await keysDeployed(server, sentinels)
}

function openOwnSink({ gates, ledger }: RunParts, failed: (error: unknown) => void) {
  return openSink(
    {
      perform: (request, reply) => {
        // A request that no process is known to have sent has no boundary to pass.
        const sender = gates.senderOf(request.requestId)
        if (sender !== undefined) gates.arrived(sender, request, reply)
      },
      raise: (key, fence) => ledger.raise(key, fence),
      lookup: (key) => ledger.lookup(key),
    },
    failed,
  )
}

/** Clocks must be there before the processes that follow them; a process for each slot, and for each planned successor. */
function spareProcesses({ clocks, consumers, request, sorted: { armed } }: RunParts): void {
  for (const { fault } of armed) if (fault.kind.startsWith('clock-')) clocks.of(Number(fault.machine))
  for (let slot = 0; slot < request.plan.consumers; slot++) consumers.spare(slot)
  for (const { fault } of armed)
    if (fault.kind === 'crash' && fault.healAfterMs !== undefined) consumers.spare(slotOf(fault))
}
