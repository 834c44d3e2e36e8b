import { describe, expect, it } from 'vitest'
import type { LineWatch } from '../../src/lua/compile/line-watch.ts'
import { type CompiledScript, compileScript } from '../../src/lua/index.ts'
import { ErrorReply } from '../../src/resp/reply.ts'
import { FewCommands } from './few-commands.ts'
import { errorOf, run } from './run.ts'

function compiled(body: string, lines: LineWatch | null = null): CompiledScript {
  const script = compileScript(body, lines)
  if (script instanceof ErrorReply) throw new Error(script.message)
  return script
}

describe('one execution after another', () => {
  it('gives each execution its own KEYS and ARGV', () => {
    const script = compiled('KEYS[1] = KEYS[1] .. "!" ARGV.x = (ARGV.x or 0) + 1 return {KEYS[1], ARGV.x}')
    const call = { keys: ['a'], argv: [], host: new FewCommands() }
    expect(script.run(call)).toEqual(['a!', 1])
    expect(script.run(call)).toEqual(['a!', 1])
  })

  it('prints the same addresses as before', () => {
    expect(run('return tostring({}) .. tostring(function() end)')).toBe(
      run('return tostring({}) .. tostring(function() end)'),
    )
  })

  it('continues the sequence of random numbers on the same server, as in Redis 7.0', () => {
    const server = new FewCommands()
    const draw = 'return math.random(1000000)'
    const first = run(draw, [], [], server)
    expect(run(draw, [], [], server)).not.toBe(first)
    expect(run(draw, [], [], new FewCommands())).toBe(first)
  })

  it('keeps the cjson settings of earlier scripts on the same server', () => {
    const server = new FewCommands()
    const sparse = 'return cjson.encode({[1] = 1, [100] = 2})'
    expect(run(sparse, [], [], server)).toContain('excessively sparse array')
    run('cjson.encode_sparse_array(true)', [], [], server)
    expect(run(sparse, [], [], server)).toBe('$17\r\n{"1":1,"100":2}\r\n'.replace('$17', '$15'))
    expect(run(sparse)).toContain('excessively sparse array')
  })
})

describe('steps', () => {
  it('are reported to the host while a loop runs, and not for a short script', () => {
    const host = new FewCommands()
    compiled('return 1').run({ keys: [], argv: [], host })
    expect(host.steps).toBe(0)
    compiled('for i = 1, 10000 do end').run({ keys: [], argv: [], host })
    expect(host.steps).toBeGreaterThanOrEqual(9000)
    expect(host.steps).toBeLessThanOrEqual(11000)
  })

  it.each([
    ['a loop', 'while true do end'],
    ['a repeat loop', 'repeat until false'],
    ['calls', 'local function f() return f end while true do f() end'],
    ['a loop that catches errors', 'while true do pcall(function() while true do end end) end'],
    ['a coroutine', 'coroutine.wrap(function() while true do end end)()'],
  ])('stop the script if the host throws an error reply: %s', (_, body) => {
    const host = new FewCommands()
    host.stop = new ErrorReply('ERR Script killed by user with SCRIPT KILL...')
    const reply = compiled(body).run({ keys: [], argv: [], host }) as ErrorReply
    expect(reply.message).toMatch(
      /^ERR Script killed by user with SCRIPT KILL\.\.\. script: [0-9a-f]{40}, on @user_script:1\.$/,
    )
  })

  it('do not let a script catch another exception of the host, and the next execution works', () => {
    const host = new FewCommands()
    host.stop = new Error('the harness')
    expect(() => compiled('pcall(function() while true do end end)').run({ keys: [], argv: [], host })).toThrow(
      'the harness',
    )
    expect(run('return 1')).toBe(':1\r\n')
  })
})

describe('calls of commands', () => {
  it('pass strings unchanged, and print numbers with 17 digits', () => {
    const host = new FewCommands()
    run('redis.call("ECHO", 0.1) redis.call("SET", KEYS[1], 10) redis.pcall("nosuch", 1e15)', ['k'], [], host)
    expect(host.calls).toEqual([
      ['ECHO', '0.10000000000000001'],
      ['SET', 'k', '10'],
      ['nosuch', '1000000000000000'],
    ])
  })

  it('are executed although the same statement raises an error later', () => {
    const host = new FewCommands()
    run('local f = nil f(redis.call("SET", "k", "v"))', [], [], host)
    expect(host.values.get('k')).toBe('v')
  })

  it('are not executed after an error', () => {
    const host = new FewCommands()
    run('local t = nil t.x = redis.call("SET", "a", "1") redis.call("SET", "b", "2")', [], [], host)
    expect([...host.values.keys()]).toEqual(['a'])
  })

  it('include redis.log, which passes its text to the host', () => {
    const host = new FewCommands()
    run('redis.log(redis.LOG_WARNING, "x", 1, {}, "y")', [], [], host)
    expect(host.logs).toEqual(['3 x 1 y'])
  })
})

describe('counted lines', () => {
  const body =
    'local n = 0\nif ARGV[1] == "yes" then\n  n = 1\nelse\n  n = 2\nend\nfor i = 1, 3 do\n  n = n + i\nend\nreturn n'

  it('have count 0 for a branch that was never taken', () => {
    const script = compiled(body, 'count')
    script.run({ keys: [], argv: ['yes'], host: new FewCommands() })
    script.run({ keys: [], argv: ['yes'], host: new FewCommands() })
    expect(script.executableLines).toEqual([1, 2, 3, 5, 7, 8, 10])
    expect(script.executableLines.map((line) => script.lineCounts![line])).toEqual([2, 2, 2, 0, 2, 6, 2])
  })

  it('can be reported one by one instead, in the order of execution', () => {
    const reported: number[] = []
    const script = compiled(body, (line) => reported.push(line))
    expect(script.run({ keys: [], argv: ['no'], host: new FewCommands() })).toBe(8)
    expect(reported).toEqual([1, 2, 5, 7, 8, 8, 8, 10])
    expect(script.lineCounts).toBeNull()
  })

  it('include evaluated conditions when they are reported', () => {
    const reported: number[] = []
    const text =
      'if ARGV[1] == "a" then\n  return 1\nelseif ARGV[1] == "b" then\n  return 2\nelseif true then\n  return 3\nend'
    compiled(text, (line) => reported.push(line)).run({ keys: [], argv: ['b'], host: new FewCommands() })
    expect(reported).toEqual([1, 3, 4])
  })

  it('are absent if they were not requested', () => {
    expect(compiled(body).lineCounts).toBeNull()
  })
})

describe('limits', () => {
  it('end an endless recursion with the error text of Lua', () => {
    expect(errorOf('local function f() return 1 + f() end return f()')).toBe(
      'ERR user_script:1: stack overflow @ @user_script:1.',
    )
  })

  it('allow a recursion of 1,500 calls', () => {
    expect(run('local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(1500)')).toBe(
      ':1500\r\n',
    )
  })

  it('are restored after an error was caught', () => {
    const deep = 'local function f(n) if n == 0 then error("x") end return 1 + f(n - 1) end '
    expect(run(`${deep} for i = 1, 20 do pcall(f, 1500) end return 1`)).toBe(':1\r\n')
  })

  it('end the conversion of a table that contains itself with an error', () => {
    expect(run('local t = {} t[1] = t return t')).toContain('reached lua stack limit')
  })
})

describe('a compiled script', () => {
  it('contains its SHA-1, body and flags', () => {
    const script = compiled('#!lua flags=no-writes,allow-stale\nreturn 1')
    expect(script.sha).toMatch(/^[0-9a-f]{40}$/)
    expect(script.flags).toEqual(['no-writes', 'allow-stale'])
    expect(compiled('return 1')).toMatchObject({
      sha: 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
      body: 'return 1',
      flags: null,
    })
  })
})
