/**
 * Stories about scripts that never end or take long, and about the replies to other clients while
 * the scripts run.
 */
import { encodeCommand } from 'test-servers'
import { command, type Sequence, type Step } from '../step.ts'
import { receive, run, sleep, story } from './story.ts'

/**
 * Starts a command, and waits in real time until a real server has noticed that its script is slow.
 */
function start(on: number, ...args: string[]): Step[] {
  return [{ kind: 'raw', on, bytes: encodeCommand(args), replies: 0 }, sleep(100)]
}

const reported = [
  'PING',
  'GET a',
  'FOO',
  'GET',
  'EVALSHA x 0',
  'SCRIPT EXISTS x',
  'SCRIPT FLUSH',
  'CLIENT ID',
  'CONFIG GET maxmemory',
  'SUBSCRIBE a',
  'WATCH a',
  'UNWATCH',
  'MULTI',
  'GET a',
  'EXEC',
  'MULTI',
  'DISCARD',
  'HELLO 3',
  'HELLO 2',
  'FUNCTION KILL',
  'RESET',
]

export const busy: readonly Sequence[] = [
  story(
    'a script that never ends, until it is killed',
    2,
    run('SCRIPT KILL'),
    run('FUNCTION KILL'),
    run('CONFIG SET busy-reply-threshold 10'),
    run('SET a 1'),
    ...start(1, 'EVAL', 'redis.call("GET", "a") while true do end', '0'),
    ...reported.map((text) => run(text)),
    run('SCRIPT KILL'),
    receive(1, 1),
    run('GET a'),
    run('SCRIPT KILL'),
  ),
  story(
    'a script cannot catch that it is killed',
    2,
    run('CONFIG SET busy-reply-threshold 10'),
    ...start(1, 'EVAL', 'while true do pcall(function() while true do end end) end', '0'),
    run('SCRIPT KILL'),
    receive(1, 1),
    run('PING', 1),
  ),
]

/** A loop that takes at least two thirds of a second on a real server. */
const longLoop = 'for i = 1, 250000000 do end'

/** Stories about scripts that end by themselves. */
export const longScripts: readonly Sequence[] = [
  story(
    'a long script makes others wait, and ends',
    2,
    run('CONFIG SET busy-reply-threshold 10'),
    ...start(1, 'EVAL', `redis.call("SET", "a", "1") ${longLoop} return redis.call("GET", "a")`, '0'),
    run('PING'),
    run('SCRIPT KILL'),
    run('FUNCTION KILL'),
    receive(1, 1),
    run('GET a'),
    run('SCRIPT KILL'),
    ...['NOSAVE SAVE', 'NOSAVE ABORT', 'nope', 'ABORT'].map((words) => run(`SHUTDOWN ${words}`)),
  ),
  story(
    'a long script that wrote nothing can be killed',
    2,
    run('CONFIG SET lua-time-limit 10'),
    run('CONFIG GET busy-reply-threshold'),
    ...start(1, 'EVAL', `${longLoop} return redis.call("GET", "a")`, '0'),
    run('FUNCTION KILL'),
    run('SCRIPT KILL'),
    receive(1, 1),
    run('PING', 1),
  ),
  story(
    'a long script is not heard of while it is within the threshold',
    1,
    command(0, 'EVAL', `for i = 1, 30000000 do end return 1`, '0'),
    command(0, 'EVAL', 'for i = 1, 50000 do redis.call("SET", "foo", i) end return redis.call("GET", "foo")', '0'),
    run('GET foo'),
  ),
]

/** A loop that takes longer than the TTL of the key in this story. */
const loop = 'for i = 1, 3000000 do end'

export const frozenTime: readonly Sequence[] = [
  story(
    'time stands still inside of a script',
    1,
    command(
      0,
      'EVAL',
      `redis.call("SET", KEYS[1], "v", "PX", 2) ${loop} return {redis.call("GET", KEYS[1]), redis.call("EXISTS", KEYS[1])}`,
      '1',
      'k',
    ),
    sleep(10),
    run('GET k'),
    command(0, 'EVAL', 'return {redis.call("EXISTS", KEYS[1]), redis.call("SET", KEYS[1], "w", "NX")}', '1', 'k'),
  ),
  story(
    'time stands still inside of a transaction',
    1,
    run('MULTI'),
    run('SET k v PX 2'),
    command(0, 'EVAL', `${loop} return redis.call("GET", "k")`, '0'),
    run('GET k'),
    run('EXISTS k'),
    run('EXEC'),
    sleep(10),
    run('GET k'),
  ),
]
