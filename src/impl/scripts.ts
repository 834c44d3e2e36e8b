/**
 * The Lua scripts, read once: each is one transition of a record. The comment at the top of a
 * script has its guarantees.
 */
import crypto from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface Script {
  readonly lua: string
  readonly sha: string
}

function script(name: string): Script {
  const lua = readFileSync(new URL(`../../lua/${name}.lua`, import.meta.url), 'utf8')
  return { lua, sha: crypto.createHash('sha1').update(lua).digest('hex') }
}

export const scripts = {
  acquire: script('acquire'),
  begin: script('begin'),
  abandon: script('abandon'),
  renew: script('renew'),
  complete: script('complete'),
  refuse: script('refuse'),
  reopen: script('reopen'),
  notice: script('notice'),
  adopt: script('adopt'),
  status: script('status'),
  count: script('count'),
  reset: script('reset'),
}
