// Finds a program of the machine that the npm packages do not include: nats-server, a browser for tests.
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The program on the PATH or where Debian puts it, or null. */
export function findProgram(name: string, path: string): string | null {
  for (const folder of [...path.split(delimiter), '/usr/sbin', '/usr/bin', '/usr/local/bin']) {
    const program = join(folder, name)
    try {
      accessSync(program, constants.X_OK)
      return program
    } catch {
      // Not in this folder; the next one may have it.
    }
  }
  return null
}
