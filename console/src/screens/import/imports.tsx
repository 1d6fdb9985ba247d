// Import and export: a file to import, the exports, the list of imports, and one import beside it or alone.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { go } from '../../frame/address.ts'
import { useStore } from '../../frame/store.ts'
import { ListAndObject } from '../../parts/object/list-and-object.tsx'
import type { ScreenProps } from '../../screens.ts'
import { words } from '../../words/en.ts'
import { ArchiveCard } from './archive-card.tsx'
import { DropArea } from './drop-area.tsx'
import { Exports } from './exports.tsx'
import { ImportDetail } from './import-detail.tsx'
import { importsList } from './imports-list.tsx'
import { changes, type Import, type Job, job } from './run.ts'

/** The report that was shown by itself last; shown once, so that Back leads away from it. */
let shownReport: string | null = null

export function Imports({ shop, id }: ScreenProps) {
  const version = useStore(changes)
  const current = useStore(job)
  const [changed, setChanged] = useState<Import | null>(null)
  const report = current?.shop === shop.handle ? reportOf(current) : null
  useEffect(() => {
    if (report === null || report === shownReport) return
    shownReport = report
    // A report of the same file again takes the place of the one before.
    go(`/s/${shop.handle}/import/${report}`, { replace: id !== null })
  }, [report])
  const config = useMemo(
    () =>
      importsList(shop, {
        version,
        above: (
          <>
            <div class="above">
              <DropArea shop={shop} />
              <Exports shop={shop} />
              <ArchiveCard shop={shop} />
            </div>
            <h2>{words.imports.title}</h2>
          </>
        ),
      }),
    [shop, version],
  )
  return (
    <ListAndObject config={config} id={id} one={words.imports.one} changed={changed}>
      {(open, place) => <ImportDetail key={open} shop={shop} id={open} place={place} changed={setChanged} />}
    </ListAndObject>
  )
}

/** The id of the import to show when its file has arrived. */
function reportOf({ step, result }: Job): string | null {
  return step === 'over' ? (result?.id ?? null) : null
}
