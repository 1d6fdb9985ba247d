// Reads a part of an archive from the back office, line by line. Where the connection breaks, it goes on behind the last whole line.
import { setTimeout as sleep } from 'node:timers/promises'
import { type PartName, partOf } from '#contracts/archive/parts'
import { answerOf, type BackOffice, cannotBeReached } from '../office/back-office.ts'
import { statusOf } from '../failure.ts'

const UNREACHABLE = 3
const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000]
const LINE_FEED = 0x0a

/** The lines of the part, each with its line feed. `shopPath` is `/shops/demo`; `delaysMs` is shorter in tests only. */
export async function* fetchPart(
  office: Pick<BackOffice, 'url' | 'token' | 'check'>,
  shopPath: string,
  part: PartName,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
): AsyncGenerator<Buffer, void> {
  const { key } = partOf(part).rows
  let after: string | null = null
  for (let failures = 0; ; ) {
    try {
      for await (const line of linesOf(office, `${shopPath}/archive/${part}`, after)) {
        yield line
        failures = 0
        if (key !== null) after = String((JSON.parse(line.toString()) as Record<string, unknown>)[key])
      }
      return
    } catch (error) {
      const delayMs = delaysMs[failures]
      if (statusOf(error) !== UNREACHABLE || delayMs === undefined) throw error
      failures += 1
      await sleep(delayMs)
    }
  }
}

async function* linesOf(
  office: Pick<BackOffice, 'url' | 'token' | 'check'>,
  path: string,
  after: string | null,
): AsyncGenerator<Buffer, void> {
  await office.check()
  const url = `${office.url}${path}${after === null ? '' : `?after=${encodeURIComponent(after)}`}`
  const headers = { authorization: `Bearer ${office.token}`, 'accept-encoding': 'identity' }
  const response = await fetch(url, { headers, redirect: 'manual' }).catch((error: unknown) => {
    throw cannotBeReached(url, error)
  })
  if (response.status !== 200 || response.body === null) {
    answerOf(response.status, await response.text())
    throw cannotBeReached(url, new Error(`status ${response.status}`))
  }
  let rest: Buffer[] = []
  try {
    for await (const chunk of response.body) {
      const bytes = Buffer.from(chunk)
      let from = 0
      for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, from)) {
        yield Buffer.concat([...rest, bytes.subarray(from, at + 1)])
        rest = []
        from = at + 1
      }
      if (from < bytes.length) rest.push(bytes.subarray(from))
    }
  } catch (error) {
    throw cannotBeReached(url, error)
  }
}
