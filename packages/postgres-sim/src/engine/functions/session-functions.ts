import { keyInText } from '../commands/names.ts'
import { advisoryTag, type LockTag } from '../locks/lock-tag.ts'
import type { Mode } from '../locks/modes.ts'
import type { Run } from '../run.ts'
import { assignSetting } from '../session/assign-setting.ts'
import { SqlError, UnsupportedSql } from '../sql-error.ts'
import { type Type, types } from '../values/types.ts'
import type { Value } from '../values/value.ts'
import type { SqlFunction, WaitingFunction } from './function.ts'

const { text, int4, int8, bool, timestamptz, regclass } = types

const define = (
  name: string,
  args: readonly Type[],
  result: Type,
  call: SqlFunction['call'],
  takesNull = false,
): SqlFunction => ({
  name,
  args,
  result,
  call,
  takesNull,
  mutable: true,
})

export const versionText =
  'PostgreSQL 15.20 (Debian 15.20-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14+deb12u1) 12.2.0, 64-bit'

function uuid(run: Run): string {
  const digits = Array.from({ length: 32 }, (_, i) => {
    const digit = run.backend.database.host.chance('gen_random_uuid', 16)
    return (i === 12 ? 4 : i === 16 ? (digit & 3) | 8 : digit).toString(16)
  }).join('')
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join(
    '-',
  )
}

/** The two kinds of keys of an advisory lock: one key of 64 bits, or two keys of 32 bits. */
const keys: readonly (readonly [args: readonly Type[], tag: (args: readonly Value[]) => LockTag])[] = [
  [
    [int8],
    ([key]) => {
      const bits = BigInt.asUintN(64, key as bigint)
      return advisoryTag(Number(bits >> 32n), Number(bits & 0xffffffffn), false)
    },
  ],
  [[int4, int4], ([high, low]) => advisoryTag((high as number) >>> 0, (low as number) >>> 0, true)],
]

/** Functions that depend on the session, its transaction, the clock or randomness. */
export const sessionFunctions: readonly SqlFunction[] = [
  define('now', [], timestamptz, (_, run) => run.backend.reportTransactionStartUs()),
  define('transaction_timestamp', [], timestamptz, (_, run) => run.backend.reportTransactionStartUs()),
  define('statement_timestamp', [], timestamptz, (_, run) => run.backend.reportStatementStartUs()),
  define('clock_timestamp', [], timestamptz, (_, run) => run.backend.reportNowUs()),
  define('gen_random_uuid', [], types.uuid, (_, run) => uuid(run)),
  define('random', [], types.float8, (_, run) => run.backend.database.host.chance('random', 2 ** 31) / 2 ** 31),
  define('pg_backend_pid', [], int4, (_, run) => run.backend.processId),
  define('version', [], text, () => versionText),
  define('current_database', [], types.name, (_, run) => run.backend.startup.database),
  define('current_schema', [], types.name, () => 'public'),
  define('pg_is_in_recovery', [], bool, () => false),
  define('txid_current', [], int8, (_, run) => BigInt(run.backend.topXidAssigned())),
  define('current_setting', [text], text, ([name], run) => run.backend.settings.show(name as string)),
  define('current_setting', [text, bool], text, ([name, missing], run) =>
    run.backend.settings.show(name as string, missing as boolean),
  ),
  define(
    'set_config',
    [text, text, bool],
    text,
    ([name, value, local], run) => {
      if (name === null) throw new SqlError('22004', 'SET requires parameter name')
      assignSetting(run.backend, name as string, value as string | null, local === true)
      return run.backend.settings.show(name as string)
    },
    true,
  ),
  define('nextval', [regclass], int8, ([name], run) => run.backend.sequences.next(name as string)),
  define('currval', [regclass], int8, ([name], run) => run.backend.sequences.current(name as string)),
  define('lastval', [], int8, (_, run) => run.backend.sequences.latest()),
  define('setval', [regclass, int8], int8, ([name, value], run) =>
    run.backend.sequences.set(name as string, value as bigint, true),
  ),
  define('setval', [regclass, int8, bool], int8, ([name, value, called], run) =>
    run.backend.sequences.set(name as string, value as bigint, called as boolean),
  ),
  define(
    'pg_notify',
    [text, text],
    types.void,
    ([channel, payload], run) => {
      run.backend.notify((channel ?? '') as string, (payload ?? '') as string)
      return ''
    },
    true,
  ),
  define('pg_advisory_unlock_all', [], types.void, (_, run) => {
    run.backend.advisory.unlockAll()
    return ''
  }),
  define('to_regclass', [text], regclass, ([name], run) => {
    const key = keyInText(name as string)
    return key !== null && run.backend.database.catalog.find(run.backend, key) ? key : null
  }),
  define('pg_typeof', [], text, () => {
    throw new UnsupportedSql('pg_typeof()')
  }),
  ...advisoryFunctions(),
]

function advisoryFunctions(): SqlFunction[] {
  return keyKinds().flatMap(([args, tag, shared, mode]) => [
    define(`pg_try_advisory_lock${shared}`, args, bool, (values, run) =>
      run.backend.advisory.tryLock(tag(values), mode, true),
    ),
    define(`pg_try_advisory_xact_lock${shared}`, args, bool, (values, run) =>
      run.backend.advisory.tryLock(tag(values), mode, false),
    ),
    define(`pg_advisory_unlock${shared}`, args, bool, (values, run) => run.backend.advisory.unlock(tag(values), mode)),
  ])
}

function keyKinds() {
  const shares: readonly (readonly [string, Mode])[] = [
    ['', 7],
    ['_shared', 5],
  ]
  return shares.flatMap(([shared, mode]) => keys.map(([args, tag]) => [args, tag, shared, mode] as const))
}

/**
 * pg_sleep() and the functions of
 * https://www.postgresql.org/docs/15/functions-admin.html#FUNCTIONS-ADVISORY-LOCKS
 */
export const waitingFunctions: readonly WaitingFunction[] = [
  {
    ...{ name: 'pg_sleep', args: [types.float8], result: types.void },
    *run([seconds], run) {
      yield* run.backend.sleep(Math.max(0, Math.round((seconds as number) * 1e6)))
      return ''
    },
  },
  ...keyKinds().flatMap(([args, tag, shared, mode]): WaitingFunction[] => [
    {
      ...{ name: `pg_advisory_lock${shared}`, args, result: types.void },
      *run(values, run) {
        yield* run.backend.advisory.lock(tag(values), mode, true)
        return ''
      },
    },
    {
      ...{ name: `pg_advisory_xact_lock${shared}`, args, result: types.void },
      *run(values, run) {
        yield* run.backend.advisory.lock(tag(values), mode, false)
        return ''
      },
    },
  ]),
]
