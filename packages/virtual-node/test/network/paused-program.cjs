/**
 * Runs a client program in real Node. Arguments: the port and the name of the program. It exits at
 * the end of the program.
 */
const { programs } = require('./paused-programs.cjs')
const [, , port, name] = process.argv
const log = (line) => process.stdout.write(`${line}\n`)
const stop = () => process.kill(process.pid, 'SIGSTOP')
programs[name]({ host: '127.0.0.1', port: Number(port) }, log, () => process.exit(), stop)
