// A `fetch` that tells how much of its body is sent. The browser reads a file from the disk as it sends it.

/** `sent` gets the bytes that have left so far. */
export function fetchWithProgress(sent: (bytes: number) => void): typeof fetch {
  return (target, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason as Error)
        return
      }
      const call = new XMLHttpRequest()
      call.open(method, target instanceof Request ? target.url : target)
      new Headers(headers).forEach((value, name) => call.setRequestHeader(name, value))
      const end = () => call.abort()
      call.upload.addEventListener('progress', ({ loaded }) => sent(loaded))
      call.addEventListener('load', () => resolve(answerOf(call)))
      call.addEventListener('error', () => reject(new TypeError('The connection ended.')))
      call.addEventListener('abort', () => reject(signal?.reason as Error))
      call.addEventListener('loadend', () => signal?.removeEventListener('abort', end))
      signal?.addEventListener('abort', end)
      call.send(body as XMLHttpRequestBodyInit)
    })
}

function answerOf(call: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const line of call.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(call.responseText, { status: call.status, headers })
}
