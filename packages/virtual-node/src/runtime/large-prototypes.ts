/**
 * While they are loaded, Redis clients add one or two functions for each of 300 commands to one
 * prototype. V8 copies the prototype's list of properties for each addition: 13 ms of CPU for each
 * class, in each evaluation, and a replayed run has an evaluation for each of its processes. V8
 * copies nothing if the prototype is a dictionary. The prototype becomes a dictionary when a
 * property is deleted, and stays one until a member is read by its name. From then on it is fast
 * again. Programs see no difference: the properties and their order are the same.
 */

interface Place {
  readonly file: RegExp
  readonly found: RegExp
  /** As in `String.replace`. */
  readonly becomes: string
}

const places: readonly Place[] = [
  {
    file: /\/io(?:redis|valkey)\/built\/(?:utils\/)?[Cc]ommander\.js$/,
    found: /^commands\.forEach\(function \(commandName\) \{\s+Commander\.prototype\[commandName\] = /m,
    becomes: `${dictionary('Commander.prototype')}$&`,
  },
  {
    // ioredis 4 reads `hasOwnProperty` from this prototype in the loop, which would end the
    // dictionary.
    file: /\/ioredis\/built\/cluster\/index\.js$/,
    found: /^Object\.getOwnPropertyNames(.*\s+if \(!)Cluster\.prototype\.hasOwnProperty\(name\)/m,
    becomes: `${dictionary('Cluster.prototype')}Object.getOwnPropertyNames$1Object.prototype.hasOwnProperty.call(Cluster.prototype, name)`,
  },
  {
    file: /\/@redis\/client\/dist\/lib\/commander\.js$/,
    found: /^ {4}for \(const \[name, command\] of Object\.entries\(commands\)\) \{\s+BaseClass\.prototype\[name\] = /m,
    becomes: `${dictionary('BaseClass.prototype')}$&`,
  },
  {
    // node-redis 4 reads the member by its name when it passes the member to the loop.
    file: /\/@redis\/client\/dist\/lib\/(?:client|cluster)\/(?:index|multi-command)\.js$/,
    found: /^( {4}executor: )(\w+\.prototype)\.(\w+)$/m,
    becomes: '$1Reflect.get($2, "$3")',
  },
  {
    file: /\/@redis\/client\/dist\/lib\/commander\.js$/,
    found:
      /^ {4}for \(const \[name, command\] of Object\.entries\(commands\)\) \{\s+(?:if \(config\?\.RESP\b.*\s+)?Class\.prototype\[name\] = /m,
    becomes: `${dictionary('Class.prototype')}$&`,
  },
]

/**
 * The source of a client with dictionaries at these places, and without additional lines. Other
 * sources are returned unchanged.
 */
export function withDictionaries(file: string, source: string): string {
  const posix = file.replaceAll('\\', '/')
  const own = posix.includes('/node_modules/') ? places.filter((place) => place.file.test(posix)) : []
  return own.reduce((text, { found, becomes }) => text.replace(found, becomes), source)
}

function dictionary(prototype: string): string {
  const [first, last] = [`${prototype}.onceproof_first`, `${prototype}.onceproof_last`]
  return `${first}=0;${last}=0;delete ${first};delete ${last};`
}
