/**
 * One run as a picture: lanes and arrows, with the text of each row next to them. In the story
 * view, the browser lays out the rows and they are measured. In the view of all events, rows have a
 * fixed height, and only visible rows exist.
 */
import type { Timeline } from '../../../contract/results/timeline.ts'
import { drawLanes } from './draw.ts'
import { drawn, element } from './elements.ts'
import { type Detail, durationText, type Placed, type Row, rowsOf, timeText } from './rows.ts'

/**
 * In pixels: the height of a row in the view of all events, and the margin above and below the
 * visible area in which rows exist.
 */
const rowHeight = 28
const margin = 400
/** The space above the first row, into which arrows can lead. */
const lead = 16

/** Width in pixels between the print margins of A4 and Letter. */
const paperWidth = 630

let made = 0

export class RunView {
  readonly root: HTMLElement
  readonly #id = `pic${made++}`
  readonly #list: HTMLElement
  readonly #svg = drawn('svg', { class: 'lanes', 'aria-hidden': true, focusable: false })
  readonly #heads = element('div', { class: 'heads', 'aria-hidden': true })
  readonly #frame = element('div', { class: 'frame' })
  readonly #box = element('div', { class: 'rows-box' })
  #rows: readonly Row[] = []
  #placed: Placed = { times: [], ys: [], height: 0 }
  #laneWidth = 0
  #detail: Detail = 'story'
  /** The position of each shown event, counted from 1. */
  #places: ReadonlyMap<number, number> = new Map()
  selected: number

  constructor(
    readonly timeline: Timeline,
    private readonly chosen: (seq: number) => void,
  ) {
    const { events } = timeline
    this.selected = events.findLast(({ shows }) => shows)?.seq ?? events.findLast(({ reported }) => reported)?.seq ?? 0
    this.#list = element('div', { class: 'rows', role: 'listbox', tabindex: 0 })
    this.#list.setAttribute('aria-label', `Events of ${timeline.title}: the arrow keys step through them`)
    this.#box.append(this.#svg, this.#list)
    this.#frame.append(this.#box)
    this.root = element('div', { class: 'view' }, this.#heads, this.#frame)
    this.#list.addEventListener('keydown', (event) => this.#key(event))
    this.#box.addEventListener('click', (event) => {
      const seq = seqOf(event.target)
      if (seq !== null) this.chosen(seq)
    })
    this.#box.addEventListener('pointerover', (event) => this.#hover(seqOf(event.target)))
    this.#box.addEventListener('pointerleave', () => this.#hover(null))
    this.#frame.addEventListener('scroll', () => this.#detail === 'all' && this.#window())
  }

  get detail(): Detail {
    return this.#detail
  }

  /** Renders the run for the current width, or for paper. */
  layOut(detail: Detail, isPaper = false): void {
    this.#detail = detail
    this.#rows = rowsOf(this.timeline, detail)
    const shown = this.#rows.flatMap((row) => (row.kind === 'event' ? [row.event.seq] : []))
    this.#places = new Map(shown.map((seq, at) => [seq, at + 1]))
    const { lanes } = this.timeline
    // Rows are measured in the width in which they are shown. On paper, that is the width of the
    // paper.
    this.root.classList.toggle('paper', isPaper)
    this.root.style.width = isPaper ? `${paperWidth}px` : ''
    const width = this.root.clientWidth
    const narrow = width < 560
    const beside = narrow ? width * 0.46 : Math.max(320, width * 0.38)
    const times = narrow ? 0 : 88
    this.#laneWidth = Math.max(16, Math.min(84, Math.floor((width - times - beside) / lanes.length)))
    const all = this.#laneWidth * lanes.length
    this.root.style.setProperty('--lanes', `${all}px`)
    this.root.classList.toggle('narrow', narrow)
    this.root.classList.toggle('slim', this.#laneWidth < 82)
    this.root.classList.toggle('all', detail === 'all')
    this.#heads.replaceChildren(
      ...lanes.map(({ name, kind }, lane) => {
        const hue = kind === 'consumer' ? ` who${(lane - 1) % 6}` : ''
        const head = element('span', { class: `head ${kind}${hue}` }, element('b', {}, name))
        head.style.width = `${this.#laneWidth}px`
        return head
      }),
    )
    this.#svg.setAttribute('width', String(all))
    if (detail === 'all') this.#layOutAll()
    else this.#layOutStory()
  }

  #layOutStory(): void {
    this.#box.style.height = ''
    this.#list.replaceChildren(...this.#rows.map((row, at) => this.#row(row, at)))
    const nodes = [...this.#list.children] as HTMLElement[]
    // The middle of the row's first line of text.
    const ys = nodes.map((node) => node.offsetTop + Math.min(node.offsetHeight / 2, 15))
    this.#placed = { times: this.#rows.map(({ atUs }) => atUs), ys, height: this.#list.offsetHeight }
    this.#draw(0, this.#placed.height)
  }

  #layOutAll(): void {
    const height = this.#rows.length * rowHeight + lead
    this.#placed = {
      times: this.#rows.map(({ atUs }) => atUs),
      ys: this.#rows.map((_, at) => lead + (at + 0.5) * rowHeight),
      height,
    }
    this.#box.style.height = `${height}px`
    this.#window()
  }

  /** Renders the visible rows and the margin around them. */
  #window(): void {
    const top = Math.max(0, this.#frame.scrollTop - margin)
    const bottom = Math.min(this.#placed.height, this.#frame.scrollTop + this.#frame.clientHeight + margin)
    const first = Math.max(0, Math.floor((top - lead) / rowHeight))
    const last = Math.min(this.#rows.length, Math.ceil((bottom - lead) / rowHeight))
    this.#list.replaceChildren(
      ...this.#rows.slice(first, last).map((row, at) => {
        const node = this.#row(row, first + at)
        node.style.top = `${lead + (first + at) * rowHeight}px`
        return node
      }),
    )
    this.#draw(top, bottom)
  }

  #draw(from: number, until: number): void {
    const { timeline } = this
    const canvas = {
      timeline,
      rows: this.#rows,
      placed: this.#placed,
      laneWidth: this.#laneWidth,
      detail: this.#detail,
    }
    this.#svg.setAttribute('height', String(this.#placed.height))
    this.#svg.replaceChildren(...drawLanes({ ...canvas, from, until, id: this.#id, selected: this.selected }))
    this.#mark()
  }

  #row(row: Row, at: number): HTMLElement {
    if (row.kind === 'note')
      return element('div', { class: 'row note', role: 'presentation' }, cell('what', `… ${row.text}`))
    if (row.kind === 'idle')
      return element(
        'div',
        { class: 'row idle', role: 'presentation' },
        cell('what', `${durationText(row.forUs)} pass`),
      )
    const { event } = row
    const number = event.effect === undefined ? '' : ` data-effect`
    const when = element('span', { class: 'when' }, timeText(event.atUs), ' ')
    const { text, answer } = event
    const answersAt = answer === undefined ? text.length : text.lastIndexOf(`: ${answer}`)
    const what = element('span', { class: 'what' }, element('span', { class: 'said' }, when, text.slice(0, answersAt)))
    // The reply is a separate element, so that it stays visible even if the command is long.
    if (answer !== undefined) what.append(' ', element('span', { class: 'answer' }, `→ ${text.slice(answersAt + 2)}`))
    // Only the file name is shown. The tooltip contains the whole path.
    if (event.sentFrom !== undefined)
      what.append(' ', element('code', { class: 'line', title: event.sentFrom }, event.sentFrom.replace(/^.*\//, '')))
    return element(
      'div',
      {
        ...{ class: `row ${event.tone}${event.shows ? ' shows' : ''}${number}`, role: 'option' },
        ...{ id: `${this.#id}-${event.seq}`, 'data-seq': event.seq, 'data-at': at },
        ...{ 'aria-selected': false, 'aria-setsize': this.#places.size, 'aria-posinset': this.#places.get(event.seq)! },
      },
      element('span', { class: 'time', 'aria-hidden': true }, timeText(event.atUs)),
      what,
    )
  }

  /** Selects an event. If the reader selected it (`moved`), it is scrolled into view. */
  select(seq: number, moved: boolean): void {
    this.selected = seq
    const at = this.#rowAt(seq)
    if (moved && this.#detail === 'all') {
      const y = this.#placed.ys[at] ?? 0
      const { scrollTop, clientHeight } = this.#frame
      if (y < scrollTop + rowHeight || y > scrollTop + clientHeight - rowHeight)
        this.#frame.scrollTop = y - clientHeight / 2
      this.#window()
    } else if (this.#detail === 'all') this.#window()
    else this.#draw(0, this.#placed.height)
    if (moved && this.#detail === 'story') this.#list.children[at]?.scrollIntoView({ block: 'nearest' })
  }

  /** The index of the event's row, or of the last event row before it. */
  #rowAt(seq: number): number {
    return Math.max(
      0,
      this.#rows.findLastIndex((row) => row.kind === 'event' && row.event.seq <= seq),
    )
  }

  #mark(): void {
    const row = this.#rows[this.#rowAt(this.selected)]
    const name = row?.kind === 'event' ? `${this.#id}-${row.event.seq}` : ''
    this.#list.setAttribute('aria-activedescendant', name)
    for (const node of this.#list.children) node.setAttribute('aria-selected', String(node.id === name && name !== ''))
  }

  #hover(seq: number | null): void {
    for (const node of this.#box.querySelectorAll('.hovered')) node.classList.remove('hovered')
    if (seq === null) return
    for (const node of this.#box.querySelectorAll(`[data-seq="${seq}"]`)) node.classList.add('hovered')
  }

  #key(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowRight: 1,
      ArrowUp: -1,
      ArrowLeft: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -this.#rows.length,
      End: this.#rows.length,
    }
    const step = steps[event.key]
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const events = this.#rows.flatMap((row) => (row.kind === 'event' ? [row.event.seq] : []))
    const at = events.findLastIndex((seq) => seq <= this.selected)
    const next = events[Math.max(0, Math.min(events.length - 1, at + step))]
    if (next !== undefined) this.chosen(next)
  }
}

const cell = (name: string, text: string): HTMLElement => element('span', { class: name }, text)

function seqOf(target: EventTarget | null): number | null {
  const marked = target instanceof Element ? target.closest('[data-seq]') : null
  return marked === null ? null : Number(marked.getAttribute('data-seq'))
}
