// The table of calls names every action, caller and answerer (docs/spec/internals.md#bus-logins).
import { expect, test } from '@jest/globals'
import { routes } from '../../services/admin-gateway/routes.ts'
import { routes as publicRoutes } from '../../services/rest-gateway/routes.ts'
import { tools } from '../../services/mcp-gateway/tools/tools.ts'
import { actions } from './actions.ts'
import { answers, calls } from './calls.ts'

test('every action has one service that answers it and at least one that calls it', () => {
  expect(Object.values(answers).flat().toSorted()).toEqual(Object.keys(actions).toSorted())
  const called = new Set<string>(Object.values(calls).flat())
  expect(Object.keys(actions).filter((action) => !called.has(action))).toEqual([])
})

test.each([
  ['admin-gateway', routes],
  ['rest-gateway', publicRoutes],
  ['mcp-gateway', tools],
] as const)('%s lists every action of its endpoints', (gateway, endpoints) => {
  const listed: readonly string[] = calls[gateway]
  expect(endpoints.map(({ action }) => action as string).filter((action) => !listed.includes(action))).toEqual([])
})
