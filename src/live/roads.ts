/** One proxied listener for each consumer and server, so that a fault can hit one consumer alone. */
import { ProxiedRoad } from './links.ts'
import { LiveProblem } from './problem.ts'
import type { ProxySide } from './stage.ts'

interface Way {
  readonly through: ProxySide
  readonly to: { readonly host: string; readonly port: number }
}

export async function openRoads(
  run: string,
  consumers: number,
  ways: { readonly redis: readonly Way[]; readonly sink: Way },
) {
  const open: { remove(): Promise<void> }[] = []
  const road = async (slot: number, node: string, { through, to }: Way): Promise<ProxiedRoad> => {
    const made = through.toxiproxy.createProxy({
      name: `${run}-consumer-${slot + 1}-${node}`,
      listen: through.listen(),
      upstream: `${to.host}:${to.port}`,
      enabled: true,
    })
    const proxy = await made.catch((error: Error) => {
      throw new LiveProblem('the proxy', `it does not take a listener (${error.message}); see whether it still runs`)
    })
    open.push(proxy)
    return new ProxiedRoad(proxy, Number(proxy.listen.slice(proxy.listen.lastIndexOf(':') + 1)))
  }
  const slots = Array.from({ length: consumers }, (_, slot) => slot)
  return {
    /** By slot, then by server. */
    redis: await Promise.all(
      slots.map((slot) => Promise.all(ways.redis.map((way, at) => road(slot, `redis-${at + 1}`, way)))),
    ),
    sink: await Promise.all(slots.map((slot) => road(slot, 'sink', ways.sink))),
    /** A proxy that died took its listeners with it. */
    close: async () => void (await Promise.allSettled(open.map((proxy) => proxy.remove()))),
  }
}
