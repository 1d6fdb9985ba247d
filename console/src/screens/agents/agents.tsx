// Agents: the list of those that have or had access, and one of them beside it.
import { useCallback, useMemo, useState } from 'preact/hooks'
import { pageFacts } from '../../frame/page-facts.ts'
import { useMayChange } from '../../frame/role.ts'
import { api } from '../../frame/session.ts'
import { Copy } from '../../parts/copy.tsx'
import type { ListConfig } from '../../parts/list/list.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { ScreenProps, Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { AgentDetail } from './agent-detail.tsx'
import { type Agent, identityOf, stateOf, toneOf } from './agent.ts'

const text = words.agents
type AgentQuery = NonNullable<Parameters<typeof api.agent.list>[1]>

export function Agents({ shop, id }: ScreenProps) {
  const mayChange = useMayChange()
  const [version, setVersion] = useState(0)
  const config = useMemo(() => agentsList(shop), [shop])
  const changed = useCallback(() => setVersion((before) => before + 1), [])
  return (
    <ListAndObject config={config} id={id} one={text.one} version={version}>
      {(open, place) => (
        <AgentDetail key={open} shop={shop} id={open} mayChange={mayChange} place={place} changed={changed} />
      )}
    </ListAndObject>
  )
}

function ConnectAddress() {
  const address = `${pageFacts.publicUrl}/api/mcp/connect`
  return (
    <p>
      <code>{address}</code> <Copy text={address} />
    </p>
  )
}

function agentsList(shop: Shop): ListConfig<Agent> {
  const { handle, timeZone: zone } = shop
  const apiPath = `/shops/${handle}/agents`
  const now = new Date()
  return {
    name: 'agents',
    title: words.screens.agents,
    path: `/s/${handle}/agents`,
    zone,
    filters: [],
    columns: [
      { label: text.columns.name, cell: ({ client }) => <bdi>{client.name}</bdi> },
      {
        label: text.columns.state,
        cell(agent) {
          const state = stateOf(agent, now)
          return (
            <Status
              tone={toneOf(state)}
              word={agent.endedReason === null ? (text.states[state] ?? state) : text.ended}
            />
          )
        },
      },
      { label: words.connect.identity, cell: identityOf, isExtra: true },
      { label: text.fields.access, cell: ({ access }) => access, isExtra: true },
      {
        label: text.fields.resources,
        cell: ({ resources }) => resources?.join(', ') ?? text.everything,
        isExtra: true,
      },
      { label: text.fields.expires, cell: ({ expiresAt }) => <When at={expiresAt} zone={zone} />, isExtra: true },
      {
        label: text.columns.used,
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? text.never : <When at={lastUsedAt} zone={zone} />),
        isNumber: true,
      },
    ],
    idOf: ({ id }) => id,
    timeOf: ({ createdAt }) => createdAt,
    list: (query, signal) => api.agent.list(handle, query as AgentQuery, { signal }),
    actions: [],
    exports: [],
    ways: (query) => [
      asCurl(location.origin, { method: 'GET', path: apiPath, query }),
      asCommand('agents list', handle, query),
    ],
    curlOf: () => asCurl(location.origin, { method: 'GET', path: apiPath }).text,
    empty: pageFacts.agentsSignIn ? { sentence: text.empty, action: <ConnectAddress /> } : { sentence: text.emptyOff },
  }
}
