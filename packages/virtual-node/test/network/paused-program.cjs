/** Plays a client's program in real Node: the port to connect to, and which program. It ends once the program is over. */
const { programs } = require('./paused-programs.cjs')
const [, , port, name] = process.argv
const log = (line) => process.stdout.write(`${line}\n`)
const stop = () => process.kill(process.pid, 'SIGSTOP')
programs[name]({ host: '127.0.0.1', port: Number(port) }, log, () => process.exit(), stop)
