// A button that copies a text, and an id that is shortened on the screen and whole on copy.
import { useState } from 'preact/hooks'
import { words } from '../words/en.ts'

const SHOWN_MS = 1_500

export function Copy({ text, label = words.copy.button }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setDone(true)
    setTimeout(() => setDone(false), SHOWN_MS)
  }
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      {isDone ? words.copy.done : label}
    </button>
  )
}

/** `0d5e…91ac`: enough to tell two ids of a screen apart. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 4)}…${id.slice(-4)}`
}

export function Id({ id }: { id: string }) {
  return (
    <span class="id">
      <code title={id}>{shortId(id)}</code> <Copy text={id} />
    </span>
  )
}
