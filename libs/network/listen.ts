// Listens on the port of a setting, and names the setting where the port cannot be used. docs/spec/running.md#environment
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export type PortSetting = 'PORT' | 'ADMIN_PORT' | 'OPS_PORT'

const reasons: Record<string, string> = {
  EADDRINUSE: 'another program uses that port',
  EACCES: 'this user may not use that port',
}

export type ListenOptions = { port: number; host: string; setting: PortSetting }

/**
 * Listens and returns the port; throws one line that names the setting when the port cannot be used, or HOST when that is not an address
 * of this machine.
 */
export async function listen(server: Server, { port, host, setting }: ListenOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') reject(new Error(`HOST is ${host}, but this machine has no such address.`))
      const reason = reasons[error.code ?? '']
      reject(reason === undefined ? error : new Error(`${setting} is ${port}, but ${reason}.`))
    })
    server.listen(port, host, () => resolve())
  })
  return (server.address() as AddressInfo).port
}
