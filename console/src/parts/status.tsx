// A status: a shape, a word and a colour.

const shapes = { ok: '●', wait: '◐', open: '○', warn: '▲', off: '■' } as const
export type Tone = keyof typeof shapes

export function Status({ tone, word }: { tone: Tone; word: string }) {
  return (
    <span class={`status ${tone}`}>
      <span aria-hidden="true">{shapes[tone]}</span> {word}
    </span>
  )
}
