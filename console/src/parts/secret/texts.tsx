// Several texts to choose from, each to be copied: the same thing for different programs.
import { useState } from 'preact/hooks'
import { Copy } from '../copy.tsx'

export type NamedText = { name: string; text: string }

export function Texts({ texts, label }: { texts: readonly NamedText[]; label: string }) {
  const [name, setName] = useState(texts[0]?.name)
  const shown = texts.find((one) => one.name === name) ?? texts[0]
  return (
    <div class="texts">
      <div class="tabs" role="group" aria-label={label}>
        {texts.map((one) => (
          <button type="button" key={one.name} aria-pressed={one === shown} onClick={() => setName(one.name)}>
            {one.name}
          </button>
        ))}
      </div>
      <pre tabIndex={0}>{shown?.text}</pre>
      <Copy text={shown?.text ?? ''} />
    </div>
  )
}
