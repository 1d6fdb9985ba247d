// The archive of the shop, which the command line writes: a file of any size, too large for a page. Owners only. docs/spec/archives.md
import { useIsOwner } from '../../frame/role.ts'
import { Copy } from '../../parts/copy.tsx'
import type { Shop } from '../../screens.ts'
import { words } from '../../words/en.ts'

const { archive: text } = words

export function ArchiveCard({ shop: { handle } }: { shop: Shop }) {
  if (!useIsOwner()) return null
  return (
    <section class="archive card" aria-label={text.title}>
      <h2>{text.title}</h2>
      <p class="hint">{text.about}</p>
      <ul>
        {text.steps(handle).map(({ about, command }) => (
          <li key={command}>
            <span>{about}</span> <code>{command}</code> <Copy text={command} />
          </li>
        ))}
      </ul>
      <p class="hint">{text.leftOut}</p>
    </section>
  )
}
