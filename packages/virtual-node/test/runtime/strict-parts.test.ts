import { describe, expect, it } from 'vitest'
import { strictParts } from '../../src/runtime/strict-parts.ts'

describe('a bundle in two parts', () => {
  const helper = 'var __commonJS = (cb) => () => cb;'
  const module =
    '// a.js\nvar require_a = __commonJS({\n  "a.js"(exports) {\n    exports.a = (__late) => `\n});`;\n  }\n});'
  const own = '// own.js\nfunction f() {}\nconst __late = require_a();'

  it('has every statement in one part, on its own line', () => {
    const code = [helper, module, own].join('\n')
    const { strict, sloppy } = strictParts(code)
    const [strictLines, sloppyLines] = [strict, sloppy!].map((text) => text.split('\n').map((line) => line.trimEnd()))
    for (const [at, line] of code.split('\n').entries()) {
      if (at === 0) continue
      const isModule = at > 1 && at < 8
      expect([strictLines![at], sloppyLines![at]]).toEqual(isModule ? ['', line] : [line, ''])
    }
    expect(sloppyLines!.slice(11)).toEqual(['return { require_a };'])
  })

  it('has only one part if every module is strict or is data', () => {
    const strict = [helper, module.replace('exports.a', '"use strict";\n exports.a'), own].join('\n')
    expect(strictParts(strict)).toEqual({ strict, sloppy: null })
    const data = [helper, module.replace('a.js"(', 'a.json"('), own].join('\n')
    expect(strictParts(data)).toEqual({ strict: data, sloppy: null })
  })
})
