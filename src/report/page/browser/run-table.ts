import type { Timeline } from '../../../contract/results/timeline.ts'
import { element } from './elements.ts'
import { timeText } from './rows.ts'

const heads = ['Time', 'Where', 'What', 'Reply', 'Sent from']

/** The events as a table, which is created when the reader opens it for the first time. */
export function runTable({ events, lanes, title }: Timeline): HTMLElement {
  const details = element(
    'details',
    { class: 'run-table' },
    element('summary', {}, `All ${events.length} events as a table`),
  )
  details.addEventListener('toggle', () => {
    if (details.querySelector('table') !== null) return
    const rows = events.map(({ atUs, lane, text, reply, sentFrom }) =>
      element(
        'tr',
        {},
        element('td', {}, timeText(atUs)),
        element('td', {}, lane === null ? '' : lanes[lane]!.name),
        element('td', {}, text),
        element('td', {}, reply ?? ''),
        element('td', {}, sentFrom ?? ''),
      ),
    )
    const head = element('tr', {}, ...heads.map((name) => element('th', { scope: 'col' }, name)))
    const table = element(
      'table',
      {},
      element('caption', {}, `Every event of ${title}, in order`),
      element('thead', {}, head),
      element('tbody', {}, ...rows),
    )
    details.append(
      element('div', { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': `Every event of ${title}` }, table),
    )
  })
  return details
}
