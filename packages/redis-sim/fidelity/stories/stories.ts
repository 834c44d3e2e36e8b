/** The stories: hand-written sequences for behavior that random sequences rarely reach. */
import type { Sequence } from '../step.ts'
import { administration } from './administration.ts'
import { badInput } from './bad-input.ts'
import { blocking } from './blocking.ts'
import { busy, frozenTime, longScripts } from './busy.ts'
import { dumps } from './dumps.ts'
import { events } from './events.ts'
import { expiry } from './expiry.ts'
import { figures } from './figures.ts'
import { functions } from './functions.ts'
import { hyperLogLogs } from './hyperloglogs.ts'
import { memory } from './memory.ts'
import { messages } from './messages.ts'
import { protocol } from './protocol.ts'
import { scripts } from './scripts.ts'
import { sorting } from './sorting.ts'
import { streams } from './streams.ts'
import { tracking } from './tracking.ts'
import { transactions } from './transactions.ts'
import { users } from './users.ts'
import { values } from './values.ts'

export const stories: readonly Sequence[] = [
  ...protocol,
  ...transactions,
  ...expiry,
  ...values,
  ...administration,
  ...scripts,
  ...functions,
  ...blocking,
  ...streams,
  ...messages,
  ...events,
  ...sorting,
  ...badInput,
  ...busy,
  ...frozenTime,
  ...longScripts,
  ...figures,
  ...hyperLogLogs,
  ...tracking,
  ...dumps,
  ...users,
  ...memory,
]
