// The difference between the object that an event has sent and the object of today: changed fields only.
import type { BackOfficeSchemas } from '../../../../clients/typescript/src/client.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { changesOf } from './difference.ts'
import { screenOfKind } from './event-kinds.ts'
import { Shown } from '../state.tsx'

type Event = BackOfficeSchemas['Event']
const text = words.difference

export function Difference({ shop, event }: { shop: Shop; event: Event }) {
  const { type, data } = event
  const today = useLoad<unknown>(`today ${shop.handle} ${data.id}`, (signal) =>
    screenOfKind(type) === 'orders'
      ? api.orders.get(shop.handle, data.id, { signal })
      : api.subscriptions.get(shop.handle, data.id, { signal }),
  )
  return <Shown of={today}>{(now) => <Changes changes={changesOf(data, now)} />}</Shown>
}

function Changes({ changes }: { changes: ReturnType<typeof changesOf> }) {
  if (changes.length === 0) return <p class="soft">{text.none}</p>
  return (
    <table class="difference">
      <thead>
        <tr>
          <th scope="col">{text.field}</th>
          <th scope="col">{text.sent}</th>
          <th scope="col">{text.today}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td>
              <del>{valueWords(before)}</del>
            </td>
            <td>
              <ins>{valueWords(after)}</ins>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function valueWords(value: unknown): string {
  return value === undefined ? text.absent : JSON.stringify(value)
}
