import fs from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Job {
  readonly steps: readonly { readonly run?: string }[]
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
}
const { jobs, permissions } = parse(fs.readFileSync('.github/workflows/ci.yml', 'utf8')) as {
  readonly jobs: Readonly<Record<string, Job>>
  readonly permissions: object
}
const commandsOf = ({ steps }: Job): string => steps.map(({ run }) => run ?? '').join('\n')
const all = Object.values(jobs).map(commandsOf).join('\n')

it("runs the README's commands under each profile", () => {
  const readme = fs.readFileSync('README.md', 'utf8').match(/^npx -y pnpm.*$/gm)!
  expect(readme).toHaveLength(2)
  for (const command of readme) expect(commandsOf(jobs.profiles!)).toContain(`bash -c '${command}'`)
  const profiles = fs.readFileSync('.ci/profile', 'utf8').match(/^# {3}([a-z-]+)(?= )/gm)!
  expect(jobs.profiles!.strategy!.matrix.profile).toEqual(profiles.map((line) => line.slice(4)))
})

it('runs each tier, types, lint and the check of commits, and may only read', () => {
  const { scripts } = JSON.parse(fs.readFileSync('package.json', 'utf8'))
  for (const script of ['test', 'test:servers', 'test:long', 'typecheck', 'lint']) {
    expect(all).toMatch(new RegExp(`pnpm@12 ${script}$|pnpm@12 ${script} `, 'm'))
    expect(scripts).toHaveProperty([script])
  }
  expect(all).toContain('.ci/commits')
  expect(permissions).toEqual({ contents: 'read' })
})
