// One kind of event: when it fires, its body, and how to receive it.
import { session } from '../../frame/session.ts'
import { Fold } from '../../parts/fold.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { LinkTo } from '../../parts/link-to.tsx'
import { Fact } from '../../parts/object/facts.tsx'
import type { Place } from '../../parts/object/list-and-object.tsx'
import { ObjectHead } from '../../parts/object/object-head.tsx'
import { Texts } from '../../parts/secret/texts.tsx'
import { hrefOf, type Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { contentOf } from './documents.ts'
import type { EventEntry } from './entries.ts'
import { FieldTable } from './fields/field-table.tsx'
import { Parameters } from './fields/parameters.tsx'
import { Prose } from './fields/prose.tsx'

type EventDetailProps = { entry: EventEntry; shop: Shop | null; place: Place }
const text = words.reference.events

export function EventDetail({ entry, shop, place }: EventDetailProps) {
  const { id: kind, operation, document } = entry
  const { schemas } = document.components
  const body = contentOf(operation.requestBody?.content)
  const handle = shop?.handle ?? 'SHOP'
  const now = session.get()
  const role = now.state === 'in' ? now.operator.role : ''
  const receiver = [
    "import { verifyWebhook } from '@storefront/client'",
    '',
    'export async function receive(request: Request, secret: string): Promise<Response> {',
    '  const event = await verifyWebhook(request, secret)',
    `  if (event.type === '${kind}') console.log(event.data.id)`,
    '  return new Response()',
    '}',
  ].join('\n')
  const texts = [
    { name: text.receiver, text: receiver },
    { name: text.listen, text: `storefront listen --shop ${handle}` },
    { name: text.trigger, text: `storefront trigger ${kind} --shop ${handle}` },
  ]
  return (
    <>
      <ObjectHead name={<code>{kind}</code>} place={place} />
      <section class="facts">
        <dl class="one-column">
          <Fact label={text.fires}>
            <Prose text={entry.when} />
          </Fact>
          <Fact label={text.most}>{entry.most}</Fact>
        </dl>
        {shop !== null && (
          <p class="links">
            <LinkTo name="events" shop={shop} search={`?type=${kind}`}>
              {text.seen}
            </LinkTo>
            {hrefOf('webhooks', shop.handle, role) !== null && (
              <LinkTo name="webhooks" shop={shop}>
                {text.endpoints}
              </LinkTo>
            )}
          </p>
        )}
      </section>
      <section aria-label={text.receive}>
        <h3>{text.receive}</h3>
        <Texts texts={texts} label={text.receive} />
        <p class="hint">{text.triggerAbout}</p>
      </section>
      {body !== undefined && (
        <section aria-label={text.example}>
          <h3>{text.example}</h3>
          <JsonView value={body.example} />
          <Fold summary={text.fields} className="section">
            {() => <FieldTable schema={body.schema} schemas={schemas} label={text.fields} />}
          </Fold>
        </section>
      )}
      <section aria-label={words.reference.headers}>
        <h3>{words.reference.headers}</h3>
        <Parameters parameters={operation.parameters} schemas={schemas} values={{}} set={() => undefined} shops={[]} />
      </section>
    </>
  )
}
