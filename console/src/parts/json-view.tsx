// JSON as text, with a button that copies it.
import { Copy } from './copy.tsx'

export function JsonView({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <div class="json">
      <Copy text={text} />
      <pre tabIndex={0}>{text}</pre>
    </div>
  )
}
