import { describe, expect, it } from 'vitest'
import { missingNeeds, type Needs } from './needs.ts'
import type { Program, Programs } from './programs.ts'
import { skippedLines } from './skipped-table.ts'

const found = (version: string): Program => ({ at: `/bin/${version}`, version, why: `found ${version}` })
const missing = (why: string): Program => ({ at: null, version: '', why })

const bare: Programs = {
  redis: missing('not found'),
  postgres: missing('not found'),
  python: missing('python3 not found'),
  go: missing('not found'),
  chromium: missing('not found'),
  docker: missing('not found'),
  compose: missing('not found'),
  toxiproxy: missing('not found'),
}

/** `redis-server 7.0: not found`. */
const reasons = (wanted: Needs, programs: Partial<Programs>): string[] =>
  missingNeeds(wanted, { ...bare, ...programs }).map(({ what, why }) => `${what}: ${why}`)

describe('a need for Redis 7.0', () => {
  it.each(['7.0', '7.0.15'])('is met by Redis %s', (version) => {
    expect(reasons({ redis: '7.0' }, { redis: found(version) })).toEqual([])
  })

  it.each(['5.0.14', '6.2.14', '7.2.4', '8.0.1'])('is not met by Redis %s', (version) => {
    expect(reasons({ redis: '7.0' }, { redis: found(version) })).toEqual([`redis-server 7.0: found ${version}`])
  })

  it.each(['not found', 'found Valkey server v=8.0.1', '/bin/redis-server prints no version'])(
    'is not met by a program that is missing: %s',
    (why) => {
      expect(reasons({ redis: '7.0' }, { redis: missing(why) })).toEqual([`redis-server 7.0: ${why}`])
    },
  )
})

describe('a need for PostgreSQL', () => {
  it.each([
    ['15', '15.18'],
    ['15', '15.21'],
    ['15.20', '15.20'],
    ['15.20', '15.21'],
  ])('%s is met by %s', (postgres, version) => {
    expect(reasons({ postgres }, { postgres: found(version) })).toEqual([])
  })

  it.each([
    ['15', '13.14'],
    ['15', '17.2'],
    ['15.20', '15.18'],
    ['15.20', '15.9'],
    ['15.20', '13.20'],
    ['15.20', '17.20'],
  ])('%s is not met by %s', (postgres, version) => {
    const expected = [`PostgreSQL ${postgres}: found ${version}`]
    expect(reasons({ postgres }, { postgres: found(version) })).toEqual(expected)
  })
})

describe('a need for Docker images', () => {
  const docker: Program = { at: '/bin/docker', version: 'redis:7 postgres:15', why: 'image not found' }

  it('is met by an engine that has all of them', () => {
    expect(reasons({ docker: ['redis:7', 'postgres:15'] }, { docker })).toEqual([])
  })

  it('names each image that the engine lacks', () => {
    const expected = ['image redis:8: not found', 'image redis: not found']
    expect(reasons({ docker: ['redis:8', 'redis:7', 'redis'] }, { docker })).toEqual(expected)
  })

  it('is one need if no engine answers', () => {
    const docker = missing('no engine answers')
    expect(reasons({ docker: ['redis:7', 'postgres:15'] }, { docker })).toEqual(['Docker: no engine answers'])
  })
})

it('names every need that is missing, and no other', () => {
  const wanted: Needs = { redis: '7.0', python: 'redis', go: true, chromium: true, compose: true, toxiproxy: true }
  const programs = { redis: found('7.0.15'), python: missing('python3 has no module redis'), go: found('1.19') }
  expect(reasons(wanted, programs)).toEqual([
    'python3 with redis-py: python3 has no module redis',
    'chromium: not found',
    'docker compose: not found',
    'toxiproxy-server: not found',
  ])
})

describe('the table of skipped groups', () => {
  const needOf = (wanted: Needs, programs: Partial<Programs> = {}) => missingNeeds(wanted, { ...bare, ...programs })[0]!

  it('has one line for each need, and one command that installs all of them', () => {
    const postgres = needOf({ postgres: '15.20' }, { postgres: found('15.18') })
    const lines = skippedLines([
      { need: needOf({ redis: '7.0' }), tests: 12 },
      { need: postgres, tests: 3 },
      { need: needOf({ redis: '7.0' }), tests: 5 },
      { need: needOf({ toxiproxy: true }), tests: 1 },
    ])
    expect(lines).toEqual([
      'skipped: needs    because      groups  tests',
      'redis-server 7.0  not found    2       17',
      'PostgreSQL 15.20  found 15.18  1       3',
      'toxiproxy-server  not found    1       1',
      'to run them on Debian: apt-get install postgresql-15 redis-server',
    ])
  })

  it('has no command if Debian has no package', () => {
    const lines = skippedLines([{ need: needOf({ toxiproxy: true }), tests: 1 }])
    expect(lines).toEqual(['skipped: needs    because    groups  tests', 'toxiproxy-server  not found  1       1'])
  })

  it('is empty if every need is met', () => {
    expect(skippedLines([])).toEqual([])
  })
})
