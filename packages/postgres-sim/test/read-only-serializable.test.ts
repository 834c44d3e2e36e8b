import { describe, expect, it } from 'vitest'
import type { Backend } from '../src/engine/backend.ts'
import { type Lab, withKeys } from './lab.ts'

const read = (key: string) => `SELECT n FROM t WHERE k = '${key}'`
const write = (key: string) => `UPDATE t SET n = 10 WHERE k = '${key}'`
const refused = '40001 could not serialize access due to read/write dependencies among transactions'

function begun(lab: Lab, names: readonly string[], modes = ''): void {
  for (const name of names) lab.ask(name, `BEGIN ISOLATION LEVEL SERIALIZABLE${modes}`)
}

const isWatched = (lab: Lab, name: string) => (lab.session(name) as Backend).state.serial !== null

describe('a serializable transaction that only reads', () => {
  it('continues if a writer precedes another writer that committed after the reader began: the reader precedes both', () => {
    const lab = withKeys()
    begun(lab, ['writer', 'other'])
    lab.all('writer', read('b'), write('a'))
    lab.all('other', write('b'))
    begun(lab, ['reader'], ' READ ONLY')
    expect(lab.ask('reader', read('b'))).toBe('SELECT 1: 2')
    lab.ask('other', 'COMMIT')
    expect(lab.ask('writer', 'COMMIT')).toBe('COMMIT')
    expect(lab.ask('reader', read('a'))).toBe('SELECT 1: 1')
    expect(lab.ask('reader', 'COMMIT')).toBe('COMMIT')
  })

  it('continues while a third writer is running, if a writer precedes one that committed after the reader began', () => {
    const lab = withKeys()
    begun(lab, ['writer', 'other', 'third'])
    lab.all('third', "INSERT INTO t VALUES ('c')")
    lab.all('writer', read('b'), write('a'))
    lab.all('other', write('b'))
    begun(lab, ['reader'], ' READ ONLY')
    expect(lab.ask('reader', read('b'))).toBe('SELECT 1: 2')
    lab.ask('other', 'COMMIT')
    lab.ask('writer', 'COMMIT')
    expect(lab.ask('reader', read('a'))).toBe('SELECT 1: 1')
  })

  it('is aborted if it sees a transaction that the writer precedes, but not the writer', () => {
    const lab = withKeys()
    begun(lab, ['writer', 'other'])
    lab.all('writer', read('b'), write('a'))
    lab.all('other', write('b'), 'COMMIT')
    begun(lab, ['reader'], ' READ ONLY')
    expect(lab.ask('reader', read('b'))).toBe('SELECT 1: 10')
    expect(lab.ask('writer', 'COMMIT')).toBe('COMMIT')
    expect(lab.ask('reader', read('a'))).toBe(refused)
  })

  it('is no longer watched, and aborts no other transaction, after all concurrent writers have ended', () => {
    const lab = withKeys()
    begun(lab, ['writer'])
    lab.all('writer', write('a'))
    begun(lab, ['reader'], ' READ ONLY')
    expect(lab.ask('reader', read('b'))).toBe('SELECT 1: 2')
    expect(isWatched(lab, 'reader')).toBe(true)
    lab.ask('writer', 'COMMIT')
    expect(lab.ask('reader', read('a'))).toBe('SELECT 1: 1')
    expect(isWatched(lab, 'reader')).toBe(false)
  })

  it('is not watched if the concurrent writers are already doomed', () => {
    const lab = withKeys()
    begun(lab, ['one', 'two'])
    for (const name of ['one', 'two']) lab.ask(name, 'SELECT sum(n) FROM t')
    lab.ask('one', write('a'))
    lab.ask('two', write('b'))
    lab.ask('one', 'COMMIT')
    begun(lab, ['reader'], ' READ ONLY')
    expect(lab.ask('reader', read('b'))).toBe('SELECT 1: 2')
    expect(isWatched(lab, 'reader')).toBe(false)
    expect(lab.ask('two', 'COMMIT')).toBe(refused)
    expect(lab.ask('reader', read('a'))).toBe('SELECT 1: 10')
  })
})
