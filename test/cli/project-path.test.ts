import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileOfPath, nameOfPath } from '../../src/cli/project-path.ts'

describe('paths of a project', () => {
  const temporary = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'project-path-')))
  const at = (relative: string) => path.join(temporary, relative)

  beforeAll(() => {
    for (const folder of ['shop/.git', 'shop/packages/pay/src', 'loose']) fs.mkdirSync(at(folder), { recursive: true })
    for (const file of ['shop/package.json', 'shop/packages/pay/package.json', 'shop/packages/pay/src/layer.ts'])
      fs.writeFileSync(at(file), '{}')
    for (const file of ['loose/layer.ts', 'outside.ts']) fs.writeFileSync(at(file), '')
  })
  afterAll(() => fs.rmSync(temporary, { recursive: true }))

  it('give a file the same name from each folder of its project', () => {
    const file = at('shop/packages/pay/src/layer.ts')
    const names = ['shop', 'shop/packages', 'shop/packages/pay/src'].map((cwd) => nameOfPath(file, at(cwd)))
    expect(new Set(names)).toEqual(new Set(['./packages/pay/src/layer.ts']))
  })

  it('name a file of another project or of none relative to the folder', () => {
    expect(nameOfPath(at('loose/layer.ts'), at('loose'))).toBe('./layer.ts')
    expect(nameOfPath(at('outside.ts'), at('shop/packages'))).toBe('../../outside.ts')
  })

  it('find a file by its name from each folder of its project', () => {
    const found = ['shop', 'shop/packages/pay'].map((cwd) => fileOfPath('./packages/pay/src/layer.ts', at(cwd)))
    expect(new Set(found)).toEqual(new Set([at('shop/packages/pay/src/layer.ts')]))
  })

  it('name a file by the nearest package.json without a repository', () => {
    for (const folder of ['copies', 'copies/example/src']) fs.mkdirSync(at(folder), { recursive: true })
    for (const file of ['copies/package.json', 'copies/example/package.json']) fs.writeFileSync(at(file), '{}')
    expect(nameOfPath(at('copies/example/src/layer.ts'), at('copies/example/src'))).toBe('./src/layer.ts')
  })

  it('find a file in the user’s folder before one of the project', () => {
    fs.mkdirSync(at('shop/packages/packages/pay/src'), { recursive: true })
    fs.writeFileSync(at('shop/packages/packages/pay/src/layer.ts'), '')
    const cwd = at('shop/packages')
    expect(fileOfPath('./packages/pay/src/layer.ts', cwd)).toBe(at('shop/packages/packages/pay/src/layer.ts'))
  })

  it('find nothing above the repository, or by a path that starts above the folder', () => {
    expect(fileOfPath('./outside.ts', at('shop'))).toBeNull()
    expect(fileOfPath('../layer.ts', at('shop/packages/pay'))).toBeNull()
  })
})
