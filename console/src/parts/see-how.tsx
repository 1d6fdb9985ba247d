// Shows a list or an action as curl, as a command and as an MCP call, to copy.
import { useState } from 'preact/hooks'
import { words } from '../words/en.ts'
import { Copy } from './copy.tsx'
import { DropDown } from './drop-down.tsx'
import type { Way } from './list/ways.ts'

export function SeeHow({ ways }: { ways: readonly Way[] }) {
  const [name, setName] = useState<Way['name']>('curl')
  const shown = ways.find((way) => way.name === name) ?? ways[0]
  return (
    <DropDown label={words.ways.button} className="see-how" isRight>
      {() => (
        <div class="ways">
          <div class="tabs" role="group" aria-label={words.ways.button}>
            {ways.map((way) => (
              <button type="button" key={way.name} aria-pressed={way === shown} onClick={() => setName(way.name)}>
                {words.ways[way.name]}
              </button>
            ))}
          </div>
          <pre tabIndex={0}>{shown?.text}</pre>
          <Copy text={shown?.text ?? ''} />
        </div>
      )}
    </DropDown>
  )
}
