/**
 * Draws the lanes of a picture between two heights: bands, lines, bars, arrows and the event of
 * each row.
 */
import type { Band, Bar, InFlightMessage, Timeline, TimelineEvent } from '../../../contract/results/timeline.ts'
import { drawn } from './elements.ts'
import { type Detail, type Placed, type Row, yOf } from './rows.ts'

export interface Canvas {
  readonly timeline: Timeline
  readonly rows: readonly Row[]
  readonly detail: Detail
  readonly placed: Placed
  readonly laneWidth: number
  /** The range to draw, in pixels from the top. */
  readonly from: number
  readonly until: number
  /** A prefix that makes pattern ids unique among the pictures of a page. */
  readonly id: string
  /** `seq` of the selected event. */
  readonly selected: number
}

export function drawLanes(canvas: Canvas): SVGElement[] {
  const { timeline, placed, from, until } = canvas
  const rowY = new Map<number, number>()
  for (const [at, row] of canvas.rows.entries()) if (row.kind === 'event') rowY.set(row.event.seq, placed.ys[at]!)
  const spans = <T extends Band | Bar>(one: T) => {
    const row = 'seq' in one && one.seq !== undefined ? rowY.get(one.seq) : undefined
    const top = row ?? yOf(placed, one.fromUs, true)
    const bottom = Math.max(top + 4, yOf(placed, one.untilUs))
    return top <= until && bottom >= from ? [{ one, top, bottom }] : []
  }
  const near = (y: number) => y >= from - 40 && y <= until + 40
  const bands = timeline.bands.flatMap(spans)
  const bars = timeline.bars.filter(({ aside }) => canvas.detail === 'all' || aside === undefined).flatMap(spans)
  const courses = timeline.messages.flatMap((message) => courseOf(message, rowY, canvas))
  const events = canvas.rows.flatMap((row, at) => {
    const y = placed.ys[at]!
    if (!near(y)) return []
    return row.kind === 'event' ? glyphOf(row.event, y, canvas) : row.kind === 'idle' ? [breakAt(y, canvas)] : []
  })
  return [
    patterns(canvas.id),
    ...bands.flatMap(({ one, top, bottom }) => bandOf(one, top, bottom, canvas)),
    ...timeline.lanes.map((_, lane) => lineOf(lane, 'lane', from, until, canvas)),
    ...bars.map(({ one, top, bottom }) => barOf(one, top, bottom, canvas)),
    ...bands.flatMap(({ one, top, bottom }) => bandName(one, top, bottom, canvas)),
    nowLine(canvas, rowY),
    ...courses.filter(({ start, end }) => end >= from && start <= until).map((course) => arrowOf(course, canvas)),
    ...events,
  ]
}

const middle = (lane: number, { laneWidth }: Canvas): number => (lane + 0.5) * laneWidth

function lineOf(lane: number, style: string, top: number, bottom: number, canvas: Canvas): SVGElement {
  const x = middle(lane, canvas)
  return drawn('line', { class: style, x1: x, x2: x, y1: top, y2: bottom })
}

// Bands and bars.

const bandNames: Readonly<Record<Band['kind'], string>> = {
  pause: 'paused',
  cut: 'cut off',
  skew: 'clock off',
  down: 'down',
  degraded: 'degraded',
  'two-primaries': 'two primaries',
}

function bandOf({ kind, lanes, text }: Band, top: number, bottom: number, canvas: Canvas): SVGElement[] {
  const { laneWidth, id } = canvas
  const fill = kind === 'pause' || kind === 'down' ? { fill: `url(#${id}-${kind})` } : {}
  return lanes.map((lane) => {
    const box = { x: lane * laneWidth + 1, y: top, width: laneWidth - 2, height: bottom - top }
    return drawn('rect', { class: `band ${kind}`, ...box, ...fill }, drawn('title', {}, text))
  })
}

function bandName({ kind, lanes }: Band, top: number, bottom: number, canvas: Canvas): SVGElement[] {
  if (canvas.laneWidth < 44 || bottom - top < 14) return []
  const name = (x: number, y: number) => drawn('text', { class: `band-name ${kind}`, x, y }, bandNames[kind])
  if (kind !== 'two-primaries') return lanes.map((lane) => name(middle(lane, canvas), top + 20))
  const [first = 0, last = first] = [lanes[0], lanes.at(-1)]
  return [name((middle(first, canvas) + middle(last, canvas)) / 2, top + 34)]
}

const shifts: Readonly<Record<Bar['kind'], number>> = { primary: 0, replica: 0, handling: 0, record: -9, lease: 9 }

function barOf({ kind, lane, by, text }: Bar, top: number, bottom: number, canvas: Canvas): SVGElement {
  const narrow = canvas.laneWidth < 40
  const x = middle(lane, canvas) + shifts[kind] * (narrow ? 0.65 : 1)
  if (kind === 'primary' || kind === 'replica')
    return drawn('line', { class: kind, x1: x, x2: x, y1: top, y2: bottom }, drawn('title', {}, text))
  const width = kind === 'handling' ? 8 : narrow ? 4 : 6
  const who = kind === 'record' ? by : lane
  const hue = who === undefined ? 'nobody' : `who${(who - 1) % 6}`
  const box = { x: x - width / 2, y: top, width, height: bottom - top, rx: kind === 'handling' ? 1 : width / 2 }
  return drawn('rect', { class: `bar ${kind} ${hue}`, ...box }, drawn('title', {}, text))
}

/** A line at the selected moment, across all lanes. */
function nowLine(canvas: Canvas, rowY: ReadonlyMap<number, number>): SVGElement {
  const { timeline, selected, placed, laneWidth } = canvas
  const y = rowY.get(selected) ?? yOf(placed, timeline.events[selected]?.atUs ?? 0)
  return drawn('line', { class: 'now', x1: 0, x2: laneWidth * timeline.lanes.length, y1: y, y2: y })
}

// Messages between lanes.

/** An arrow's message with the vertical positions of its start and its end. */
interface Course {
  readonly message: InFlightMessage
  readonly start: number
  readonly end: number
}

function courseOf(message: InFlightMessage, rowY: ReadonlyMap<number, number>, { placed }: Canvas): Course[] {
  const y = rowY.get(message.seq)
  if (y === undefined) return []
  const least = message.kind === 'effect' || message.kind === 'request' ? 8 : 6
  const lost = message.arrivedUs === null
  if (goesFrom.has(message.kind))
    return [{ message, start: y, end: Math.max(y + least, lost ? 0 : yOf(placed, message.arrivedUs)) }]
  const from =
    (message.fromSeq === undefined ? undefined : rowY.get(message.fromSeq)) ?? (lost ? y : yOf(placed, message.sentUs))
  return [{ message, start: Math.min(y - least, from), end: y }]
}

/** The kinds of messages that start at their event. Other messages end at their event. */
const goesFrom: ReadonlySet<InFlightMessage['kind']> = new Set(['reply', 'receipt', 'answer', 'copy'])

function arrowOf({ message, start, end }: Course, canvas: Canvas): SVGElement {
  const { laneWidth } = canvas
  const lost = message.arrivedUs === null
  const side = message.to > message.from ? 1 : -1
  const [x1, x2] = [middle(message.from, canvas) + side * 4, middle(message.to, canvas) - side * 5]
  // The arrow of a lost message stops before its target.
  const reached = lost ? 0.62 : 1
  const [tipX, tipY] = [x1 + (x2 - x1) * reached, start + (end - start) * reached]
  const consumer =
    message.kind === 'request' || message.kind === 'effect' || message.kind === 'answer' ? message.from : message.to
  const hue = message.kind === 'copy' ? 'nobody' : `who${(consumer - 1) % 6}`
  const repeat = canvas.timeline.events[message.seq]?.tone === 'repeat' && message.kind === 'effect' ? ' second' : ''
  const now = message.seq === canvas.selected ? ' selected' : ''
  const size = laneWidth < 40 ? 3.5 : 5
  const angle = (Math.atan2(tipY - start, tipX - x1) * 180) / Math.PI
  const head = lost
    ? drawn('path', { class: 'cross', d: 'M-5,-5L5,5M-5,5L5,-5', transform: `translate(${tipX} ${tipY})` })
    : drawn('path', {
        d: `M0,0L${-size * 1.6},${-size * 0.8}L${-size * 1.6},${size * 0.8}Z`,
        class: 'head',
        transform: `translate(${tipX} ${tipY}) rotate(${angle})`,
      })
  const line = drawn('line', { x1, y1: start, x2: tipX, y2: tipY })
  const broad = drawn('line', { class: 'reach', x1, y1: start, x2: tipX, y2: tipY })
  const name = `message ${message.kind} ${hue}${lost ? ' lost' : ''}${repeat}${now}`
  const title = drawn('title', {}, lost ? `${message.text}: lost` : message.text)
  return drawn('g', { class: name, 'data-seq': message.seq }, broad, line, head, title)
}

// The mark of an event in its row.

function glyphOf(event: TimelineEvent, y: number, canvas: Canvas): SVGElement[] {
  const { lane, tone, seq } = event
  const now = seq === canvas.selected ? ' selected' : ''
  if (lane === null) return []
  const x = middle(lane, canvas)
  const named = { class: `glyph ${tone}${event.shows ? ' shows' : ''}${now}`, 'data-seq': seq }
  if (tone === 'effect' || tone === 'repeat') {
    const narrow = canvas.laneWidth < 30
    const radius = (tone === 'repeat' ? 13 : 10) * (narrow ? 0.8 : 1)
    const halo = tone === 'repeat' ? drawn('circle', { class: 'halo', cx: x, cy: y, r: radius + 6 }) : null
    const disc = drawn('circle', { cx: x, cy: y, r: radius })
    return [drawn('g', named, halo, disc, drawn('text', { x, y: y + radius * 0.38 }, String(event.effect)))]
  }
  if (tone === 'fault')
    return [
      drawn(
        'g',
        named,
        drawn('rect', { x: x - 6, y: y - 6, width: 12, height: 12, transform: `rotate(45 ${x} ${y})` }),
      ),
    ]
  if (tone === 'ended')
    return [
      drawn(
        'g',
        named,
        drawn('path', { d: `M${x - 6},${y - 6}L${x + 6},${y + 6}M${x - 6},${y + 6}L${x + 6},${y - 6}` }),
      ),
    ]
  if (tone === 'role')
    return [drawn('g', named, drawn('path', { d: `M${x},${y - 8}L${x + 8},${y + 6}L${x - 8},${y + 6}Z` }))]
  return [drawn('g', named, drawn('circle', { cx: x, cy: y, r: 3.5 }))]
}

/** A zigzag across all lanes where idle time is folded. */
function breakAt(y: number, { timeline, laneWidth }: Canvas): SVGElement {
  const width = laneWidth * timeline.lanes.length
  const steps = Math.max(4, Math.round(width / 9))
  const zigzag = Array.from(
    { length: steps + 1 },
    (_, at) => `${(at * width) / steps},${y + (at % 2 === 0 ? -2.5 : 2.5)}`,
  )
  return drawn(
    'g',
    { class: 'break' },
    drawn('rect', { x: 0, y: y - 5, width, height: 10 }),
    drawn('polyline', { points: zigzag.join(' ') }),
  )
}

function patterns(id: string): SVGElement {
  const hatch = (kind: string, rotate: number) =>
    drawn(
      'pattern',
      {
        id: `${id}-${kind}`,
        class: `hatch ${kind}`,
        width: 7,
        height: 7,
        patternUnits: 'userSpaceOnUse',
        patternTransform: `rotate(${rotate})`,
      },
      drawn('rect', { width: 7, height: 7 }),
      drawn('line', { x1: 0, y1: 0, x2: 0, y2: 7 }),
    )
  return drawn('defs', {}, hatch('pause', 45), hatch('down', -45))
}
