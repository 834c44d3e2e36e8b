/** Runs `.ci/commits` in repositories that contain it. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../cli/run-cli.ts'

const script = fileURLToPath(new URL('../../.ci/commits', import.meta.url))

const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }
const env = { PATH: process.env.PATH, ...who, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }

function run(cwd: string, program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

class Repository {
  readonly folder: string

  constructor(folder = temporaryFolder()) {
    this.folder = folder
  }

  /** A repository with a commit of the old style, and then the commit that adds the check. */
  static withCheck(): Repository {
    const repository = new Repository()
    repository.git('init', '--quiet', '--initial-branch', 'main')
    repository.commit('What an old commit told, and why')
    fs.mkdirSync(path.join(repository.folder, '.ci'))
    fs.copyFileSync(script, path.join(repository.folder, '.ci/commits'))
    repository.git('add', '.ci/commits')
    repository.commit('ci: check the subjects of commits')
    return repository
  }

  git(...args: string[]): string {
    const { code, stdout, stderr } = run(this.folder, 'git', ...args)
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout.trim()
  }

  commit(...paragraphs: string[]): void {
    this.git('commit', '--quiet', '--allow-empty', ...paragraphs.flatMap((text) => ['-m', text]))
  }

  /** A clone with this depth. */
  shallow(depth: number): Repository {
    const clone = path.join(temporaryFolder(), 'clone')
    this.git('clone', '--quiet', '--depth', String(depth), `file://${this.folder}`, clone)
    return new Repository(clone)
  }

  check(...args: string[]) {
    return run(this.folder, '.ci/commits', ...args)
  }
}

describe('.ci/commits', () => {
  it('accepts an area and an imperative, and exempts the commits before it and merges', () => {
    const repository = Repository.withCheck()
    repository.commit(
      'sim: add a fault that drops acknowledgements',
      'Because clients retry. It was seen in production.',
    )
    repository.commit(`test/needs: ${'a'.repeat(60)}`)
    repository.commit('package.json, docs: feed the schema to ajv 8')
    repository.git('checkout', '--quiet', '-b', 'other', 'HEAD~1')
    repository.commit('docs: name the exit codes')
    repository.git('checkout', '--quiet', 'main')
    repository.git('merge', '--quiet', '--no-ff', '--no-edit', 'other')
    expect(repository.check()).toEqual({ code: 0, stdout: 'commits checked: 4, with a bad subject: 0\n', stderr: '' })
  })

  it.each([
    ['Sim: add a fault', 'is not `area: imperative change`'],
    ['add a fault', 'is not `area: imperative change`'],
    ['sim: Add a fault', 'is not `area: imperative change`'],
    ['sim:add a fault', 'is not `area: imperative change`'],
    ['Revert "sim: add a fault"', 'is not `area: imperative change`'],
    ['sim: added a fault', 'needs an imperative, not "added"'],
    ['sim: adding a fault', 'needs an imperative, not "adding"'],
    ['sim: adds a fault', 'needs an imperative, not "adds"'],
    [`sim: add ${'é'.repeat(64)}`, 'has 73 characters of at most 72'],
  ])('refuses %j', (subject, reason) => {
    const repository = Repository.withCheck()
    repository.commit('sim: bring a fault back')
    repository.commit(subject)
    const hash = repository.git('log', '-1', '--format=%h')
    const stdout = `${hash} "${subject}" ${reason}\ncommits checked: 2, with a bad subject: 1\n`
    expect(repository.check()).toEqual({ code: 1, stdout, stderr: '' })
  })

  it('counts characters, not bytes', () => {
    const repository = Repository.withCheck()
    repository.commit(`sim: add ${'é'.repeat(63)}`)
    expect(repository.check()).toMatchObject({ code: 0 })
  })

  it('starts after the given base', () => {
    const repository = Repository.withCheck()
    repository.commit('a bad one')
    repository.commit('sim: add a fault')
    expect(repository.check('HEAD~1')).toMatchObject({ code: 0, stdout: 'commits checked: 1, with a bad subject: 0\n' })
    expect(repository.check('HEAD~2')).toMatchObject({ code: 1 })
    const stderr = 'no commit no-such: name one of this clone\n'
    expect(repository.check('no-such')).toEqual({ code: 2, stdout: '', stderr })
  })

  it('checks only HEAD in a clone that lacks the base, and reports that', () => {
    const repository = Repository.withCheck()
    repository.commit('a bad one')
    repository.commit('sim: add a fault')
    const only = 'this clone is shallow and lacks the base: only HEAD is checked\n'
    const good = { code: 0, stdout: `${only}commits checked: 1, with a bad subject: 0\n` }
    for (const depth of [1, 2]) expect(repository.shallow(depth).check()).toMatchObject(good)
    expect(repository.shallow(1).check(repository.git('rev-parse', 'HEAD~2'))).toMatchObject(good)
    repository.commit('another bad one')
    expect(repository.shallow(1).check()).toMatchObject({ code: 1, stdout: expect.stringContaining(only) })
  })

  it('exempts a merge in a clone without its parents', () => {
    const repository = Repository.withCheck()
    repository.git('checkout', '--quiet', '-b', 'other')
    repository.commit('docs: name the exit codes')
    repository.git('checkout', '--quiet', 'main')
    repository.git('merge', '--quiet', '--no-ff', '--no-edit', 'other')
    expect(repository.shallow(1).check()).toMatchObject({ code: 0 })
  })

  it('checks nothing before the commit that adds it', () => {
    const repository = new Repository()
    repository.git('init', '--quiet')
    repository.commit('an old one')
    fs.mkdirSync(path.join(repository.folder, '.ci'))
    fs.copyFileSync(script, path.join(repository.folder, '.ci/commits'))
    expect(repository.check()).toMatchObject({ code: 0, stdout: 'no commit adds .ci/commits: none is checked\n' })
  })
})
