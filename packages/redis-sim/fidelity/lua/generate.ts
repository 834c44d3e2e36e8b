/**
 * Generates small scripts for the comparison with real Redis. The scripts are mostly well-typed and
 * always terminate. They print no addresses, and never sort with an inconsistent order. `random(n)`
 * returns an integer from 0 to n - 1.
 */
export interface GeneratedScript {
  readonly body: string
  readonly keys: string[]
  readonly argv: string[]
}

export function generateScript(random: (n: number) => number): GeneratedScript {
  const keys = ['k1', 'k2']
  const argv = [pick(random, texts), String(random(100)), pick(random, numberTexts)]
  return { body: new Generator(random).script(), keys, argv }
}

const texts = ['abc', 'hello world', '', 'a,b,c', 'x=1', '  pad ', 'UPPER', '12', '0x1f', 'é\\0z'.slice(0, 1)]
const numberTexts = ['3.7', '-2', '1e3', '0', '9007199254740993', '007']
const numbers = ['0', '1', '2', '3', '7', '10', '-1', '0.5', '1.25', '100', '1e15', '2^53', '-3.75', '1e20', '0.1']
const arithmetic = ['+', '-', '*', '/', '%', '^']
const comparisons = ['<', '<=', '>', '>=', '==', '~=']
const patterns = ['%a+', '%d', 'l', '(%w)(%w)', '^%s*', '.-$', '[aeiou]', '%s', '()', 'o?', 'x*', '[^%w]', '%f[%w]%w']
const jsons = [
  '{"a":1}',
  '[1,2,3]',
  '{"b":[true,null,"x"]}',
  '[',
  '{"a":}',
  '"str"',
  '1.5e2',
  'nul',
  '[[],{}]',
  '{"k":"\\\\u00e9"}',
]
const formats = ['%d', '%5.2f', '%s', '%x', '%g', '%05d', '%-6s|', '%e', '%i', '%.3g', '%10.4s', '%q', '%c']

function pick<T>(random: (n: number) => number, list: readonly T[]): T {
  return list[random(list.length)]!
}

class Generator {
  private names: string[] = []
  private counter = 0
  private lines: string[] = []

  constructor(private readonly random: (n: number) => number) {}

  private one<T>(list: readonly T[]): T {
    return pick(this.random, list)
  }

  private chance(percent: number): boolean {
    return this.random(100) < percent
  }

  private fresh(): string {
    return `v${this.counter++}`
  }

  script(): string {
    const count = 2 + this.random(5)
    for (let index = 0; index < count; index++) this.statement(2)
    this.lines.push(`return ${this.result()}`)
    return this.lines.join(this.chance(50) ? '\n' : ' ')
  }

  private result(): string {
    if (this.names.length > 0 && this.chance(40)) return `{${this.names.map((name) => this.shown(name)).join(', ')}}`
    return this.one([() => this.any(2), () => this.shown(this.any(2)), () => `{${this.any(1)}, ${this.any(1)}}`])()
  }

  /** Often prints a number as text, because the conversion to a reply would drop its fraction. */
  private shown(value: string): string {
    return this.chance(50) ? `(type(${value}) == 'number' and tostring(${value}) or ${value})` : value
  }

  private any(depth: number): string {
    const kinds = [this.number, this.text, this.boolean, this.table, this.call, this.wild]
    return this.one(kinds).call(this, depth)
  }

  /** An expression of any type, which may raise errors. */
  private wild(depth: number): string {
    if (this.names.length > 0 && this.chance(60)) return this.one(this.names)
    return this.one([
      'nil',
      'true',
      '"10"',
      '{}',
      '"x"',
      'undefinedname',
      'KEYS[1]',
      'ARGV[5]',
      `(${this.number(depth)})`,
    ])
  }

  private operand(depth: number, kind: (depth: number) => string): string {
    return this.chance(6) ? this.wild(depth) : kind.call(this, depth)
  }

  private number(depth: number): string {
    if (depth <= 0) return this.one(numbers)
    const n = () => this.operand(depth - 1, this.number)
    const s = () => this.operand(depth - 1, this.text)
    return this.one<() => string>([
      () => this.one(numbers),
      () => `(${n()} ${this.one(arithmetic)} ${n()})`,
      () => `(${n()} ${this.one(arithmetic)} ${n()})`,
      () => `-(${n()})`,
      () => `#${s()}`,
      () => `#${this.table(depth - 1)}`,
      () => `math.${this.one(['floor', 'ceil', 'abs', 'sqrt'])}(${n()})`,
      () => `math.${this.one(['max', 'min'])}(${n()}, ${n()})`,
      () => `(tonumber(${s()}) or ${n()})`,
      () => `select('#', ${this.any(depth - 1)}, ${this.any(depth - 1)})`,
      () => `bit.${this.one(['band', 'bor', 'bxor', 'lshift', 'rshift'])}(${n()}, ${n()})`,
      () => `redis.call('INCRBY', KEYS[2], ${this.one(['1', '-5', '100', n()])})`,
    ])()
  }

  private text(depth: number): string {
    if (depth <= 0) return this.one([...texts.map((text) => `'${text}'`), 'ARGV[1]', 'ARGV[2]', 'ARGV[3]', 'KEYS[1]'])
    const n = () => this.operand(depth - 1, this.number)
    const s = () => this.operand(depth - 1, this.text)
    const p = () => `'${this.one(patterns)}'`
    return this.one<() => string>([
      () => this.text(0),
      () => `(${s()} .. ${this.chance(50) ? s() : n()})`,
      () => `tostring(${this.chance(50) ? n() : this.boolean(depth - 1)})`,
      () => `(${s()}):${this.one(['upper', 'lower', 'reverse'])}()`,
      () => `(${s()}):sub(${this.one(['1', '2', '-2', n()])}, ${this.one(['3', '-1', n()])})`,
      () => `(${s()}):rep(${this.one(['0', '2', '3'])})`,
      () => `string.format('${this.one(formats)}', ${this.chance(50) ? n() : s()})`,
      () => `(${s()}):gsub(${p()}, ${this.one(["'<%0>'", "''", 'string.upper', "{a = 'A', o = 0}", "'%1'"])})`,
      () => `(${s()}):match(${p()})`,
      () => `(${s()}):find(${p()})`,
      () => `table.concat({${n()}, ${s()}}, ${this.one(["','", "''", "' - '"])})`,
      () => `cjson.encode(${this.any(depth - 1)})`,
      () => `redis.call('ECHO', ${this.chance(60) ? n() : s()})`,
      () => `type(${this.any(depth - 1)})`,
    ])()
  }

  private boolean(depth: number): string {
    if (depth <= 0) return this.one(['true', 'false'])
    const n = () => this.operand(depth - 1, this.number)
    const s = () => this.operand(depth - 1, this.text)
    return this.one<() => string>([
      () => `(${n()} ${this.one(comparisons)} ${n()})`,
      () => `(${s()} ${this.one(comparisons)} ${s()})`,
      () => `not ${this.any(depth - 1)}`,
      () => `(${this.boolean(depth - 1)} ${this.one(['and', 'or'])} ${this.any(depth - 1)})`,
      () => `(redis.call('EXISTS', KEYS[${1 + this.random(2)}]) == 1)`,
    ])()
  }

  private table(depth: number): string {
    if (depth <= 0) return this.one(['{}', '{1, 2, 3}', "{a = 1, b = 'x'}", '{1, nil, 3}', '{{1}, {2}}'])
    const field = () =>
      this.one<() => string>([
        () => this.any(depth - 1),
        () => this.any(depth - 1),
        () => `${this.one(['a', 'b', 'name', 'owner', 'fence', 'state'])} = ${this.any(depth - 1)}`,
        () => `[${this.one(['1', '2', '5', "'k'", '-1', '1.5', this.number(depth - 1)])}] = ${this.any(depth - 1)}`,
      ])()
    return `{${Array.from({ length: this.random(5) }, field).join(', ')}}`
  }

  private call(depth: number): string {
    const s = () => this.operand(depth - 1, this.text)
    return this.one<() => string>([
      () => `redis.call('GET', KEYS[${1 + this.random(2)}])`,
      () => `redis.call('SET', KEYS[1], ${this.chance(70) ? s() : this.number(depth - 1)})`,
      () => `redis.pcall('${this.one(['INCR', 'HGETALL', 'HGET', 'NOSUCH', 'GET'])}', KEYS[1])`,
      () => `redis.call('HSET', KEYS[2], 'f', ${s()})`,
      () => `redis.call('MGET', KEYS[1], KEYS[2])`,
      () => `cjson.decode('${this.one(jsons)}')`,
      () => `select(2, pcall(cjson.decode, '${this.one(jsons)}'))`,
      () => `cmsgpack.unpack(cmsgpack.pack(${this.any(depth - 1)}))`,
      () => `select(2, pcall(function() return ${this.any(depth - 1)} end))`,
      () =>
        `(function(...) return ${this.one(['...', '(...)', "select('#', ...)", '{...}'])} end)(${this.any(depth - 1)}, ${s()})`,
      () => `unpack({${this.any(depth - 1)}, ${this.any(depth - 1)}})`,
      () => `redis.${this.one(['error_reply', 'status_reply'])}(${s()})`,
    ])()
  }

  private statement(depth: number): void {
    const statements = [
      this.declare,
      this.declare,
      this.assign,
      this.ifElse,
      this.loop,
      this.collect,
      this.fill,
      this.guard,
    ]
    this.one(statements).call(this, depth)
  }

  private declare(depth: number): void {
    const name = this.fresh()
    this.lines.push(`local ${name} = ${this.any(depth)}`)
    this.names.push(name)
  }

  private assign(depth: number): void {
    if (this.names.length === 0) return this.declare(depth)
    const name = this.one(this.names)
    if (this.chance(70)) this.lines.push(`${name} = ${this.any(depth)}`)
    // Only constants are assigned to fields, because a table that contains itself would give an
    // infinite reply.
    else this.lines.push(`${name}${this.one(['.a', '[1]', '[#ARGV]', '.x.y'])} = ${this.plain()}`)
  }

  private plain(): string {
    return this.one([() => this.number(0), () => this.text(0), () => this.table(0), () => 'nil'])()
  }

  private block(depth: number, emit: () => void): void {
    const known = this.names.length
    emit()
    if (depth > 0) this.statement(depth - 1)
    this.names.length = known
  }

  private ifElse(depth: number): void {
    this.lines.push(`if ${this.boolean(depth)} then`)
    this.block(depth, () => this.assign(1))
    if (this.chance(50)) {
      this.lines.push('else')
      this.block(depth, () => this.assign(1))
    }
    this.lines.push('end')
  }

  private loop(depth: number): void {
    const name = this.fresh()
    const ranges = ['1, 3', '3, 1, -1', '0, 1, 0.25', `1, #${this.table(1)}`, '1, math.min(5, tonumber(ARGV[2]))']
    this.lines.push(`for ${name} = ${this.one(ranges)} do`)
    this.block(depth, () => {
      this.names.push(name)
      this.assign(1)
      if (this.chance(20)) this.lines.push(`if ${this.boolean(1)} then break end`)
    })
    this.lines.push('end')
  }

  /**
   * A loop that collects the entries of a table, so that the order of traversal is also compared.
   */
  private collect(depth: number): void {
    const list = this.fresh()
    const iterator = this.chance(70) ? 'pairs' : 'ipairs'
    this.lines.push(`local ${list} = {}`)
    this.lines.push(`for k, v in ${iterator}(${this.operand(depth, this.table)}) do`)
    this.lines.push(`${list}[#${list} + 1] = type(k) == 'table' and 'table' or tostring(k) end`)
    this.names.push(list)
  }

  /** Adds and removes elements, so that the hash part of the table is rebuilt. */
  private fill(): void {
    const name = this.fresh()
    const key = this.one(["'key' .. i", 'i', 'i * 2', "i % 3 == 0 and i or 'k' .. i", '-i', 'i / 2'])
    const count = 1 + this.random(20)
    this.lines.push(`local ${name} = {}`)
    this.lines.push(`for i = 1, ${count} do ${name}[${key}] = i end`)
    if (this.chance(50)) this.lines.push(`for i = 1, ${count}, ${1 + this.random(3)} do ${name}[${key}] = nil end`)
    if (this.chance(50)) this.lines.push(`${name}.extra = 1 ${name}[${1 + this.random(count)}] = 'back'`)
    const order = this.fresh()
    this.lines.push(`local ${order} = {} for k in pairs(${name}) do ${order}[#${order} + 1] = tostring(k) end`)
    this.lines.push(`${order}[#${order} + 1] = #${name}`)
    this.names.push(order)
  }

  private guard(depth: number): void {
    const [ok, value] = [this.fresh(), this.fresh()]
    const protect = this.one(['pcall(function()', 'xpcall(function()'])
    this.lines.push(`local ${ok}, ${value} = ${protect}`)
    this.block(0, () => this.assign(1))
    this.lines.push(`return ${this.any(depth)}`)
    this.lines.push(protect.startsWith('x') ? `end, function(e) return 'handled ' .. tostring(e) end)` : 'end)')
    this.names.push(ok, value)
  }
}
