/**
 * The picture of a finding: its run, the state at the selected moment, and the nearest passing run.
 */
import type { Picture } from '../../../contract/results/timeline.ts'
import { element } from './elements.ts'
import { type Detail, timeText } from './rows.ts'
import { runTable } from './run-table.ts'
import { RunView } from './run-view.ts'
import { stateAt } from './state-panel.ts'

export class PictureView {
  readonly #view: RunView
  readonly #nearestPassing: RunView | null
  readonly #slider = element('input', { type: 'range', min: 0, 'aria-label': 'Time in the run' })
  readonly #when = element('p', { class: 'when-text', 'aria-live': 'polite' })
  readonly #state = element('div', { class: 'state' })
  readonly #found = element('span', { class: 'found', role: 'status' })
  readonly #details = new Map<Detail, HTMLButtonElement>()

  /** `moved`: called with the event that the reader selects. */
  constructor(
    host: HTMLElement,
    picture: Picture,
    private readonly moved: (seq: number) => void,
  ) {
    const { timeline, nearestPassing } = picture
    this.#view = new RunView(timeline, (seq) => this.choose(seq))
    this.#slider.max = String(timeline.events.length - 1)
    this.#slider.addEventListener('input', () => this.choose(Number(this.#slider.value)))
    // The panel scrolls, so it must be focusable. The arrow keys inside it belong to the slider.
    const panel = element('aside', { class: 'panel', 'aria-label': 'State at this time', tabindex: 0 })
    panel.append(element('div', { class: 'moment' }, this.#when, this.#slider), this.#state)
    host.replaceChildren(
      this.#tools(),
      element('div', { class: 'run' }, this.#view.root, panel),
      legend(),
      runTable(timeline),
    )
    this.#nearestPassing =
      nearestPassing === undefined
        ? null
        : new RunView(nearestPassing.timeline, (seq) => this.#nearestPassing!.select(seq, true))
    if (nearestPassing !== undefined) host.append(this.#pane(nearestPassing.what, nearestPassing.replay))
    this.layOut('story')
  }

  layOut(detail: Detail, isPaper = false): void {
    for (const [name, button] of this.#details) button.setAttribute('aria-pressed', String(name === detail))
    this.#view.layOut(detail, isPaper)
    this.#nearestPassing?.layOut('story', isPaper)
    this.#show(this.#view.selected, false)
  }

  /** Renders the picture again after its width changed. */
  again(): void {
    this.layOut(this.#view.detail)
  }

  choose(seq: number): void {
    const last = this.#view.timeline.events.length - 1
    this.#show(Math.max(0, Math.min(last, seq)), true)
    this.moved(this.#view.selected)
  }

  #show(seq: number, moved: boolean): void {
    const { timeline } = this.#view
    const event = timeline.events[seq]
    if (event === undefined) return
    this.#view.select(seq, moved)
    this.#slider.value = String(seq)
    this.#slider.setAttribute('aria-valuetext', `${timeText(event.atUs)}: ${event.text}`)
    this.#when.textContent = `${timeText(event.atUs)}, event ${seq + 1} of ${timeline.events.length}`
    this.#state.replaceChildren(...stateAt(timeline, seq))
  }

  #tools(): HTMLElement {
    const names = { story: 'The story', all: 'All events' } as const
    for (const detail of ['story', 'all'] as const) {
      const button = element('button', { type: 'button', class: 'detail' }, names[detail])
      button.addEventListener('click', () => {
        this.layOut(detail)
        this.#view.select(this.#view.selected, true)
      })
      this.#details.set(detail, button)
    }
    const search = element('input', {
      type: 'search',
      placeholder: 'Search events',
      'aria-label': 'Search events of this run',
    })
    search.addEventListener('input', () => this.#find(search.value, 0))
    search.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') this.#find(search.value, event.shiftKey ? -1 : 1)
    })
    const switches = element('div', { class: 'details', role: 'group', 'aria-label': 'Level of detail' })
    switches.append(...this.#details.values())
    return element('div', { class: 'tools' }, switches, search, this.#found)
  }

  /**
   * Selects an event that contains the text. `step`: 1 for the next one, -1 for the previous one, 0
   * for the first from the selected event on.
   */
  #find(text: string, step: -1 | 0 | 1): void {
    const wanted = text.trim().toLowerCase()
    const { events } = this.#view.timeline
    const fitting =
      wanted === ''
        ? []
        : events.filter((event) =>
            `${event.text} ${event.command ?? ''} ${event.reply ?? ''} ${event.sentFrom ?? ''}`
              .toLowerCase()
              .includes(wanted),
          )
    const now = this.#view.selected
    const next =
      step === -1
        ? (fitting.findLast(({ seq }) => seq < now) ?? fitting.at(-1))
        : (fitting.find(({ seq }) => (step === 0 ? seq >= now : seq > now)) ?? fitting[0])
    this.#found.textContent =
      wanted === '' ? '' : next === undefined ? 'none' : `${fitting.indexOf(next) + 1} of ${fitting.length}`
    if (next === undefined) return
    if (next.reported === undefined && this.#view.detail === 'story') this.layOut('all')
    this.choose(next.seq)
  }

  #pane(what: string, replay: string): HTMLElement {
    return element(
      'section',
      { class: 'nearest-passing', 'aria-label': 'The nearest passing run' },
      element('h4', {}, `Nearest passing run: ${what}`),
      this.#nearestPassing!.root,
      ...(replay === '' ? [] : [element('p', { class: 'small' }, element('code', {}, replay))]),
    )
  }

  /** Renders the story for print: in the width of the paper, without truncated text. */
  forPrint(): void {
    this.layOut('story', true)
  }
}

const signs = [
  ['sign-primary', 'primary'],
  ['sign-replica', 'replica'],
  ['sign-handling', 'at work'],
  ['sign-record', 'key in Redis, in the colour of its writer'],
  ['sign-lease', 'lease, by the holder’s own clock'],
  ['sign-fault', 'fault'],
  ['sign-effect', 'effect'],
  ['sign-repeat', 'repeated effect'],
  ['sign-lost', 'lost'],
] as const

function legend(): HTMLElement {
  return element(
    'ul',
    { class: 'legend', 'aria-label': 'Signs' },
    ...signs.map(([sign, text]) => element('li', {}, element('span', { class: `sign ${sign}` }), text)),
  )
}
