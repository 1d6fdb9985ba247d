// The sheet of keys: those of the frame and of the present screen.
import { Dialog } from '../../parts/dialog.tsx'
import { words } from '../../words/en.ts'
import { boundKeys } from '../keys.ts'

export function KeySheet({ close }: { close: () => void }) {
  const keys = new Map(boundKeys().flatMap((bindings) => Object.entries(bindings)))
  return (
    <Dialog label={words.keys.title} className="key-sheet" close={close}>
      <h2>{words.keys.title}</h2>
      <dl>
        <dt>
          <kbd>{words.palette.key}</kbd>
        </dt>
        <dd>{words.palette.button}</dd>
        {[...keys].map(([key, { words: text }]) => [
          <dt key={`${key} key`}>
            <kbd>{key}</kbd>
          </dt>,
          <dd key={`${key} words`}>{text}</dd>,
        ])}
      </dl>
      <form method="dialog" class="buttons">
        <button type="submit">{words.close}</button>
      </form>
    </Dialog>
  )
}
