// The title of the window.
import { useEffect } from 'preact/hooks'
import { words } from '../words/en.ts'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – ${words.product}`
  }, [title])
}
