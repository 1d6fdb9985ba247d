// A line that opens what is below it. What is inside is made when it is opened.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

type FoldProps = { summary: ComponentChildren; className?: string; children: () => ComponentChildren }

export function Fold({ summary, className, children }: FoldProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class={className} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  )
}
