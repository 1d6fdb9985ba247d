// Handle of a receiver's process: its address survives its death, what it was told is told again, and its log stays.
// Endpoints of shops name such receivers.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Client, Shop } from './client.ts'
import type { Arrival, Behaviour, Told } from './receiver.ts'

export type Receiver = {
  url(hook: string): string
  behave(hooks: string[], behaviour: Behaviour): void
  /** The secrets by which the hook verifies from now on. */
  trust(hook: string, secrets: string[]): void
  /** Resolves when the process is gone. */
  gone(): Promise<unknown>
  kill(): Promise<void>
  /** Starts it again at its address, with everything that it was told. */
  start(): Promise<void>
  /** The length of its log in bytes. */
  length(): number
  /** What came behind that length. */
  arrivals(from: number): Arrival[]
}
/** A webhook endpoint; `hooks` are the paths at which it listens and has listened. */
export type Endpoint = { id: string; shop: Shop; hooks: string[]; secret: string; receiver: Receiver }

/** Starts one with its log in the folder. */
export async function startReceiver(folder: string, name: string): Promise<Receiver> {
  const path = join(folder, `${name}.log`)
  const told = new Map<string, Told>()
  let port = 0
  let isUp = false
  let child: ChildProcess
  let gone: Promise<unknown>
  await start()

  async function start(): Promise<void> {
    isUp = false
    child = fork(join(import.meta.dirname, 'receiver.ts'), [String(port), path])
    gone = once(child, 'exit')
    await once(child, 'message')
    child.send([...told.values()])
    isUp = true
    port = Number((await once(child, 'message'))[0])
  }

  function tell(one: Told): void {
    told.set(`${one.hook} ${'secrets' in one}`, one)
    if (isUp && child.connected) child.send([one])
  }

  return {
    url: (hook) => `http://127.0.0.1:${port}/hook/${hook}`,
    behave(hooks, behaviour) {
      for (const hook of hooks) tell({ hook, behaviour })
    },
    trust: (hook, secrets) => tell({ hook, secrets }),
    gone: () => gone,
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    start,
    length: () => (existsSync(path) ? statSync(path).size : 0),
    arrivals(from) {
      const lines = existsSync(path) ? readFileSync(path).subarray(from).toString().split('\n') : []
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Arrival)
    },
  }
}

/** Makes an endpoint of the shop at the receiver's hook. */
export async function makeEndpoint(client: Client, shop: Shop, receiver: Receiver, hook: string): Promise<Endpoint> {
  const path = `/shops/${shop.handle}/webhook-endpoints`
  const { id, secret } = await client.call('POST', path, { url: receiver.url(hook) })
  receiver.trust(hook, [String(secret)])
  return { id: String(id), shop, hooks: [hook], secret: String(secret), receiver }
}
