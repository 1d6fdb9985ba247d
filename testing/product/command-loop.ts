// Runs commands of the command line one after the other in a process that stays, so that a test of many commands loads the program once.
// Each command gets an environment, streams and a status of its own, as `cli/storefront.ts` has them.
import { Readable, Writable } from 'node:stream'
import { runCommandLine } from '../../cli/program.ts'

export type Order = { args: string[]; env: Record<string, string | undefined>; input: string }

let last = Promise.resolve()
process.on('message', (order: Order) => {
  last = last.then(() => run(order))
})
process.once('disconnect', () => process.exit())

async function run({ args, env, input }: Order): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const said = { out: '', err: '' }
  const streams = {
    stdin: Readable.from(input === '' ? [] : [input]),
    stdout: keep((text) => (said.out += text)),
    stderr: keep((text) => (said.err += text)),
  }
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true })
  const status = await runCommandLine(args)
  process.send?.({ status, ...said })
}

function keep(add: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _encoding, done) {
      add(chunk.toString())
      done()
    },
  })
}
