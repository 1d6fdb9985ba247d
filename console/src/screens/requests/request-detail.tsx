// One request: who called what, how it was answered, and why. Callers choose the ids, so that several may have one.
import { firstPage } from '../../frame/first-page.ts'
import { useLoad } from '../../frame/loading.ts'
import { api } from '../../frame/session.ts'
import { shortId } from '../../parts/copy.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { asCommand, asCurl } from '../../parts/list/ways.ts'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Empty, Shown } from '../../parts/state.tsx'
import { Status } from '../../parts/status.tsx'
import { When } from '../../parts/when.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { calledOf, type KeyNames, type Request, toneOf } from './request.ts'

type RequestDetailProps = { shop: Shop; id: string; names: KeyNames; place: Place }
const { columns: label, ...text } = words.requests

export function RequestDetail({ shop, id, names, place }: RequestDetailProps) {
  const requests = useLoad<Request[]>(`request ${shop.handle} ${id}`, async (signal) => {
    const { data } = await firstPage(api.requests.list(shop.handle, { id }, { signal }))
    return data
  })
  const ways = [
    asCurl(location.origin, { method: 'GET', path: `/shops/${shop.handle}/requests`, query: { id } }),
    asCommand('requests list', shop.handle, { id }),
  ]
  const name = requests.data?.[0] === undefined ? text.one : calledOf(requests.data[0])
  return (
    <>
      <ObjectHead name={name} id={id} place={place} ways={ways} />
      <Shown of={requests}>
        {(data) =>
          data.length === 0 ? (
            <Empty sentence={text.unknown} />
          ) : (
            <>
              {data.map((request) => (
                <Facts key={request.at} request={request} shop={shop} names={names} />
              ))}
            </>
          )
        }
      </Shown>
    </>
  )
}

function Facts({ request, shop, names }: { request: Request; shop: Shop; names: KeyNames }) {
  const { code, message, keyId, durationMs, source, at, tool, method, route } = request
  const facts = [
    [label.answered, <When at={at} zone={shop.timeZone} />],
    [
      label.key,
      <LinkTo name="keys" shop={shop} id={keyId}>
        {names.get(keyId) ?? shortId(keyId)}
      </LinkTo>,
    ],
    [tool === null ? text.route : text.tool, <code>{tool ?? `${method} ${route ?? ''}`}</code>],
    [label.duration, text.ms(durationMs)],
    [text.source, source ?? text.hidden],
  ] as const
  return (
    <section class="facts">
      <p class="object-state">
        <Status tone={toneOf(request)} word={String(request.status)} />
        {code !== null && <code>{code}</code>}
      </p>
      {message !== null && <p>{message}</p>}
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <JsonView value={request} />
    </section>
  )
}
