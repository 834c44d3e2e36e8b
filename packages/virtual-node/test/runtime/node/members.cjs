// Prints every member of the API of this Node, by module and by object: its name, and whether it is
// a number or a string. This script runs in a separate process because some modules change Node
// when they are loaded.
const { builtinModules, isBuiltin } = require('node:module')

process.removeAllListeners('warning')
process.on('warning', () => {})

/** Modules with only a `node:` name, for versions of Node that do not list them. */
const prefixed = ['sea', 'sqlite', 'test', 'test/reporters']

function membersOf(owner) {
  const ofFunctions = typeof owner === 'function' ? ['length', 'name', 'prototype', 'arguments', 'caller'] : []
  return Object.entries(Object.getOwnPropertyDescriptors(owner))
    .filter(([name]) => !ofFunctions.includes(name))
    .map(([name, { value }]) => ({ name, constant: ['number', 'string'].includes(typeof value) }))
}

const modules = {}
for (const name of new Set([...builtinModules.map((one) => one.replace(/^node:/, '')), ...prefixed])) {
  if (!isBuiltin(`node:${name}`)) continue
  const module = require(`node:${name}`)
  if (name !== 'process') modules[name] = membersOf(module)
}

const dns = require('node:dns')
const prototypes = {
  'dns.Resolver.prototype': dns.Resolver,
  'dns.promises.Resolver.prototype': dns.promises.Resolver,
  'net.Server.prototype': require('node:net').Server,
  'tls.Server.prototype': require('node:tls').Server,
  'child_process.ChildProcess.prototype': require('node:child_process').ChildProcess,
  'async_hooks.AsyncResource.prototype': require('node:async_hooks').AsyncResource,
  'diagnostics_channel.Channel.prototype': require('node:diagnostics_channel').Channel,
  'vm.Script.prototype': require('node:vm').Script,
  'crypto.DiffieHellmanGroup.prototype': require('node:crypto').DiffieHellmanGroup,
  'Performance.prototype': performance.constructor,
  'Navigator.prototype': globalThis.Navigator,
  'SubtleCrypto.prototype': SubtleCrypto,
  'Blob.prototype': Blob,
  'Event.prototype': Event,
  'WeakRef.prototype': WeakRef,
}
const objects = { process, globalThis, Atomics, Date, Intl, Math, WebAssembly }
for (const [name, made] of Object.entries(prototypes)) if (made !== undefined) objects[name] = made.prototype
const ofObjects = Object.fromEntries(Object.entries(objects).map(([name, object]) => [name, membersOf(object)]))

process.stdout.write(JSON.stringify({ modules, objects: ofObjects }), () => process.exit())
