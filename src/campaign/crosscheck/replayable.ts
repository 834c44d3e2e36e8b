/**
 * Decides which commands of a run can be compared, because another server must give the same reply
 * (docs/how-it-works/decisions/0005).
 */
import { commandName } from 'redis-sim/compare'

/**
 * True for introspection of the server (INFO, CLIENT, TIME …): such a command is executed, but not
 * compared.
 */
export function isOfTheServer(args: readonly string[]): boolean {
  return /^(time|info|hello|role|lastsave|command|client\|.*|command\|.*)$/.test(commandName(args))
}

export function isWait([name = '']: readonly string[]): boolean {
  return /^wait$/i.test(name)
}

type Group = readonly [names: RegExp, why: string]

/** Patterns for whole names of commands that end a sample, with the reason. */
const anywhere: readonly Group[] = [
  [/^(p?expireat|p?expiretime|object)$/, 'commands that depend on the clock of Redis'],
  [/^(xadd|xclaim|xautoclaim|xpending|xreadgroup|xinfo)$/, 'commands that depend on the clock of Redis'],
  [/^(spop|srandmember|zrandmember|hrandfield|randomkey)$/, 'chance'],
]

const ofClients: readonly Group[] = [
  ...anywhere,
  [/^(fcall|fcall_ro|function)$/, 'functions'],
  [/^(p?s?subscribe|p?s?unsubscribe|monitor|sync|psync)$/, 'unsolicited messages'],
  [/^(config|debug|shutdown|save|bgsave|bgrewriteaof|acl|module|migrate|failover)$/, 'administration'],
  [/^(replicaof|slaveof|cluster|latency|slowlog|memory|swapdb|wait|replconf)$/, 'administration'],
]

/**
 * Patterns for quoted words in scripts. Commands only for clients are not listed: scripts cannot
 * call them, but may contain their names as texts to search for.
 */
const ofScripts: readonly Group[] = [
  ...anywhere,
  [/^(smembers|sinter|sunion|sdiff|keys|scan|sscan|hscan|zscan)$/, 'random order, in a script'],
]

const whyNotInScript = (name: string) => ofScripts.find(([names]) => names.test(name))?.[1]

/**
 * True for PXAT and EXAT of SET and GETEX, and for GT and LT of EXPIRE. GT and LT are listed
 * because keys on the real server have a lifetime of at least a second (`lifetimes.ts`).
 */
const asksForTimes = (word: string): boolean => /^((px|ex)at|gt|lt)$/i.test(word)

/** Why the command cannot be replayed on another server; null if it can. */
export function whyNotReplayable(args: readonly string[]): string | null {
  const name = args[0]?.toLowerCase() ?? ''
  const reason = ofClients.find(([names]) => names.test(name))?.[1]
  if (reason !== undefined) return reason
  if (/^(set|getex|p?expire)$/.test(name) && args.slice(2).some(asksForTimes))
    return 'commands that depend on the clock of Redis'
  if (name === 'client' && /^(kill|pause|reply|tracking|unblock|no-evict)$/i.test(args[1] ?? ''))
    return 'administration'
  if (name === 'script') return /^load$/i.test(args[1] ?? '') ? whyNotScript(args[2] ?? '') : whyNotScriptCommand(args)
  if (!runsScript(args)) return null
  if (args.slice(2).some(asksForTimes)) return 'commands that depend on the clock of Redis'
  return /^eval(_ro)?$/.test(name) ? whyNotScript(args[1] ?? '') : null
}

export function runsScript([name = '']: readonly string[]): boolean {
  return /^eval(sha)?(_ro)?$/i.test(name)
}

/**
 * Why a script that executed these commands cannot be replayed on another server; null if it can.
 * The text of the script need not contain the names, because a name may be computed, or passed as
 * an argument.
 */
export function whyNotExecuted(
  names: readonly string[],
  reported: { time: boolean; lifetimes: boolean },
): string | null {
  for (const name of names) {
    const reason = whyNotInScript(name)
    if (reason !== undefined) return reason
    if (name === 'time' ? !reported.time : /^p?ttl$/.test(name) && !reported.lifetimes)
      return 'a script that computes the names of its commands'
  }
  return null
}

function whyNotScriptCommand([, command = '']: readonly string[]): string | null {
  return /^(exists|flush)$/i.test(command) ? null : 'administration'
}

function whyNotScript(body: string): string | null {
  for (const [, word] of body.matchAll(/["']([\w|]+)["']/g)) {
    const name = word!.toLowerCase()
    const reason = whyNotInScript(name)
    if (reason !== undefined) return reason
    if (asksForTimes(name)) return 'commands that depend on the clock of Redis'
  }
  return /\b(_G|[gs]etfenv|loadstring|os\.clock)\b/.test(body) ? 'scripts that bypass their libraries' : null
}
