// Makes the secrets that the embedded mode needs and nobody has set (SECRET_KEY, ADMIN_TOKEN), and keeps them in the data
// folder, readable by their owner only: docs/spec/running.md#environment.
import { randomBytes } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The secret of that name in `dataDir/secrets`, made on first use: 32 random bytes as 43 characters of base64url. */
export function keepSecret(dataDir: string, name: string): string {
  const folder = join(dataDir, 'secrets')
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o700)
  return findSecret(dataDir, name) ?? make(join(folder, name))
}

/** The secret of that name, or null where none was made yet. */
export function findSecret(dataDir: string, name: string): string | null {
  return read(join(dataDir, 'secrets', name))
}

function read(file: string): string | null {
  try {
    const secret = readFileSync(file, 'utf8').trim()
    if (secret.length < 32) throw new Error(`The kept secret in ${file} is damaged. Put it back, or remove the file.`)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

// Written to a temporary file and linked into place: no reader sees half a secret, and two processes that make it at once
// both get the secret of the first.
function make(file: string): string {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(temporary, `${secret}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    linkSync(temporary, file)
    return secret
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return readFileSync(file, 'utf8').trim()
  } finally {
    rmSync(temporary, { force: true })
  }
}
