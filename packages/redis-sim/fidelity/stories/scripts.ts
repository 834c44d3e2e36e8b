/**
 * Stories about the script cache, script flags, allowed commands, and protocol versions within
 * scripts.
 */
import { command, type Sequence } from '../step.ts'
import { run, story } from './story.ts'

export const scripts: readonly Sequence[] = [
  story(
    'a function that only reads',
    1,
    command(
      0,
      'FUNCTION',
      'LOAD',
      '#!lua name=lib\nredis.register_function{function_name = "f", callback = function(keys) return redis.call("GET", keys[1]) end, flags = {"no-writes"}}',
    ),
    run('SET a 1'),
    run('FCALL_RO f 1 a'),
    run('FCALL f 1 a'),
    run('FUNCTION FLUSH'),
    run('FCALL_RO f 1 a'),
  ),
  story(
    'scripts and their cache',
    1,
    command(0, 'SCRIPT', 'LOAD', 'return 1'),
    run('EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0'),
    run('EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0'),
    run('SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db E0E1F9FABFC9D4800C877A703B823AC0578FF8DB x'),
    run('EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0'),
    run('EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8da 0'),
    run('SCRIPT FLUSH ASYNC'),
    run('EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0'),
    command(0, 'EVAL', 'return 1', '0'),
    run('EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0'),
    command(0, 'EVAL', '#!lua flags=no-writes\nreturn redis.call("SET", "a", "1")', '0'),
    command(0, 'EVAL_RO', '#!lua\nreturn 1', '0'),
    command(0, 'EVAL', '#!lua flags=nonsense\nreturn 1', '0'),
    command(0, 'EVAL', '#!js\nreturn 1', '0'),
    command(0, 'EVAL_RO', 'return redis.call("SET", "a", "1")', '0'),
    command(0, 'EVAL_RO', 'return redis.pcall("PUBLISH", "a", "1")', '0'),
    command(0, 'EVAL', 'return redis.call("MULTI")', '0'),
    command(0, 'EVAL', 'return redis.call("CLIENT", "ID")', '0'),
    command(0, 'EVAL', 'return redis.call("NOPE")', '0'),
    command(0, 'EVAL', 'return redis.call("GET")', '0'),
    command(0, 'EVAL', 'redis.call("SELECT", 3) return redis.call("SET", "a", "three")', '0'),
    run('GET a'),
    run('MULTI'),
    command(0, 'EVAL', 'redis.call("SET", "a", "1") return redis.call("INCR", "a")', '0'),
    command(0, 'EVAL', 'redis.call("SET", "a", "x") return redis.call("INCR", "a")', '0'),
    run('EXEC'),
    command(0, 'EVAL', 'redis.setresp(3) return redis.call("HGETALL", "no")', '0'),
    run('HELLO 3'),
    command(0, 'EVAL', 'redis.call("HSET", "h", "f", "v") redis.setresp(3) return redis.call("HGETALL", "h")', '0'),
    command(0, 'EVAL', 'return redis.call("HGETALL", "h")', '0'),
    command(0, 'EVAL', 'redis.call("ZADD", "z", 1.5, "m") redis.setresp(3) return redis.call("ZSCORE", "z", "m")', '0'),
    command(0, 'EVAL', 'redis.setresp(3) return {redis.call("GET", "no"), redis.call("LPOP", "no", 2)}', '0'),
    command(0, 'EVAL', 'redis.setresp(3) return redis.call("SMEMBERS", "no")', '0'),
  ),
]
