import { describe, expect, it } from 'vitest'
import { parseSpec } from '../../../fidelity/isolation/spec.ts'

describe('an isolation specification', () => {
  it('has setups and teardowns, global ones and those of a session, each as a separate text', () => {
    const spec = parseSpec(`
      # What is behind this sign is said to people.
      setup { CREATE TABLE t (k text); -- { with a brace
              INSERT INTO t VALUES ('a'); }
      setup { VACUUM t; }
      teardown { DROP TABLE t; }
      session one
      setup { BEGIN; }
      step read { SELECT * FROM t; }
      step end { COMMIT; }
      teardown { RESET ALL; }
      session "two"
      step "write it" { UPDATE t SET k = 'b'; }
    `)
    expect(spec).toEqual({
      setup: ["CREATE TABLE t (k text); -- { with a brace\n              INSERT INTO t VALUES ('a');", 'VACUUM t;'],
      teardown: ['DROP TABLE t;'],
      sessions: [
        {
          name: 'one',
          setup: ['BEGIN;'],
          teardown: ['RESET ALL;'],
          steps: [
            { name: 'read', sql: 'SELECT * FROM t;' },
            { name: 'end', sql: 'COMMIT;' },
          ],
        },
        { name: 'two', setup: [], teardown: [], steps: [{ name: 'write it', sql: "UPDATE t SET k = 'b';" }] },
      ],
      permutations: [],
    })
  })

  it('has orders, without the markers that specify what a step waits for', () => {
    const { permutations } = parseSpec(`
      session a step a1 { SELECT 1; } step a2 { SELECT 2; }
      session b step b1{SELECT 3;} step "permutation" { SELECT 4; } step "say ""x""" { SELECT 5; }
      permutation a1 b1(*) a2 (b1, a1 notices 2) b1  # once more
      permutation
        "permutation"
        a1(a2,*)
        "say ""x"""
    `)
    expect(permutations).toEqual([
      ['a1', 'b1', 'a2', 'b1'],
      ['permutation', 'a1', 'say "x"'],
    ])
  })

  it.each([
    ['a step outside of a session', 'step a { SELECT 1; }', '"step" is not expected'],
    ['a step without SQL', 'session a step b session c', 'block is missing at "session"'],
    ['a setup without an end', 'setup { BEGIN;', '"{ BEGIN;" is not expected'],
    ['a session without a name', 'session { BEGIN; }', 'a name is missing at "BEGIN;"'],
    ['a text that ends too early', 'session a step', 'a name is missing at "the end"'],
    ['a word that is none', 'sessions a', '"sessions" is not expected'],
  ])('%s is refused', (_, text, why) => {
    expect(() => parseSpec(text)).toThrow(why)
  })
})
