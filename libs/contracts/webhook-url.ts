// Which URLs an endpoint may have (docs/spec/webhooks.md#url-rules). Checked when a URL is saved and before every attempt; the
// address that the host resolves to is checked by `libs/webhook-request/address.ts`.
import { isIP } from 'node:net'
import { limits } from '#contracts/limits'

/** The URL in its normal form, or what is wrong with it. */
export type CheckedUrl = { url: URL } | { problem: string }

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const HOST_LENGTH_MAX = 253

/** With `allowPrivate`, http, address literals and every port are allowed too. */
export function checkUrl(text: string, allowPrivate: boolean): CheckedUrl {
  if (text.length > limits.linkLengthMax) return { problem: `must be at most ${limits.linkLengthMax} characters long` }
  // The URL parser drops line breaks and reads a backslash as a slash.
  if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text)) return { problem: 'must be a URL' }
  const url = new URL(text)
  if (url.href.length > limits.linkLengthMax) return { problem: 'is too long once it is written out in ASCII' }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    return { problem: 'must begin with https://' }
  if (url.username !== '' || url.password !== '' || /^[a-z]+:\/*[^/?#]*@/i.test(text)) {
    return { problem: 'must not hold a user or a password' }
  }
  if (text.includes('#')) return { problem: 'must not have a fragment' }
  if (allowPrivate) return { url }
  if (!isDnsName(url.hostname)) return { problem: 'must name a host of the public DNS, not an address' }
  const port = url.port === '' ? 443 : Number(url.port)
  if (port !== 443 && port < 1024) return { problem: 'must use port 443 or one from 1024 on' }
  return { url }
}

/** The host of a URL where it is an address, without brackets; null where it is a name. */
export function literalOf(url: URL): string | null {
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return isIP(host) === 0 ? null : host
}

// At least two labels, and a last one that no parser reads as a number: 1.2.3.4, 0x7f.1 and 127.1 are addresses.
function isDnsName(host: string): boolean {
  const labels = host.split('.')
  const last = labels.at(-1) ?? ''
  return (
    host.length <= HOST_LENGTH_MAX &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    /^[a-z]/.test(last)
  )
}
