/** Stories about INFO and CLIENT LIST. */
import type { Sequence } from '../step.ts'
import { pipeline, raw, run, send, story } from './story.ts'

const sections = [
  ...['server', 'clients', 'memory', 'persistence', 'stats', 'replication', 'cpu', 'modules', 'errorstats', 'cluster'],
  ...['keyspace', 'nope', 'server Keyspace', 'default', 'all', 'everything'],
]

export const figures: readonly Sequence[] = [
  story(
    'INFO',
    2,
    ...[
      'CONFIG RESETSTAT',
      'SET a 1',
      'SET b 1 PXAT 9999999999999',
      'GET a',
      'GET none',
      'EXISTS a none',
      'FOO',
      'INCR',
      'HGET a f',
      'EVALSHA x 0',
      'EVAL return{err="MINE"} 0',
      'SELECT 1',
      'SET c 1',
      'PUBLISH news x',
    ].map((text) => run(text)),
    ...send(1, 'BLPOP l 0'),
    run('INFO'),
    ...sections.map((section) => run(`INFO ${section}`)),
    run('HELLO 3'),
    run('INFO keyspace'),
  ),
  story(
    'CLIENT LIST',
    3,
    run('CLIENT SETNAME me'),
    run('SELECT 2'),
    run('CLIENT INFO'),
    run('MULTI', 1),
    run('GET a', 1),
    raw(pipeline('HELLO 3'), 1),
    raw(pipeline('PSUBSCRIBE x* y*'), 2),
    raw(pipeline('SUBSCRIBE a'), 1),
    ...send(2, 'BLPOP l 0'),
    run('CLIENT LIST'),
    run('CLIENT LIST TYPE normal'),
    run('CLIENT LIST TYPE pubsub'),
    run('CLIENT LIST TYPE replica'),
    run('CLIENT NO-EVICT on'),
    run('CLIENT INFO'),
    run('WATCH k'),
    run('CLIENT INFO'),
    run('FOO'),
    run('MULTI'),
    run('CLIENT INFO'),
    run('EXEC'),
    run('CLIENT LIST', 1),
  ),
]
