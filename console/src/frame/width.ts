// Whether the window is wide enough for an object beside its list.
import { useEffect, useState } from 'preact/hooks'

const wide = matchMedia('(min-width: 1200px)')

export function useIsWide(): boolean {
  const [isWide, setWide] = useState(wide.matches)
  useEffect(() => {
    const read = () => setWide(wide.matches)
    wide.addEventListener('change', read)
    return () => wide.removeEventListener('change', read)
  }, [])
  return isWide
}
