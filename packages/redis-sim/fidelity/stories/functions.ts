/**
 * Stories about function libraries: loading, calling and listing them, and the Lua globals that
 * their code sees.
 */
import { command, type Sequence } from '../step.ts'
import { run, story } from './story.ts'

/** The code of a library with one function, `f`, that has this body. */
function library(name: string, body: string): string {
  return `#!lua name=${name}\nredis.register_function('f', function(keys, args) ${body} end)`
}

function load(code: string) {
  return command(0, 'FUNCTION', 'LOAD', 'REPLACE', code)
}

/** Loads a function with this body, and calls it with a key and an argument. */
function called(body: string) {
  return [load(library('lib', body)), run('FCALL f 1 a x')]
}

export const functions: readonly Sequence[] = [
  story(
    'functions as they are loaded',
    1,
    ...[
      'abc',
      '#!lua name=x',
      '#!py name=x\n',
      '#! name=x\n',
      '#!lua foo=x\n',
      '#!lua\n',
      '#!lua name=a name=b\n',
      '#!lua name=a-b\n',
      '#!lua name="a\n',
      '#!lua name=\n',
      '#!lua name=x\n',
      '#!lua name=x\nreturn 1',
      '#!lua name=x\nbad script',
      '#!lua name=x\ny = 5',
      '#!lua name=x\nlocal t = redis.nope',
      "#!lua name=x\nredis.call('PING')",
      '#!lua name=x\nlocal t = _G',
      "#!lua name=x\nerror('a')",
      '#!lua name=x\nlocal a = math.random()',
      '#!lua name=x\nredis.redis.call()',
      "#!lua name=x\nredis.x = 1 redis.register_function('f', function() end)",
      "#!lua name=x\nredis.register_function('a b', function() end)",
      '#!lua name=x\nredis.register_function(1, function() end)',
      "#!lua name=x\nredis.register_function('', function() end)",
      "#!lua name=x\nredis.register_function('f', 2)",
      "#!lua name=x\nredis.register_function('f')",
      '#!lua name=x\nredis.register_function()',
      "#!lua name=x\nredis.register_function('f', function() end, 3)",
      "#!lua name=x\nredis.register_function('f', function() end) redis.register_function('f', function() end)",
      "#!lua name=x\nredis.register_function{function_name='f'}",
      '#!lua name=x\nredis.register_function{callback=function() end}',
      "#!lua name=x\nredis.register_function{function_name='f', callback=1}",
      "#!lua name=x\nredis.register_function{function_name='f', callback=function() end, flags='no-writes'}",
      "#!lua name=x\nredis.register_function{function_name='f', callback=function() end, flags={'nope'}}",
      "#!lua name=x\nredis.register_function{function_name='f', callback=function() end, flags={{}}}",
      "#!lua name=x\nredis.register_function{function_name='f', callback=function() end, nope=1}",
      "#!lua name=x\nredis.register_function{function_name='f', callback=function() end, description=function() end}",
    ].map(load),
    run('FUNCTION LIST'),
    run('FUNCTION LOAD foo bar'),
    run('FUNCTION LOAD REPLACE'),
    command(0, 'FUNCTION', 'LOAD', library('one', 'return 1')),
    command(0, 'FUNCTION', 'LOAD', library('one', 'return 2')),
    command(0, 'FUNCTION', 'LOAD', library('two', 'return 2')),
    load(library('one', 'return 3')),
    run('FCALL f 0'),
    run('FCALL F 0'),
    run('FCALL nope 0'),
    run('FCALL f x'),
    run('FCALL f 2 a'),
    run('FCALL f -1'),
    run('FCALL_RO f 0'),
    run('FUNCTION LIST'),
    run('FUNCTION LIST WITHCODE LIBRARYNAME O*'),
    run('FUNCTION LIST LIBRARYNAME x*'),
    run('FUNCTION STATS'),
    run('FUNCTION KILL'),
    run('FUNCTION DELETE nope'),
    run('FUNCTION DELETE one'),
    run('FUNCTION STATS'),
    run('FCALL f 0'),
    run('FUNCTION FLUSH maybe'),
    run('FUNCTION FLUSH SYNC x'),
    run('FUNCTION FLUSH'),
  ),
  story(
    'functions as they run',
    1,
    ...called('return {keys, args, #keys}'),
    ...called('return KEYS'),
    ...called('return ARGV[1]'),
    ...called('return register_function'),
    ...called('return type(redis.register_function)'),
    ...called("return redis.register_function('x', redis.call)"),
    ...called('return redis.breakpoint()'),
    ...called('x = 1'),
    ...called("error('boom')"),
    ...called("error({err='MINE boom'})"),
    ...called("return redis.call('nope')"),
    ...called("return redis.call('INCR', keys[1], 1)"),
    ...called("return redis.call('SET', keys[1], args[1])"),
    ...called("return redis.pcall('HGET', keys[1], args[1])"),
    ...called('return _G.x'),
    ...called('return {_G._G == _G, type(_G.redis), tostring(getmetatable(_G)):sub(1, 6)}'),
    ...called("return {err='MINE x'}"),
    ...called("return loadstring('return redis.sha1hex(...)')('x')"),
    ...called("return loadstring('return KEYS')()"),
    ...called('local c = coroutine.wrap(function() coroutine.yield(redis.REPL_ALL) end) return c()'),
    ...called('local lib = getmetatable(_G).__index lib.x = 1'),
    ...called("redis.setresp(3) return redis.call('HGETALL', 'no')"),
    load("#!lua name=lib\nlocal n = 0\nlocal function up() n = n + 1 return n end\nredis.register_function('f', up)"),
    run('FCALL f 0'),
    run('FCALL f 0'),
    load(
      "#!lua name=lib\nredis.register_function{function_name='f', description='d', flags={'no-writes', 'allow-oom'}, callback=function(keys) return redis.call('SET', keys[1], 1) end}",
    ),
    run('FCALL f 1 a'),
    run('FCALL_RO f 1 a'),
    run('FUNCTION LIST'),
    run('HELLO 3'),
    run('FUNCTION LIST'),
    run('FUNCTION STATS'),
    run('MULTI'),
    run('FCALL f 1 a'),
    run('FUNCTION FLUSH'),
    run('FCALL f 1 a'),
    run('EXEC'),
  ),
]
