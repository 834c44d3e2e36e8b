/** Invalid words of `live` and `replay-live`, which they reject before they start a server. */
import { it } from 'vitest'
import { expectRefusal } from './refusal.ts'
import { twoVersionsProject } from './two-versions-project.ts'

const cwd = twoVersionsProject()

const words: readonly [readonly string[], string | RegExp][] = [
  [['replay-live'], /^replay-live: give a token, a file or an id, or /],
  [['replay-live', 'op2_x', '--passes', '1'], /^replay-live: give a token, a file or an id, or /],
  [['replay-live', '1', '--all'], /^replay-live: give a token, a file or an id, or /],
  [['replay-live', '1'], /^1: no .*results\.json; run a campaign first/],
  [['replay-live', '--all'], /^--all: no .*results\.json; run a campaign first/],
  [['replay-live', '--all', '--budget', '0s'], /^--budget 0s: give a time such as 30s or 10m$/],
  [['replay-live', '--all', '--with', 'redis://127.0.0.1:1'], /^--with redis:\S+: shared with other runs; /],
  [['replay-live', '--passes', '1', '--with', 'redis://127.0.0.1:1'], /^--with redis:\S+: shared with other runs; /],
  [
    ['replay-live', '--passes', '1', '--with', 'compose', '--at-once', '2'],
    /^--at-once 2: the Redis of docker-compose.yml supports one run at a time; remove it$/,
  ],
  [
    ['replay-live', '--passes', '1', '--impl', 'reference-postgres', '--with', 'compose'],
    /^--with compose: PostgreSQL is shared there; choose local or docker$/,
  ],
  [
    ['replay-live', '--passes', '1', '--impl', '00?-get-set*'],
    /^--impl 00\?-get-set\*: matches \d+ layers; name one of them$/,
  ],
  [
    ['replay-live', '--passes', '1', '--impl', 'reference-postgres', '--proxy', 'toxiproxy'],
    /^--proxy toxiproxy: only the built-in proxy supports PostgreSQL/,
  ],
  [['replay-live', '--passes', '1', '--impl', 'exec:true'], /^--impl exec:true: a program runs only in the simulator/],
  [
    ['live', '--scenario', 'redis-failover', '--run', '140'],
    /^--run 140: redis-failover has only one plan for live runs/,
  ],
  [
    ['live', '--scenario', 'cluster-failover', '--run', '3'],
    /^--run 3: cluster-failover has only plans for live runs 0 to 2; choose another scenario/,
  ],
  [['live', '--impl', 'exec:true'], /^--impl exec:true: a program runs only in the simulator/],
  [
    ['live', '--impl', 'canary-postgres-looks-before'],
    /^canary-postgres-looks-before: a mutant runs only in the simulator, not under `live`/,
  ],
  [
    ['live', '--impl', 'reference', '--with-next', 'canary-no-begin', '--scenario', 'competing-consumers'],
    /^canary-no-begin: a mutant runs only in the simulator, not under `live`$/,
  ],
  [
    ['replay-live', '--passes', '1', '--impl', 'canary-no-begin'],
    /^canary-no-begin: a mutant runs only in the simulator, not under `replay-live`$/,
  ],
  [['live', '--impl', 'reference', '--with-next', 'exec:true'], /^--with-next exec:true: a program runs only in the/],
  [
    ['replay-live', '--passes', '1', '--impl', 'reference', '--with-next', 'exec:true'],
    /^--with-next exec:true: a program runs only in the simulator/,
  ],
]
it.each(words)('refuses %j', (args, text) => expectRefusal(args, 2, text, cwd))
