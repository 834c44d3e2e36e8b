/**
 * Positions as scores (26 bits of latitude and 26 of longitude, interleaved), and the cells to
 * search for nearby positions. Source: geohash.c and geohash_helper.c of Redis 7.0. Sines may
 * differ from C's in their last digit.
 */
export interface Range {
  readonly min: number
  readonly max: number
}

/** A cell of the grid that halves the ranges `step` times. */
export interface Cell {
  readonly latitude: number
  readonly longitude: number
  readonly step: number
}

export interface Area {
  readonly latitude: Range
  readonly longitude: Range
}

export type Position = readonly [longitude: number, latitude: number]

/** Distances are in meters. */
export type Shape =
  | { readonly kind: 'circle'; readonly center: Position; readonly radius: number }
  | { readonly kind: 'box'; readonly center: Position; readonly width: number; readonly height: number }

export const longitudes: Range = { min: -180, max: 180 }
export const latitudes: Range = { min: -85.05112878, max: 85.05112878 }
const fullStep = 26
const earthRadius = 6372797.560856
const mercatorMax = 20037726.37

export function isPosition([longitude, latitude]: Position): boolean {
  return (
    longitude >= longitudes.min && longitude <= longitudes.max && latitude >= latitudes.min && latitude <= latitudes.max
  )
}

export function cellOf([longitude, latitude]: Position, step: number, latitudeRange = latitudes): Cell {
  const index = (value: number, { min, max }: Range) => Math.floor(((value - min) / (max - min)) * 2 ** step)
  return { latitude: index(latitude, latitudeRange), longitude: index(longitude, longitudes), step }
}

/** Spaces out sixteen bits: inserts a zero bit between neighboring bits. */
function spread(bits: number): number {
  let spaced = bits & 0xffff
  spaced = (spaced | (spaced << 8)) & 0x00ff00ff
  spaced = (spaced | (spaced << 4)) & 0x0f0f0f0f
  spaced = (spaced | (spaced << 2)) & 0x33333333
  return (spaced | (spaced << 1)) & 0x55555555
}

/** Extracts every second bit of 32, starting at the lowest. */
function gather(bits: number): number {
  let dense = bits & 0x55555555
  dense = (dense | (dense >>> 1)) & 0x33333333
  dense = (dense | (dense >>> 2)) & 0x0f0f0f0f
  dense = (dense | (dense >>> 4)) & 0x00ff00ff
  return (dense | (dense >>> 8)) & 0xffff
}

/** The interleaved bits of a cell, starting at the lowest bit: latitude, longitude, latitude, … */
export function bitsOf({ latitude, longitude }: Cell): bigint {
  const half = (shift: number) => (spread(latitude >>> shift) | (spread(longitude >>> shift) << 1)) >>> 0
  return (BigInt(half(16)) << 32n) | BigInt(half(0))
}

/** The score as text. At the antimeridian, the score needs more bits than a double has. */
export function scoreOf(position: Position): string {
  return bitsOf(cellOf(position, fullStep)).toString()
}

/** The scores of all positions in the cell, from `min` (inclusive) to `max` (exclusive). */
export function scoresOf(cell: Cell): Range {
  const bits = bitsOf(cell)
  const missing = BigInt(52 - cell.step * 2)
  return { min: Number(bits << missing), max: Number((bits + 1n) << missing) }
}

function areaOf({ latitude, longitude, step }: Cell): Area {
  const range = (index: number, { min, max }: Range): Range => ({
    min: min + ((index * 1.0) / 2 ** step) * (max - min),
    max: min + (((index + 1) * 1.0) / 2 ** step) * (max - min),
  })
  return { latitude: range(latitude, latitudes), longitude: range(longitude, longitudes) }
}

/**
 * The center of the smallest cell of a score. Any number has a cell: only the lower 64 bits of its
 * integer part count.
 */
export function positionOf(score: number): Position {
  const bits = Number.isFinite(score) ? BigInt.asUintN(64, BigInt(Math.trunc(score))) : 1n << 63n
  const [high, low] = [Number(bits >> 32n), Number(bits & 0xffffffffn)]
  const latitude = gather(high) * 65536 + gather(low)
  const longitude = gather(high >>> 1) * 65536 + gather(low >>> 1)
  const area = areaOf({ latitude, longitude, step: fullStep })
  const middle = ({ min, max }: Range, within: Range) => Math.min(Math.max((min + max) / 2, within.min), within.max)
  return [middle(area.longitude, longitudes), middle(area.latitude, latitudes)]
}

const radians = (degrees: number) => degrees * (Math.PI / 180)
const degrees = (angle: number) => angle / (Math.PI / 180)

function latitudeDistance(a: number, b: number): number {
  return earthRadius * Math.abs(radians(b) - radians(a))
}

export function distance([longitudeA, latitudeA]: Position, [longitudeB, latitudeB]: Position): number {
  const v = Math.sin((radians(longitudeB) - radians(longitudeA)) / 2)
  if (v === 0) return latitudeDistance(latitudeA, latitudeB)
  const u = Math.sin((radians(latitudeB) - radians(latitudeA)) / 2)
  const a = u * u + Math.cos(radians(latitudeA)) * Math.cos(radians(latitudeB)) * v * v
  return 2.0 * earthRadius * Math.asin(Math.sqrt(a))
}

/**
 * Distance of the position from the center of the shape; undefined if the position is outside of
 * the shape.
 */
export function distanceWithin(shape: Shape, position: Position): number | undefined {
  if (shape.kind === 'circle') {
    const far = distance(shape.center, position)
    return far > shape.radius ? undefined : far
  }
  const [longitude, latitude] = shape.center
  if (latitudeDistance(position[1], latitude) > shape.height / 2) return undefined
  if (distance(position, [longitude, position[1]]) > shape.width / 2) return undefined
  return distance(shape.center, position)
}

function steps(radius: number, latitude: number): number {
  if (radius === 0) return fullStep
  let step = 1
  for (let range = radius; range < mercatorMax; range *= 2) step++
  step -= 2
  if (Math.abs(latitude) > 66) step -= Math.abs(latitude) > 80 ? 2 : 1
  return Math.min(Math.max(step, 1), fullStep)
}

/** The bounding area of the shape, as Redis estimates it. */
function bounds(shape: Shape): Area {
  const [longitude, latitude] = shape.center
  const height = shape.kind === 'circle' ? shape.radius : shape.height / 2
  const width = shape.kind === 'circle' ? shape.radius : shape.width / 2
  const up = degrees(height / earthRadius)
  const edge = latitude < 0 ? latitude - up : latitude + up
  const aside = degrees(width / earthRadius / Math.cos(radians(edge)))
  return {
    latitude: { min: latitude - up, max: latitude + up },
    longitude: { min: longitude - aside, max: longitude + aside },
  }
}

/** Offsets to the cell itself and its neighbors, in Redis's order of search. */
const around: readonly (readonly [east: number, north: number])[] = [
  ...([
    [0, 0],
    [0, 1],
    [0, -1],
    [1, 0],
    [-1, 0],
  ] as const),
  ...([
    [1, 1],
    [-1, 1],
    [1, -1],
    [-1, -1],
  ] as const),
]

function moved(cell: Cell, [east, north]: readonly [number, number]): Cell {
  const size = 2 ** cell.step
  const shift = (index: number, by: number) => (by === 0 ? index : (index + by + size) % size)
  return { ...cell, latitude: shift(cell.latitude, north), longitude: shift(cell.longitude, east) }
}

/** The cells that cover the shape. Only duplicates that Redis detects are omitted. */
export function cellsAround(shape: Shape): Cell[] {
  const { center } = shape
  const radius = shape.kind === 'circle' ? shape.radius : Math.sqrt((shape.width / 2) ** 2 + (shape.height / 2) ** 2)
  const limits = bounds(shape)
  let step = steps(radius, center[1])
  let cell = cellOf(center, step)
  const reach = {
    latitude: { min: areaOf(moved(cell, [0, -1])).latitude.min, max: areaOf(moved(cell, [0, 1])).latitude.max },
    longitude: { min: areaOf(moved(cell, [-1, 0])).longitude.min, max: areaOf(moved(cell, [1, 0])).longitude.max },
  }
  const tooSmall = (['latitude', 'longitude'] as const).some(
    (axis) => reach[axis].max < limits[axis].max || reach[axis].min > limits[axis].min,
  )
  if (step > 1 && tooSmall) cell = cellOf(center, --step)
  const own = areaOf(cell)
  const useless = ([east, north]: readonly [number, number]) =>
    step >= 2 &&
    ((north < 0 && own.latitude.min < limits.latitude.min) ||
      (north > 0 && own.latitude.max > limits.latitude.max) ||
      (east < 0 && own.longitude.min < limits.longitude.min) ||
      (east > 0 && own.longitude.max > limits.longitude.max))
  const cells: Cell[] = []
  for (const offset of around) {
    if (useless(offset)) continue
    const next = moved(cell, offset)
    const last = cells.length > 1 ? cells.at(-1)! : undefined
    if (last?.latitude !== next.latitude || last.longitude !== next.longitude) cells.push(next)
  }
  return cells
}
