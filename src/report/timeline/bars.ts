import type { History } from '../../contract/api/history.ts'
import { endOfDelivery, indexHistory } from '../../contract/api/history-index.ts'
import type { RunTrace } from '../../contract/results/run-trace.ts'
import { msText } from '../../contract/results/time-text.ts'
import type { Bar, ClockReading, StoredKey } from '../../contract/results/timeline.ts'
import { visible } from '../../contract/results/visible.ts'
import { localUs, worldUs } from './clock-time.ts'
import type { Lanes } from './lanes.ts'

/** The roles of servers over time, as the servers themselves see them. */
export function roleBars({ roles }: RunTrace, lanes: Lanes, endUs: number): Bar[] {
  return roles.flatMap(({ node, role, atUs }, at) => {
    if (role === 'down') return []
    const next = roles.slice(at + 1).find((one) => one.node === node)
    const bar = { lane: lanes.of(node)!, fromUs: atUs, untilUs: next?.atUs ?? endUs }
    return [{ kind: role, ...bar, text: `${node} acts as ${role === 'primary' ? 'the primary' : 'a replica'}` }]
  })
}

/** Bars for the handling of deliveries. `key`: the key of the picture. */
export function handlingBars(history: History, key: string | null, lanes: Lanes, endUs: number): Bar[] {
  return [...indexHistory(history).deliveries.values()].flatMap((delivery) => {
    const { process, messageId, attempt, atUs, seq } = delivery.delivered
    const lane = lanes.of(process)
    if (lane === null) return []
    const text = `${process} works on ${messageId} (attempt ${attempt})`
    const untilUs = endOfDelivery(delivery)?.atUs ?? endUs
    const bar: Bar = { kind: 'handling', lane, fromUs: atUs, untilUs, text, seq }
    return [key === null || delivery.delivered.key === key ? bar : { ...bar, aside: true }]
  })
}

/** Bars for the existence of keys with an expiry, by the servers' own clocks. */
export function recordBars(keys: readonly StoredKey[], lanes: Lanes, endUs: number): Bar[] {
  const bars: Bar[] = []
  const open = new Map<string, { from: StoredKey; last: StoredKey }>()
  const close = (name: string, untilUs: number) => {
    const { from, last } = open.get(name)!
    open.delete(name)
    const until = Math.min(untilUs, last.untilUs ?? untilUs)
    const { lane, key, by } = from
    const writer = by === undefined ? {} : { by }
    const of = by === undefined ? '' : `, written by ${lanes.all[by]!.name}`
    const text = `${key} is on ${lanes.all[lane]!.name}${of}`
    bars.push({ kind: 'record', lane, fromUs: from.atUs, untilUs: until, text, key, ...writer })
  }
  for (const change of keys) {
    const name = `${change.lane} ${change.key}`
    const known = open.get(name)
    const isOver = change.value === null || change.by !== known?.from.by
    if (known !== undefined && (isOver || (known.last.untilUs ?? endUs) <= change.atUs)) close(name, change.atUs)
    if (change.value === null) continue
    const still = open.get(name)
    if (still === undefined) open.set(name, { from: change, last: change })
    else still.last = change
  }
  for (const name of [...open.keys()]) close(name, endUs)
  return bars.sort((a, b) => a.fromUs - b.fromUs || a.lane - b.lane)
}

/**
 * Bars for the time in which a process may believe that it holds a key: it set the key with an
 * expiry and received the reply. The time counts from the request by the process's clock. A bar
 * ends when the process asks to remove the key, or at the latest with its work on the message.
 */
export function leaseBars(
  history: History,
  runTrace: RunTrace,
  clocks: readonly ClockReading[],
  handling: readonly Bar[],
  lanes: Lanes,
): Bar[] {
  const bars: Bar[] = []
  for (const { key, node, expireAtMs, value, by } of runTrace.keys) {
    const command = by === undefined ? undefined : runTrace.commands[by]
    if (command === undefined) continue
    if (value === null) giveUp(bars, { lane: lanes.of(command.process), key: visible(key), atUs: command.sentUs })
    if (value === null || expireAtMs === null || command.repliedUs === null) continue
    const lane = lanes.of(command.process)
    const server = lanes.of(node)
    if (lane === null || server === null) continue
    const { sentUs, repliedUs, executedUs } = command
    const work = handling.findLast((one) => one.lane === lane && one.fromUs <= sentUs && one.untilUs >= repliedUs)
    if (work === undefined) continue
    const expiresUs = (expireAtMs - runTrace.beganMs) * 1000
    const local = localUs(clocks, lane, sentUs) + expiresUs - localUs(clocks, server, executedUs!)
    const endUs = history.events.at(-1)?.atUs ?? repliedUs
    const lapsesUs = worldUs(clocks, lane, { fromUs: repliedUs, endUs, local })
    const lapses = lapsesUs !== null && lapsesUs <= work.untilUs
    const untilUs = Math.min(work.untilUs, lapsesUs ?? endUs)
    const known = bars.findLast((one) => one.lane === lane && one.key === visible(key))
    const name = lanes.all[lane]!.name
    const pastWork = work.untilUs === endUs ? 'until after the end of the run' : 'for longer than it works'
    const howLong = lapses ? `until ${msText(untilUs)}` : pastWork
    const text = `${name} got ${visible(key)}: by its own clock ${howLong}`
    const spanned = { lane, fromUs: repliedUs, untilUs, text, key: visible(key) }
    const bar: Bar = { kind: 'lease', ...spanned, ...(lapses ? { lapses } : {}) }
    if (known !== undefined && known.untilUs >= repliedUs) bars[bars.indexOf(known)] = { ...bar, fromUs: known.fromUs }
    else bars.push(bar)
  }
  return bars
}

/**
 * Ends the bar of a holder that asks to remove its key, because it no longer believes that it holds
 * the key.
 */
function giveUp(bars: Bar[], { lane, key, atUs }: { lane: number | null; key: string; atUs: number }): void {
  const at = bars.findLastIndex((one) => one.lane === lane && one.key === key)
  const held = bars[at]
  if (held === undefined || held.fromUs > atUs || held.untilUs <= atUs) return
  const { lapses: _, ...given } = held
  bars[at] = { ...given, untilUs: atUs, text: `${held.text}; released at ${msText(atUs)}` }
}
