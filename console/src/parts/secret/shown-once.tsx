// A secret that is shown once. It is in the page for as long as this part is.
import { words } from '../../words/en.ts'
import { Copy } from '../copy.tsx'

export function ShownOnce({ secret, label }: { secret: string; label: string }) {
  return (
    <div class="shown-once" role="group" aria-label={label}>
      <p>
        <strong>{words.secret.once}</strong> {words.secret.store}
      </p>
      <p class="secret">
        <code>{secret}</code> <Copy text={secret} />
      </p>
    </div>
  )
}
