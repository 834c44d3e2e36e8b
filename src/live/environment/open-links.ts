/** Opens a link for each pair of consumer and server, so that a fault can hit a single consumer. */
import type { Address, LinkProxy } from '../proxy/link-proxy.ts'
import type { ProxiedLink } from '../proxy/proxied-link.ts'

interface LinkTarget {
  readonly through: LinkProxy
  readonly to: Address
}

export async function openLinks(
  run: string,
  consumers: number,
  targets: { readonly stores: readonly LinkTarget[]; readonly sink: LinkTarget },
) {
  const open: ProxiedLink[] = []
  const link = async (slot: number, node: string, { through, to }: LinkTarget): Promise<ProxiedLink> => {
    const made = await through.openLink(`${run}-consumer-${slot + 1}-${node}`, to)
    open.push(made)
    return made
  }
  const slots = Array.from({ length: consumers }, (_, slot) => slot)
  return {
    /** The links to stores by slot, and for each slot by server. */
    stores: await Promise.all(
      slots.map((slot) => Promise.all(targets.stores.map((target, at) => link(slot, `store-${at + 1}`, target)))),
    ),
    sink: await Promise.all(slots.map((slot) => link(slot, 'sink', targets.sink))),
    /** Errors are ignored, because a proxy that died took its links with it. */
    close: async () => void (await Promise.allSettled(open.map((one) => one.close()))),
  }
}
