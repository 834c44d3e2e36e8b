/**
 * Commands on positions. Distances are not stored, because JavaScript's sine may differ from C's in
 * the last digit, which is only visible in a stored score.
 */
import type { Random } from 'test-servers'
import type { Template } from './template.ts'
import { float, integer, keyLike, many } from './vocabulary.ts'

const places = ['home', 'work', 'pub', 'pole', 'edge', 'sea', 'sicily']

function place(random: Random): string {
  return random.pick(places)
}

function degree(random: Random, most: number): string {
  if (random.chance(5)) return float(random)
  if (random.chance(10)) return random.pick([String(most), String(-most), '0', String(most + 1)])
  return random.pick([`${random.below(40) / 10}`, `-${random.below(1700) / 20}`, `${random.below(1700) / 20.0}`])
}

function lonLat(random: Random): string[] {
  return [degree(random, 180), degree(random, 85)]
}

function unit(random: Random): string {
  return random.pick(['m', 'km', 'KM', 'ft', 'mi', 'km', random.chance(10) ? 'yards' : 'km'])
}

function size(random: Random): string {
  return random.chance(90) ? random.pick(['0', '1', '50', '500', '3000', '20000']) : float(random)
}

function circle(random: Random): string[] {
  return [size(random), unit(random)]
}

function geoKey(random: Random): string {
  return keyLike(random, 'geo')
}

function options(random: Random): string[] {
  return many(random, 0, 3, () =>
    random.pick([
      ['WITHDIST'],
      ['WITHCOORD'],
      ['WITHHASH'],
      ['ASC'],
      ['DESC'],
      ['COUNT', integer(random)],
      ['COUNT', '1', 'ANY'],
      ['ANY'],
      ['STORE', geoKey(random)],
      ['bad'],
    ]),
  )
}

function search(random: Random): string[] {
  const from = random.chance(50) ? ['FROMMEMBER', place(random)] : ['FROMLONLAT', ...lonLat(random)]
  const by = random.chance(50) ? ['BYRADIUS', ...circle(random)] : ['BYBOX', size(random), size(random), unit(random)]
  return [...(random.chance(95) ? from : []), ...(random.chance(95) ? by : []), ...options(random)]
}

export const geoTemplates: readonly Template[] = [
  [
    10,
    (r) => [
      'GEOADD',
      geoKey(r),
      ...(r.chance(20) ? [r.pick(['NX', 'XX', 'CH', 'bad'])] : []),
      ...many(r, 1, 3, () => [...lonLat(r), place(r)]),
    ],
  ],
  [2, (r) => ['GEOPOS', geoKey(r), ...many(r, 0, 3, () => [place(r)])]],
  [2, (r) => ['GEOHASH', geoKey(r), ...many(r, 0, 3, () => [place(r)])]],
  [3, (r) => ['GEODIST', geoKey(r), place(r), place(r), ...many(r, 0, 1, () => [unit(r)])]],
  [3, (r) => [r.pick(['GEORADIUS', 'GEORADIUS_RO']), geoKey(r), ...lonLat(r), ...circle(r), ...options(r)]],
  [3, (r) => [r.pick(['GEORADIUSBYMEMBER', 'GEORADIUSBYMEMBER_RO']), geoKey(r), place(r), ...circle(r), ...options(r)]],
  [6, (r) => ['GEOSEARCH', geoKey(r), ...search(r)]],
  [2, (r) => ['GEOSEARCHSTORE', geoKey(r), geoKey(r), ...search(r)]],
  [1, (r) => ['ZRANGE', geoKey(r), '0', '-1', 'WITHSCORES']],
]
