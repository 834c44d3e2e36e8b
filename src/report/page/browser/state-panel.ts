/**
 * The state at the selected moment: the event, the keys of each server, and the beliefs of each
 * process.
 */
import type { Timeline } from '../../../contract/results/timeline.ts'
import { element } from './elements.ts'
import { momentOf, type Stand } from './moment.ts'
import { durationText } from './rows.ts'
import { scriptBranch } from './script-branch.ts'

export function stateAt(timeline: Timeline, seq: number): HTMLElement[] {
  const event = timeline.events[seq]
  if (event === undefined) return []
  const stands = momentOf(timeline, seq)
  const facts = (
    [
      ['Command', event.command],
      ['Reply', event.reply],
      ['Sent from', event.sentFrom],
    ] as const
  ).flatMap(([name, text]) =>
    text === undefined ? [] : [element('dt', {}, name), element('dd', {}, element('code', {}, text))],
  )
  return [
    element('p', { class: 'now-text' }, event.text),
    ...(facts.length > 0 ? [element('dl', { class: 'now-facts' }, ...facts)] : []),
    ...(event.scripts ?? []).map((run) => scriptBranch(timeline.scripts[run.script]!, run)),
    ...held(timeline, stands, event.atUs),
    element('h5', {}, 'What processes believe'),
    ...stands.filter(({ role }) => role === null).map(processState),
  ]
}

/** Shows the keys of each server. The contents of stores other than Redis are unknown. */
function held({ lanes }: Timeline, stands: readonly Stand[], atUs: number): HTMLElement[] {
  const servers = stands.filter(({ role }) => role !== null)
  const stores = lanes.flatMap(({ name, kind }) => (kind === 'store' ? [name] : []))
  return [
    ...(servers.length > 0 ? [element('h5', {}, 'What Redis holds')] : []),
    ...servers.map((stand) => serverState(stand, atUs)),
    ...stores.map((name) => element('p', { class: 'small' }, `The content of ${name} is not shown, only its replies.`)),
  ]
}

function serverState({ name, role, keys, aheadUs }: Stand, atUs: number): HTMLElement {
  const items = keys.map(({ key, value, untilUs, changed, by }) => {
    const left = untilUs === null ? '' : `, ${durationText(untilUs - atUs)} left`
    const hue = by === undefined ? 'nobody' : `who${(by - 1) % 6}`
    return element(
      'li',
      { class: changed ? 'changed' : '' },
      element('span', { class: `dot ${hue}` }),
      element('code', {}, key),
      ' ',
      element('code', { class: 'value' }, value ?? ''),
      element('span', { class: 'left' }, left),
    )
  })
  const none = role === 'down' ? 'is down' : 'holds nothing'
  return element(
    'div',
    { class: 'stand', 'data-node': name },
    element('h6', {}, name, ' ', element('span', { class: `role ${role}` }, role ?? ''), clockNote(aheadUs)),
    items.length === 0 ? element('p', { class: 'none' }, none) : element('ul', {}, ...items),
  )
}

function processState({ name, lane, beliefs, aheadUs }: Stand): HTMLElement {
  return element(
    'div',
    { class: 'stand', 'data-process': name },
    element('h6', {}, element('span', { class: `dot who${(lane - 1) % 6}` }), name, clockNote(aheadUs)),
    beliefs.length === 0
      ? element('p', { class: 'none' }, 'has not started')
      : element('ul', {}, ...beliefs.map((belief) => element('li', {}, belief))),
  )
}

function clockNote(aheadUs: number): HTMLElement | null {
  if (Math.abs(aheadUs) < 1000) return null
  const how = aheadUs > 0 ? 'ahead' : 'behind'
  return element('span', { class: 'skewed' }, ` clock ${durationText(Math.abs(aheadUs))} ${how}`)
}
