// The routes of agents' access: requests that wait for a decision, and the grants of a shop. docs/spec/agents-access.md#consent,
// docs/spec/agents-access.md#grants
import { z } from 'zod'
import { agentAuthorization, agentDecision, agentGrant } from '../agents/objects.ts'
import { get, many, move, one, remove } from './route.ts'

export const agentRoutes = [
  get('/authorizations/{id}', 'agent.authorization', one(agentAuthorization), 'What an agent asks for.'),
  move(
    '/authorizations/{id}/approve',
    'agent.approve',
    one(agentDecision),
    'Gives an agent access to a shop; a shop has at most 10 live grants.',
    { showsSecret: true },
  ),
  move('/authorizations/{id}/refuse', 'agent.refuse', one(agentDecision), 'Refuses what an agent asks for.', {
    showsSecret: true,
  }),
  get('/shops/{shop}/agents', 'agent.list', many(agentGrant), 'Agents with access to the shop, newest first.'),
  get('/shops/{shop}/agents/{id}', 'agent.get', one(agentGrant), 'The access of one agent.'),
  remove('/shops/{shop}/agents/{id}', 'agent.revoke', z.null(), 'Ends the access of an agent; in force within 2 s.', {
    statuses: [204],
  }),
]
