// The watchdog's thread, if the command line runs from its sources.
import { setTimeout } from 'node:timers/promises'

// Loading tsx takes 400 ms of CPU. Most commands that run from sources are short commands of tests,
// which end before that.
await setTimeout(1_000)
const { register } = await import('tsx/esm/api')
register()
await import('./watchdog-task.ts')
