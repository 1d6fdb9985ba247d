// The form of the tokens of agents: 256 random bits as the library writes them. docs/spec/agents-access.md#tokens
const FORM = /^[\w-]{43}$/

/** Whether a text has the form of a token of an agent; no API key has it. */
export function isAgentTokenForm(text: string): boolean {
  return FORM.test(text)
}
