import { describe, expect, it } from 'vitest'
import { ServerByHand } from '../server-by-hand.ts'

function evaluated(script: string): { reply: string; unsupported: readonly string[] } {
  const world = new ServerByHand({ scriptStepBudget: 50_000_000 })
  const bytes = `*3\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n0\r\n`
  return { reply: world.client().raw(bytes), unsupported: world.unsupported }
}

describe('a script with long single steps', () => {
  it.each([
    ['a growing list', 'local t = {} while true do t[#t + 1] = #t end'],
    ['nested tables', 'local t = {} while true do t = {t, {}, {}} end'],
    ['long strings', "local t, s = {}, string.rep('x', 1e6) while true do t[#t + 1] = (s .. #t):upper() end"],
    [
      'long arguments',
      "local s = string.rep('x', 1e6) while true do redis.call('APPEND', 'k', s) redis.call('DEL', 'k') end",
    ],
    ['a pattern with much backtracking', 'return string.find(string.rep("a", 30000), ".-.-.-b")'],
  ])('is stopped by the step budget before it uses up memory or time: %s', (_what, script) => {
    const { reply, unsupported } = evaluated(script)
    expect(reply).toBe('')
    expect(unsupported).toEqual(['a script that runs for too long'])
  })

  it('is not stopped if it uses little time and memory', () => {
    const { reply, unsupported } = evaluated(
      'local t = {} for i = 1, 10000 do t[i] = {i} end return #t + select("#", string.find(string.rep("a", 50), ".-.-b"))',
    )
    expect(reply).toBe(':10001\r\n')
    expect(unsupported).toEqual([])
  })

  it('is not charged for earlier scripts', () => {
    const world = new ServerByHand({ scriptStepBudget: 2_500_000 })
    const client = world.client()
    for (let run = 0; run < 100; run++) {
      expect(client.raw('EVAL "local t = {} for i = 1, 1000 do t[i] = {} end return #t" 0\r\n')).toBe(':1000\r\n')
    }
  })
})

describe('a limit of this Lua that Redis does not have', () => {
  it.each([
    ['a reply', 'local t = {} for i = 1, 1000 do t = {t} end return t', /recurses deeper/],
    ['string.rep', 'return #string.rep("x", 600000000)', /longer than 512 MB/],
    ['concatenation', 'local s = "x" for i = 1, 30 do s = s .. s end return #s', /longer than 512 MB/],
    ['in pcall', 'return tostring(pcall(function() local s = "x" while true do s = s .. s end end))', /longer/],
  ])('is reported: %s', (_what, script, named) => {
    const { unsupported } = evaluated(script)
    expect(unsupported).toEqual([expect.stringMatching(named)])
  })

  it('is the same in every run for nested replies, regardless of what V8 has compiled', () => {
    const nested = 'local t = {} for i = 1, 999 do t = {t} end return t'
    for (let run = 0; run < 50; run++) expect(evaluated(nested).unsupported).toEqual([])
  })

  it('is not reported if the script stays below the limit', () => {
    const { reply, unsupported } = evaluated(
      'local function f(n) return n == 0 and 0 or 1 + f(n - 1) end return f(5000)',
    )
    expect(reply).toBe(':5000\r\n')
    expect(unsupported).toEqual([])
  })
})
