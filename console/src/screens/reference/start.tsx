// What the reference shows before something is chosen: where calls go, and the rules of all of them.
import { pageFacts } from '../../frame/page-facts.ts'
import { Fact } from '../../parts/object/facts.tsx'
import { words } from '../../words/en.ts'
import type { ApiDocument, Bundle } from './documents.ts'
import { Prose } from './fields/prose.tsx'

const text = words.reference.start

export function Start({ bundle, office }: { bundle: Bundle; office: ApiDocument | null }) {
  const { publicUrl } = pageFacts
  const places = [
    [text.api, `${publicUrl}/api/v1`, text.key],
    [text.mcp, `${publicUrl}/api/mcp`, text.key],
    [text.office, `${location.origin}/admin/v1`, text.token],
  ] as const
  const guides = `${publicUrl}/docs`
  return (
    <section class="object" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p>{text.about}</p>
      <section class="facts">
        <dl class="one-column">
          {places.map(([label, url, credential]) => (
            <Fact key={label} label={label}>
              <code>{url}</code> <span class="soft">{credential}</span>
            </Fact>
          ))}
          <Fact label={text.documents}>
            <a href={`${publicUrl}/openapi.json`}>{words.reference.groups.api}</a>
            {', '}
            <a href="/admin/v1/openapi.json" target="_blank">
              {words.reference.groups.office}
            </a>
          </Fact>
          <Fact label={text.guides}>
            <a href={guides}>{guides}</a>
          </Fact>
        </dl>
      </section>
      <section aria-label={words.reference.rules}>
        <h3>{words.reference.rules}</h3>
        <dl class="rules">
          {[bundle.document, office].map((document, index) =>
            document === null ? null : (
              <Fact key={index} label={index === 0 ? text.api : text.office}>
                <Prose text={document.info.description} />
              </Fact>
            ),
          )}
        </dl>
      </section>
    </section>
  )
}
