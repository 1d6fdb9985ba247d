// Owns the calls to the back office of a product that may die at any moment: an answer counts only when all of it came.

export type Answer = { status: number; text: string }
export type BackOffice = {
  /** Gives what came back whole, refusals included; throws where nothing did. */
  send(method: string, path: string, body?: string, headers?: Record<string, string>): Promise<Answer>
  /** Makes something and gives it; throws the answer's words where it was refused. */
  make(path: string, facts: object): Promise<{ id: string; [field: string]: unknown }>
}
type Address = { adminUrl: string; adminToken: string }

const ANSWER_MS = 120_000 // An import is answered when it has ended.

export function openBackOffice({ adminUrl, adminToken }: Address): BackOffice {
  const send: BackOffice['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${adminUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, ...headers },
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, text: await response.text() }
  }
  return {
    send,
    async make(path, facts) {
      const headers = { 'content-type': 'application/json' }
      const answer = await send('POST', path, JSON.stringify(facts), headers)
      if (answer.status !== 201) throw new Error(`POST ${path} was answered with ${answer.status}: ${answer.text}`)
      return (JSON.parse(answer.text) as { data: { id: string } }).data
    },
  }
}
