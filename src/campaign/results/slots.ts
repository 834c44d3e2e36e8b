/** The distribution of a layer's keys and commands over the slots of a Cluster. */
import type { SlotsResult } from '../../contract/results/results.ts'
import type { Tally } from '../tally/tally.ts'

/** The distribution; undefined if the layer was not played on a Cluster, or named no key on it. */
export function slotsOf({ slotCommands, slotKeys }: Pick<Tally, 'slotCommands' | 'slotKeys'>): SlotsResult | undefined {
  if (slotCommands.size === 0) return undefined
  const keysBySlot = new Map<number, string[]>()
  for (const entry of [...slotKeys].sort()) {
    const [slot] = entry.split(' ', 1)
    const key = entry.slice(slot!.length + 1)
    keysBySlot.set(Number(slot), [...(keysBySlot.get(Number(slot)) ?? []), key])
  }
  const spread = [...slotCommands].map(([name, commands]) => {
    const [shard, slot] = name.split('/').map(Number) as [number, number]
    return { shard, slot, commands, keys: keysBySlot.get(slot) ?? [] }
  })
  spread.sort((a, b) => b.keys.length - a.keys.length || b.commands - a.commands || a.slot - b.slot)
  const [{ keys, ...busiest }] = spread as [(typeof spread)[number]]
  const tag = tagOf(keys)
  const byShard = Array.from({ length: Math.max(...spread.map(({ shard }) => shard)) }, (_, at) =>
    spread.filter(({ shard }) => shard === at + 1).reduce((sum, { commands }) => sum + commands, 0),
  )
  return {
    keys: slotKeys.size,
    slots: spread.length,
    commands: byShard.reduce((sum, one) => sum + one, 0),
    byShard,
    busiest: { ...busiest, keys: keys.length, ...(tag === null ? {} : { tag }) },
  }
}

/** The hash tag that all keys share; null if they share no tag. */
function tagOf(keys: readonly string[]): string | null {
  const tags = new Set(keys.map((key) => /\{([^}]+)\}/.exec(key)?.[0] ?? null))
  return tags.size === 1 ? ([...tags][0] ?? null) : null
}
