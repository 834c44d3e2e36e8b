/** Invalid words and values that a command rejects before it plays: exit code 2, and one line. */
import path from 'node:path'
import { expect, it } from 'vitest'
import { expectRefusal } from './refusal.ts'
import { temporaryFolder, write } from './run-cli.ts'
import { onceproofHere } from './run-here.ts'
import { twoVersionsProject } from './two-versions-project.ts'

const cwd = twoVersionsProject()

const words: readonly [readonly string[], string | RegExp][] = [
  [['runn'], /^command runn: did you mean run, tune\?$/],
  [['plays'], /^command plays: /],
  [['RUN'], /^command RUN: /],
  [['\u001b[2J'], /^command \\x1b\[2J: /],
  [['--sede', '3'], /did you mean --seed\?/],
  [['--runs'], /--runs.*needs a value/],
  [
    ['--sink', 'plain', '--sink', 'keyed'],
    /^--sink: given twice, but it takes one kind; .*`sinks: \['plain', 'keyed'\]`/,
  ],
  [['run', 'lost-reply'], /^argument lost-reply: `run` takes none; to give several values, repeat the option/],
  [['--scenario', 'lost-reply', 'only-crashes'], /^argument only-crashes: `run` takes none; /],
  [['replay', 'a', 'b'], /^argument b: `replay` takes 1; /],
  [['list', '\u001b[2J'], /^argument \\x1b\[2J: /],
  [['merge'], /argument <folders>: missing/],
  [['corpus'], /^corpus: choose a command/],
  [['corpus', 'rm', 'x'], /^corpus rm: choose a command/],
  [['worker'], /^worker: give the queue/],
  [['explore', '--kinds', 'crsh'], /^--kinds crsh: did you mean crash\?$/],
  [
    ['explore', '--impl', '003-dynamodb', '--sentinels'],
    /^--sentinels: 003-dynamodb does not use Redis with Sentinels; /,
  ],
  [['explore', '--faults', '4'], /^--faults 4: give an integer from 0 to 3$/],
  [['explore', '--impl', '001-outbox'], /^001-outbox: its stores are redis and postgres; /],
  [['replay'], /^replay: give a token, a file/],
  [['replay', '--seed', '1'], /^replay: give a token, a file/],
  [['--runs', '3', '--time', '3s'], /^--runs and --time: give only one of them$/],
  [['--shard', '1/2', '--time', '3s'], /^--shard and --time: /],
  [
    ['--bail', '--baseline', 'x.json'],
    /^--bail and --baseline: a known finding would end the campaign; give only one of them/,
  ],
  [['--baseline', 'gone.json'], /^--baseline gone\.json: not readable \(ENOENT\); give the results\.json of a /],
  [['--shard', '1/2', '--last-failed'], /^--shard and --last-failed: /],
  [['matrix', '--scenario', 'lost-reply', '--with-next', 'nothing'], /^implementation nothing: unknown; /],
  [['matrix', '--scenario', 'lost-reply', '--with-next', './gone.ts'], /^\.\/gone\.ts: no such file; /],
  [
    ['matrix', '--scenario', 'lost-reply', '--with-next', 'reference*'],
    /^--with-next reference\*: matches several; name one$/,
  ],
  [['matrix', '--with-next', 'reference', '--write-docs', 'x.md'], /^--write-docs: .*; remove --impl, --with-next, /],
  [
    ['matrix', '--scenario', 'lost-reply', '--impl', 'a with-next b'],
    /give the two versions separately: --impl a --with-next b$/,
  ],
  [['configurations', '--with-next', 'nothing'], /^implementation nothing: unknown; /],
  [['configurations', '--with-next', './gone.ts'], /^\.\/gone\.ts: no such file; /],
  [['configurations', '--with-next', 'reference*'], /^--with-next reference\*: matches several; name one$/],
  [['configurations', '--with-next', '001-get-set', '--sink', 'fenced'], /^--sink fenced: 001-get-set supports /],
  [
    ['configurations', '--with-next', '001-get-set', '--on', 'cluster'],
    /^--on: choose a Redis that the layer can use: /,
  ],
  [['canaries', '--with-next', 'reference'], /^option --with-next: unknown; /],
  [['canaries', '--per-fault', '--without', 'crash'], /^--per-fault and --without: /],
  [['canaries', '--without', 'crsh'], /^--without crsh: did you mean crash\?$/],
  [['configurations', '--on', 'nowhere'], /^--on nowhere: choose of /],
  [['configurations', '--loss', 'nothing'], /^--loss nothing: /],
  [['configurations', '--write-docs', '/proc/x/y.md'], /^--write-docs \/proc\/x\/y\.md: not writable/],
  [['tune', '--impl', 'referense'], /^implementation referense: .*did you mean reference\?$/],
  [['tune', '--impl', './gone.ts'], /^\.\/gone\.ts: no such file; /],
  [['tune', '--work', 'fast'], /^--work fast: give a time such as 30s or 10m$/],
  [['tune', '--work', '0'], /^--work 0: give whole milliseconds from 1 ms to 10 min, such as 2s$/],
  [['tune', '--pause', '1.5ms'], /^--pause 1\.5ms: give whole milliseconds from 0 to 10 min, /],
  [['tune', '--skew', '-1s'], /^--skew -1s: give a time /],
  [['tune', '--redelivery', '30h'], /^--redelivery 30h: give whole milliseconds from 1 s to 20 h, /],
  [
    ['configurations', '--impl', 'reference', '--impl', 'cancel-before-repeat'],
    /^--sink: choose one: reference is played on /,
  ],
  [['run', '--impl', 'reference', '--scenario', 'failed-compensation'], /skipped, requires a cancellable sink$/],
  [['tune', '--impl', '001-get-set', '--sink', 'fenced'], /^--sink fenced: 001-get-set supports /],
  [['tune', '--scenario', 'stale-message'], /^option --scenario: /],
  [['run', '--scenario', 'tune/lease/5ms/work-1000ms'], /^scenario tune\/lease\/5ms\/work-1000ms: unknown; /],
  [['--reports', '/proc/x'], /^--reports \/proc\/x: not writable \(ENOENT\)/],
  [['--reports', '/dev/null'], /^--reports \/dev\/null: not writable/],
  [['--reports', '/dev/null/x'], /^--reports \/dev\/null\/x: not writable/],
  [['--reports', `/tmp/${'x'.repeat(300)}`], /not writable \(ENAMETOOLONG\)/],
  [['--redis', '/nowhere'], /^--redis \/nowhere: not found; give a program or host:port/],
  [['--scenario', 'lost-replay'], /^scenario lost-replay: unknown; did you mean lost-reply\?$/],
  [
    ['--scenario', 'lost-reply', '--impl', 'referense'],
    /^implementation referense: unknown; did you mean reference\?$/,
  ],
  [['--scenario', 'lost-reply', '--impl', 'zzz*'], /^implementation zzz\*: matches nothing; /],
  [
    ['--scenario', 'lost-reply', '--impl', './gone.ts'],
    /^\.\/gone\.ts: no such file; name an implementation by its id or path$/,
  ],
  [['--runs', '0'], /^--runs 0: give an integer from 1 /],
  [['--sink', 'fences'], /^--sink fences: did you mean fenced\?$/],
  [['--quiet', '--verbose'], /^--quiet and --verbose: /],
  [['--watch', '--shard=1/2'], /^--watch and --shard: /],
  [['--scenario', 'lost-reply', '--workers', '0'], /^--workers 0: no workers; /],
  [['--fleet', 'queue:6379'], /^--fleet queue:6379: give redis:/],
  [['matrix', '--shard', '0/8'], /^--shard 0\/8: give i\/n, with i from 1 to n /],
  [['merge', 'nowhere'], /^nowhere: not a shard's report \(no shard\.json\); /],
  [
    ['matrix', '--impl', '001-get-set', '--write-docs', 'x.md'],
    /^--write-docs: .*; remove --impl, --with-next, --scenario, --steps$/,
  ],
  [['matrix', '--write-docs', 'nowhere/x.md'], /^--write-docs nowhere\/x\.md: /],
  [['configurations', '--runs', '0'], /^--runs 0: give an integer from 1 /],
  [['configurations', '--impl', '001-get-set', '--sink', 'fenced'], /^--sink fenced: 001-get-set supports /],
  [['configurations', '--impl', '001-get-set', '--on', 'cluster'], /^--on: choose a Redis that the layer can use: /],
  [['configurations', '--on', 'sentinal'], /^--on sentinal: did you mean sentinel\?$/],
  [['configurations', '--scenario', 'x'], /^option --scenario: /],
  [['configurations', '--reports', '/dev/null'], /^--reports \/dev\/null: not writable /],
  [
    ['--scenario', 'frontier/one-server/all-data-lst'],
    /^scenario frontier\/one-server\/all-data-lst: did you mean frontier/,
  ],
  [['canaries', '--without', 'meteor'], /^--without meteor: .*list/],
  [['canaries', '--only', 'reference'], /reference\.ts: not a canary/],
  [
    ['replay', '--run', '3', '--impl', '003-postgres-skip-locked', '--scenario', 'redis-restart'],
    /^003-postgres-skip-locked × redis-restart: skipped, tests Redis, but 003-postgres-skip-locked keeps its records in PostgreSQL; name a scenario for its store$/,
  ],
  [
    ['replay', '--run', '3', '--impl', 'reference', '--scenario', 'postgres-crash'],
    /^reference × postgres-crash: skipped, tests PostgreSQL, but reference keeps its records in Redis; /,
  ],
  [['--scenario', 'lost-reply', '--with-next', './nothing.js'], /nothing\.js: no default export/],
  [
    ['--scenario', 'lost-reply', '--with-next', '001-get-set', '--sink', 'fenced'],
    /^--sink fenced: 001-get-set supports plain and keyed sinks only$/,
  ],
  [['init', 'x.txt'], /^x\.txt: not a TypeScript or JavaScript file/],
  [['init', '/proc/x/y.ts'], /^\/proc\/x: no such path/],
]
it.each(words)('refuses %j', (args, text) => expectRefusal(args, 2, text, cwd))

it('refuses a path that looks like two versions', async () => {
  const folder = path.join(temporaryFolder(), 'old with-next new')
  write(folder, 'layer.ts', 'export default {}')
  const said = /" with-next " in a path separates two versions; rename the file$/
  await expectRefusal(['run', '--scenario', 'lost-reply', '--impl', './layer.ts'], 2, said, folder)
})

it('refuses two versions without a common sink', async () => {
  const layer = (id: string, sink: string) => `export default { id: '${id}', sinks: ['${sink}'], create: () => ({}) }`
  write(cwd, 'plain.ts', layer('on-plain', 'plain'))
  write(cwd, 'keyed.ts', layer('on-keyed', 'keyed'))
  const apart = ['--impl', './plain.ts', '--with-next', './keyed.ts', '--scenario', 'competing-consumers']
  const why = /^nothing to run: on-plain with-next on-keyed: skipped, its versions have no supported sink in common$/
  await expectRefusal(['matrix', ...apart], 2, why, cwd)
})

it.each([
  ['an option', ['--sede', '3'], 'option --sede'],
  ['a token', ['replay', 'op2_x'], 'op2_x'],
  ['a second option', ['--watch'], '--watch and --json'],
])('refuses %s in one JSON document with --json', async (_, args, culprit) => {
  const { code, stdout, stderr } = await onceproofHere([...args, '--json'])
  expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, error: { culprit, remedy: expect.any(String) } })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
})
