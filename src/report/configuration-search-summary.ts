/**
 * The part of a configuration search's summary that all reports share: the deployments on which
 * each layer is safe, and the smallest run that breaks it.
 */
import type {
  ConfigurationSearchCell,
  ConfigurationSearchHead,
  ConfigurationSearchLayer,
} from '../contract/results/configuration-search.ts'

export interface ConfigurationSearchHeads {
  readonly configurations: readonly ConfigurationSearchHead[]
  readonly losses: readonly ConfigurationSearchHead[]
}

/** The rows of a layer's table, in order. */
export function rowsOf(
  { cells }: ConfigurationSearchLayer,
  { configurations }: ConfigurationSearchHeads,
): ConfigurationSearchHead[] {
  return configurations.filter(({ id }) => cells.some(({ configuration }) => configuration === id))
}

export function cellAt(
  { cells }: ConfigurationSearchLayer,
  configuration: string,
  loss: string,
): ConfigurationSearchCell {
  return cells.find((cell) => cell.configuration === configuration && cell.loss === loss)!
}

/** One sentence without the layer's name: the deployments on which the layer is safe. */
export function safetyOf(layer: ConfigurationSearchLayer, heads: ConfigurationSearchHeads): string {
  const rows = rowsOf(layer, heads)
  const title = (id: string | null) => heads.configurations.find((one) => one.id === id)?.title
  if (layer.weakest === null) {
    const open = layer.cells.some(({ verdict }) => verdict === 'unknown' || verdict === 'error')
    return open
      ? 'not shown to be safe on any of these Redis deployments'
      : 'not safe on any of these Redis deployments'
  }
  if (layer.safeOn.length === rows.length) return 'safe on all of these Redis deployments'
  const unsafe = rows.filter(({ id }) => !layer.safeOn.includes(id))
  if (unsafe.length < layer.safeOn.length)
    return `safe on all of these Redis deployments except: ${unsafe.map(({ title }) => title).join('; ')}`
  const others = layer.safeOn.slice(1).map(title)
  const more = others.length === 0 ? '; on no other' : `; also on: ${others.join('; ')}`
  return `weakest Redis that is safe: ${title(layer.weakest)}${more}`
}

/** The smallest run that breaks the layer, for each column in which it breaks. */
export function smallestByLoss({ cells }: ConfigurationSearchLayer, { losses }: ConfigurationSearchHeads) {
  return losses.flatMap(({ id }) => {
    const broken = cells.flatMap(({ loss, configuration, violation }) =>
      loss === id && violation !== null ? [{ loss, configuration, violation }] : [],
    )
    // A violation by the column's loss explains more than a smaller violation with another cause.
    const rank = ({ violation: { kind, faultCount, eventCount } }: (typeof broken)[number]) =>
      (kind.startsWith('repeat-after-loss') ? 0 : 1_000_000) + faultCount * 10_000 + eventCount
    const [smallest] = broken.sort((a, b) => rank(a) - rank(b))
    return smallest === undefined ? [] : [smallest]
  })
}
