import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  complaintsOf,
  count,
  type Debt,
  debtKey,
  firstLedger,
  type Ledger,
  ledgerFile,
  ledgerText,
  lowered,
  markers,
  proseOf,
  readSources,
  reportOn,
  surveyOf,
} from './plain-english.ts'

describe('the project', () => {
  const ledgerSource = fs.readFileSync(ledgerFile, 'utf8')
  const ledger = JSON.parse(ledgerSource) as Ledger
  const sources = readSources()

  it('adds no dialect, wide comments or long table cells', () => {
    expect(complaintsOf(ledger, surveyOf(sources)).slice(0, 20)).toEqual([])
  })

  it('has a sorted ledger with one line per file', () => {
    expect(Object.keys(ledger.files)).toEqual(Object.keys(ledger.files).sort())
    expect(ledgerSource).toBe(ledgerText(ledger))
  })

  it('was read completely', () => {
    expect(sources.size).toBeGreaterThan(2000)
    expect(sources.has('test/architecture/plain-english.ts')).toBe(true)
  })
})

const badSentences: Record<string, readonly string[]> = {
  'where-for-if': [
    'Null where there is no lock.',
    'Fails where it has no port.',
    'Empty where nobody listens.',
    'Redis answers nil where they have expired.',
    'Where the server has replicas, the write waits for them.',
  ],
  'what-clause': [
    'What was written is on the disk.',
    'The reply to what has been sent.',
    'Everything is compared with what is left.',
  ],
  nobody: ['The port that nobody uses.', "Sends somebody's reply.", 'Anybody may connect.'],
  'is-none': ['A reply that is none.', 'That file is no folder.', 'The results are none of the run.'],
  'of-its-own': ['A thread of its own.', 'They have clocks of\ntheir own.'],
  'is-told': ['The sink is told the result.', 'They were never told.', 'A replica that got told to stop.'],
  whoever: ['Retries for whoever asks.', 'Whoever holds the lock renews it.', 'Done. Who waits gets the next key.'],
  'fronted-of': [
    'Of a Cluster.',
    'Ends the run. Of each shard, the first node stops.',
    'One that has expired is dropped.',
  ],
  'old-word': ['Connects anew.', 'Checks if something is amiss.', 'The fault that befell the process.'],
  'in-place-of': ['Used in place of the default.'],
  'from-when-on': ['The time from when on it serves.', 'Measured since when it stopped.'],
  'so-many': ['Stops after so many retries.', 'All keys but for the last one.', 'It proves nothing but that it runs.'],
  'for-because': [
    'The run waits, for it has no server.',
    'No reply is read, for there was none.',
    'n/a, for requires a cancellable sink',
  ],
}

const badFromTheReview = [
  'n/a, for requires a cancellable sink',
  'Whether saying that once more would tell nothing but that it lives.',
  'What ends an attempt, whatever its message is: what was sent is lost.',
  'What names other keys alone is none of the delivery’s.',
  'Whether its end lets something go: it is in a transaction, or has a lock of its own.',
]

const goodSentences = [
  'skipped: requires a cancellable sink',
  'True if another ACK would only be a keep-alive.',
  'The folder where the report is written.',
  'The folder where it is written.',
  'Prints where they listen.',
  'Where the report is written.',
  'What is the seed of the run?',
  'Shows what is missing.',
  'It depends on what was sent and what has arrived.',
  'Null if there is none.',
  'There is no lock.',
  'There still is no lock.',
  'The lock is no longer held.',
  'Its own thread.',
  'The two errors cannot be told apart.',
  'Who holds the lock?',
  'Of course it fails.',
  'Of the 12 runs, 3 failed.',
  'Waits for it. For example, a timer.',
  'Not for each run but for each delivery.',
  'There were so many runs that the campaign stopped.',
  'When does it stop? From then on, it is idle.',
  'It waits for this and for that.',
]

const markersIn = (text: string) => count([{ kind: 'text', line: 1, text }]).hits.map(({ marker }) => marker)

describe('the markers', () => {
  it('are 13, and each one has a bad sentence', () => {
    expect(Object.keys(markers)).toHaveLength(13)
    expect(Object.keys(badSentences)).toEqual(Object.keys(markers))
  })

  for (const [marker, sentences] of Object.entries(badSentences))
    for (const sentence of sentences)
      it(`find ${marker} in: ${sentence}`, () => expect(markersIn(sentence)).toContain(marker))

  for (const sentence of badFromTheReview)
    it(`find a fault in: ${sentence}`, () => expect(markersIn(sentence)).not.toEqual([]))

  for (const sentence of goodSentences)
    it(`find nothing in: ${sentence}`, () => expect(markersIn(sentence)).toEqual([]))

  it('report the line, the marker and the sentence', () => {
    const prose = proseOf('x.ts', '\n/**\n * Works. It retries until\n * nobody waits. Ends.\n */')
    expect(count(prose)).toEqual({
      words: 7,
      hits: [{ line: 4, marker: 'nobody', sentence: 'It retries until nobody waits.' }],
    })
  })
})

/** The passages that a file has, each as `line kind: text`. */
const passages = (file: string, ...lines: string[]) =>
  proseOf(file, lines.join('\n')).map(({ kind, line, text }) => `${line} ${kind}: ${text.trim()}`)

describe('the scanner', () => {
  const cases: Record<string, [source: string, found: string[]]> = {
    'a string inside a comment': [
      "// it isn't 'a string'\nf('one two three')",
      ["1 comment: it isn't 'a string'", '2 message: one two three'],
    ],
    'a comment inside a string': [
      'f(\'one // two three\', "/* four five six */")',
      ['1 message: one // two three', '1 message: /* four five six */'],
    ],
    'nested templates': [
      'f(`one ${g({ a: `two ${b} three four` })} five six`) // end',
      ['1 message: two _ three four', '1 message: one _ five six', '1 comment: end'],
    ],
    'a template over several lines': [
      'f(`one\ntwo three\n${a}`)\n// end',
      ['1 message: one\ntwo three\n_', '4 comment: end'],
    ],
    'a comment inside a template expression': [
      'f(`one ${/* inner */ a} two three`)',
      ['1 comment: inner', '1 message: one _ two three'],
    ],
    'a regular expression with quotes': [
      "a.replace(/['\"`]\\/[/`]/g, 'one two three') // end",
      ['1 message: one two three', '1 comment: end'],
    ],
    'a regular expression after return': ["return /'/.test(a) // end", ['1 comment: end']],
    'a division': [
      "const a = b / c // 'x' / d\nconst e = (b) / 2 + f['one two three'] / 2",
      ["1 comment: 'x' / d", '2 message: one two three'],
    ],
    'escaped quotes': ["f('one \\'two\\' three\\n') // end", ["1 message: one 'two' three", '1 comment: end']],
    'comments in adjacent lines as one': ['// one\n// two\n\n// three', ['1 comment: one\ntwo', '4 comment: three']],
    'code in a comment as a placeholder': ['// uses `nobody` here', ['1 comment: uses _ here']],
    'neither imports, short strings nor programs': [
      "import a from './one two/three.ts'\nf('one two', 'SELECT one FROM two', `return redis.call('GET', KEYS[1])`)",
      [],
    ],
  }
  for (const [name, [source, found]] of Object.entries(cases))
    it(`finds ${name}`, () =>
      expect(passages('x.ts', source).filter((passage) => !passage.endsWith('three.ts'))).toEqual(found))

  it('finds comments of other languages', () => {
    expect(passages('x.lua', "local a = '--' -- one", '--[[ two', 'three ]]')).toEqual(['1 comment: one\ntwo\nthree'])
    expect(passages('x.py', '"""One.', 'Two."""', "a = '# no'  # three")).toEqual([
      '1 comment: One.\nTwo.',
      '3 comment: three',
    ])
    expect(passages('x.go', 'a := "// no" // one', '/* two */', 'b := `', '// no`')).toEqual(['1 comment: one\ntwo'])
    expect(passages('x.sh', '# one', 'echo "# no" $# # two')).toEqual(['1 comment: one', '2 comment: two'])
  })

  it('finds the text of pages', () => {
    const page = [
      ...['# A *title*', 'Text with `code', 'here` and a [link](https://x.y/nobody).', '- an item', '  goes on'],
      ...['', '```ts', 'nobody', '```', '| a | `x|y` |', '|---|---|', '| **b** | c |', '<!-- nobody -->', '> quoted'],
    ]
    expect(passages('x.md', ...page)).toEqual([
      ...['1 title: A *title*', '2 text: Text with _\n and a link.', '4 text: an item\ngoes on'],
      ...['10 cell: a', '10 cell: _', '12 cell: b', '12 cell: c', '14 text: quoted'],
    ])
  })
})

const survey = (files: Record<string, string>) => surveyOf(new Map(Object.entries(files)))
const noLimits = { code: 1000, pages: 1000 }
const complaints = (debt: Record<string, Debt>, files: Record<string, string>, limits = noLimits) =>
  complaintsOf({ limits, files: debt }, survey(files))
const filesAfter = (debt: Record<string, Debt>, files: Record<string, string>) =>
  lowered({ limits: noLimits, files: debt }, survey(files)).files

describe('the ratchet', () => {
  const one = '// nobody waits'
  const two = `${one}\n\n${one}`

  it('accepts a file with as many faults as listed', () => {
    expect(complaints({ 'src/a.ts': { markers: 1 } }, { 'src/a.ts': one, 'src/b.ts': '// plain' })).toEqual([])
  })

  it('refuses more faults than listed, and shows them', () => {
    expect(complaints({ 'src/a.ts': { markers: 1 } }, { 'src/a.ts': two })).toEqual([
      [
        'src/a.ts: 2 markers, 1 in the debt: rewrite',
        '  src/a.ts:1 nobody: nobody waits',
        '  src/a.ts:3 nobody: nobody waits',
      ].join('\n'),
    ])
  })

  it('refuses a fault in an unlisted file, the worst file first', () => {
    const found = complaints({}, { 'src/a.ts': one, 'src/b.ts': two })
    expect(found.map((text) => text.split('\n')[0])).toEqual([
      'src/b.ts: 2 markers, 0 in the debt: rewrite',
      'src/a.ts: 1 markers, 0 in the debt: rewrite',
    ])
  })

  it('asks for a lower figure if a file has fewer faults or vanished', () => {
    expect(complaints({ 'src/a.ts': { markers: 2 }, 'src/b.ts': { wide: 1 } }, { 'src/a.ts': one })).toEqual([
      'src/a.ts: 1 markers, 2 in the debt: run `pnpm english --write` to lower the figure',
      'src/b.ts: 0 wide comment lines, 1 in the debt: run `pnpm english --write` to lower the figure',
    ])
  })

  it('counts wide comments and long table cells', () => {
    const wide = `f() // ${'x'.repeat(100)}\n// ${'x'.repeat(97)}\n// https://x.y/${'x'.repeat(100)}`
    const page = `| ${'word '.repeat(25)}| ${'word '.repeat(26)}|`
    expect(complaints({}, { 'src/a.ts': wide, 'docs/a.md': page })).toEqual([
      'src/a.ts: 1 wide comment lines, 0 in the debt: rewrite\n  src/a.ts:1 a comment over 100 columns',
      'docs/a.md: 1 long table cells, 0 in the debt: rewrite\n  docs/a.md:1 a table cell over 25 words',
    ])
  })

  it('exempts a generated file that says so', () => {
    expect(complaints({}, { 'src/a.ts': `// Generated by a tool.\n${one}` })).toEqual([])
  })

  it('states the goal if a rate is too high', () => {
    const files = { 'src/a.ts': one, 'docs/a.md': `nobody ${'plain '.repeat(99)}`, 'test/a.test.ts': two }
    const debt = { 'src/a.ts': { markers: 1 }, 'docs/a.md': { markers: 1 }, 'test/a.test.ts': { markers: 2 } }
    expect(complaints(debt, files, { code: 499.9, pages: 9.9 })).toEqual([
      'code: 500.00 markers per 1,000 words, 499.9 allowed; the goal is 2',
      'pages: 10.00 markers per 1,000 words, 9.9 allowed; the goal is 1',
    ])
    expect(complaints(debt, files, { code: 500, pages: 10 })).toEqual([])
  })

  it('keeps the debt of a test that changes its tier', () => {
    expect(debtKey('test/a.server.test.ts')).toBe('test/a.test.ts')
    expect(debtKey('test/a.long.test.ts')).toBe('test/a.test.ts')
    const debt = { 'test/a.test.ts': { markers: 3 } }
    expect(complaints(debt, { 'test/a.server.test.ts': one, 'test/a.test.ts': two })).toEqual([])
    expect(filesAfter(debt, { 'test/a.long.test.ts': two })).toEqual({ 'test/a.test.ts': { markers: 2 } })
  })
})

describe('the report on files', () => {
  const sources = new Map([
    ['docs/good.md', 'The lock expires.\n'],
    ['docs/bad.md', 'Nobody waits.\n'],
  ])

  it('exits with 1 if a file has a fault', () => {
    expect(reportOn(['docs/good.md', 'docs/bad.md'], sources)).toEqual({
      lines: [expect.stringContaining('docs/bad.md:1 nobody')],
      exitCode: 1,
    })
    expect(reportOn(['docs/good.md'], sources)).toEqual({ lines: [], exitCode: 0 })
  })

  it('exits with 2 if it does not check a file', () => {
    expect(reportOn(['docs/bda.md', 'docs/bad.md'], sources)).toMatchObject({ exitCode: 2 })
  })
})

describe('--write', () => {
  const one = '// nobody waits'
  const two = `${one}\n\n${one}`

  it('lowers and drops figures, and raises none', () => {
    const debt = { 'src/a.ts': { markers: 2, wide: 1 }, 'src/b.ts': { markers: 1 }, 'src/c.ts': { markers: 1 } }
    expect(filesAfter(debt, { 'src/a.ts': one, 'src/b.ts': '', 'src/c.ts': two, 'src/new.ts': one })).toEqual({
      'src/a.ts': { markers: 1 },
      'src/c.ts': { markers: 1 },
    })
  })

  it('gives a moved file the debt of a vanished file with its name', () => {
    const debt = { 'src/a/x.ts': { markers: 5 }, 'src/b/x.ts': { markers: 2 }, 'src/b/y.ts': { markers: 1 } }
    expect(filesAfter(debt, { 'src/c/x.ts': two })).toEqual({ 'src/c/x.ts': { markers: 2 } })
    expect(filesAfter({ 'src/x.ts': { markers: 1 } }, { 'src/c/x.ts': two })).toEqual({})
  })

  it('gives renamed files the debt of vanished files, but no more than their total', () => {
    const debt = { 'src/a.ts': { markers: 2 }, 'src/b.ts': { markers: 1 } }
    expect(filesAfter(debt, { 'src/c.ts': two, 'src/d.ts': one, 'src/e.ts': one })).toEqual({
      'src/c.ts': { markers: 2 },
      'src/d.ts': { markers: 1 },
    })
  })

  it('lowers limits to 5 % above the rates, and not below the goals', () => {
    const files = { 'src/a.ts': `// nobody ${'plain '.repeat(99)}`, 'docs/a.md': 'plain' }
    expect(firstLedger(survey(files))).toEqual({
      limits: { code: 10.5, pages: 1 },
      files: { 'src/a.ts': { markers: 1, wide: 1 } },
    })
    const low = { limits: { code: 3, pages: 0.5 }, files: {} }
    expect(lowered(low, survey(files)).limits).toEqual({ code: 3, pages: 0.5 })
  })
})
