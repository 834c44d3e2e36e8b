#!/usr/bin/env node
// Reports in one line if Node is too old for the command line, in syntax that old versions accept.
// Otherwise starts it.
var oldest = [20, 19]
var node = process.versions.node.split('.').map(Number)
var json = process.argv.indexOf('--json') !== -1

function stop(culprit, remedy, exitCode) {
  var error = { schemaVersion: 1, error: { culprit: culprit, remedy: remedy } }
  if (json) process.stdout.write(JSON.stringify(error, null, 2) + '\n')
  else process.stderr.write('onceproof: ' + culprit + ': ' + remedy + '\n')
  process.exitCode = exitCode
}

if (node[0] < oldest[0] || (node[0] === oldest[0] && node[1] < oldest[1]))
  stop('Node ' + process.versions.node, 'it is too old; install Node ' + oldest.join('.') + ' or later', 2)
else
  import('./start.mjs').catch((error) => {
    stop('this is a bug of onceproof', error instanceof Error ? error.stack : String(error), 3)
  })
