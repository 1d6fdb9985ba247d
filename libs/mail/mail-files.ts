// Owns mail as files, for a start without a mail server (run.md, SMTP_URL: "mail files in DATA_DIR/mail").
// A file appears whole or not at all, only its owner can read it, and the names sort in the order of sending.
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

let written = 0

/** Writes one message. Gives the path; throws what the file system throws. */
export async function writeMailFile(folder: string, message: Buffer, now: Date): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700) // It may have been made by somebody else, with wider rights.
  written += 1
  const instant = now.toISOString().replaceAll(/[-:.]/g, '')
  const name = `${instant}-${String(written).padStart(8, '0')}-${randomUUID().slice(0, 8)}`
  const draft = join(folder, `.${name}.draft`)
  const path = join(folder, `${name}.eml`)
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(message)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
    return path
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
