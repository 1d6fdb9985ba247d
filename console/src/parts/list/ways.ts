// The same list or action outside of the console: as curl, as a command, as an MCP call. Never with a secret.

export type Way = { name: 'curl' | 'command' | 'mcp'; text: string }
type Call = { method: string; path: string; query?: Record<string, string>; body?: unknown; file?: string }

/** `origin` is that of the back office; `file` is the path of a file that is the body. */
export function asCurl(origin: string, { method, path, query = {}, body, file }: Call): Way {
  const search = new URLSearchParams(query).toString()
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${origin}/admin/v1${path}${search === '' ? '' : `?${search}`}`)}`,
    '-H "Authorization: Bearer $STOREFRONT_TOKEN"',
    ...(body === undefined ? [] : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : ["-H 'content-type: text/csv'", `--data-binary ${quoted(`@${file}`)}`]),
  ]
  return { name: 'curl', text: lines.join(' \\\n  ') }
}

/** `options` by their name in the API: `payment_status` is `--payment-status`. An option of true stands alone. `shop`: null for what belongs to none. */
export function asCommand(line: string, shop: string | null, options: Record<string, string | true> = {}): Way {
  const given = Object.entries(options).map(([name, value]) => {
    const flag = `--${name.replaceAll('_', '-')}`
    return value === true ? flag : `${flag} ${bare(value)}`
  })
  const ofShop = shop === null ? [] : [`--shop ${bare(shop)}`]
  return { name: 'command', text: ['storefront', line, ...ofShop, ...given].join(' ') }
}

/** A call of a tool, as a client sends it. */
export function asMcp(tool: string, args: Record<string, unknown>): Way {
  return {
    name: 'mcp',
    text: JSON.stringify({ method: 'tools/call', params: { name: tool, arguments: args } }, null, 2),
  }
}

/** An argument of a command, quoted where a shell would read something into it. */
export function bare(text: string): string {
  return /^[\w@:.,/-]+$/.test(text) ? text : quoted(text)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
